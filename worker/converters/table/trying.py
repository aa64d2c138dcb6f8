"""What this installation can really do, found out by converting tiny tables."""

from pathlib import Path
from typing import Any

from app.formats.table import TABLE
from worker.converters.table.conversion import convert
from worker.converters.trying import reason_against
from worker.outcome import Converted

Report = dict[str, str | None]

_TABLE = b"name,number\nf\xc3\xbcnf,5\n"


def trial(_source: Path, target: Path, **_contract: Any) -> Converted:
    """Run in a cell like any conversion; tell of each pair None, or why it cannot be done.

    Every target is written once and read once, as far as it is a source too; of the formats that
    are only read, the library that reads them is already there, or this could not be imported.
    """
    folder = target.parent
    (folder / "trial.csv").write_bytes(_TABLE)
    writes = {name: _reason(folder, "csv", name) for name in TABLE.targets}
    reads = {name: writes.get(name) or _reads(folder, name) for name in TABLE.sources}
    for made in folder.glob("trial*"):
        made.unlink()
    pairs = {
        source: {name: reads[source] or writes[name] for name in TABLE.targets_of(source)}
        for source in TABLE.sources
    }
    return Converted({"pairs": pairs})


def _reads(folder: Path, source: str) -> str | None:
    return _reason(folder, source, "tsv") if source in TABLE.targets else None


def _reason(folder: Path, source: str, target: str) -> str | None:
    made = "trial" if source == "csv" and target != "csv" else "trial-again"
    why = reason_against(convert, folder / f"trial.{source}", folder / f"{made}.{target}")
    return f"{source} to {target}: {why}" if why is not None else None
