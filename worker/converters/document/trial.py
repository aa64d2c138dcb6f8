"""What this installation can really do with documents, found out by converting one line."""

import json
from pathlib import Path
from typing import Any

from app.formats.document import DOCUMENT
from worker.converters.document.conversion import convert
from worker.converters.trying import reason_against
from worker.outcome import Converted


def trial(_source: Path, target: Path, **_contract: Any) -> Converted:
    """Run in a cell like any conversion; tell of each pair None, or why it cannot be done.

    Called as `convert` is; the source is not read. All formats but PDF are made by one program
    with everything in it: either all of them work or none does. The answer stands in the facts
    and, as JSON, in the target.
    """
    texts, pages = _reason("html"), _reason("pdf")
    pairs = {
        source: {to: pages if to == "pdf" else texts for to in DOCUMENT.targets_of(source)}
        for source in DOCUMENT.sources
    }
    target.write_text(json.dumps(pairs), encoding="utf-8")
    return Converted({"pairs": pairs})


def _reason(made: str) -> str | None:
    source = Path("trial.md")
    source.write_text("# Trial\n\nOne *line* and $x^2$.\n", encoding="utf-8")
    why = reason_against(convert, source, Path(f"trial.{made}"))
    return f"md to {made}: {why}" if why is not None else None
