"""The converter of the tests' plugin, whose cell stands still at the point that its job names.

A spawner starts as isolated Python with an empty environment, so that nothing is loaded into it by
that. But it imports converters by the worker's path, on which this one comes first.
"""

import importlib
import runpy
from pathlib import Path
from typing import Any

PLUGIN = Path(__file__).parents[2] / "plugin" / Path(__file__).name
# Beside the result: a cell can write nowhere else.
LOG = "points"

_points = importlib.import_module("chaos_points")  # which is on the path with this file
_nap = runpy.run_path(str(PLUGIN))["convert"]


def convert(*arguments: Any, options: dict[str, Any], **rest: Any) -> Any:
    if "at" in options:
        points = _points.Points(LOG)
        _points.watch_files(points)
        points.arm(options["at"])
    return _nap(*arguments, options=options, **rest)
