"""Runs the programs that its options name, and writes down how each ended."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from worker.converters import program
from worker.outcome import Converted


def convert(source: Path, target: Path, *, options: dict[str, Any], **_told: Any) -> Converted:
    ended = [_run(argv, **options.get("with", {})) for argv in options["run"]]
    target.write_text(json.dumps(ended))
    return Converted()


def _run(argv: list[str], *, listen: bool = False, tire: bool = False, **more: Any) -> Any:
    lines: list[str] = []
    heard = _tire if tire else lines.append if listen else None
    ended = program.run(argv, heard=heard, **more)
    return asdict(ended) | {"stdout": ended.stdout.decode(), "lines": lines}


def _tire(line: str) -> NoReturn:
    raise RuntimeError(f"tired of {line}")
