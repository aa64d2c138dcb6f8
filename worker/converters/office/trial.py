"""What this machine can really do: which programs of LibreOffice it has, and which of them work."""

import json
from pathlib import Path
from typing import Any

from app.formats.office import OFFICE
from worker.converters.office import libreoffice
from worker.converters.office.filters import CALC, IMPRESS, PROGRAMS, WRITER, Program
from worker.converters.office.kit import Kit, Unable
from worker.converters.office.seen import Seen
from worker.outcome import Converted

# One tiny document for each program, in the flat form of OpenDocument.
_FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.{kind}"
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">
<office:body><office:{kind}>{inside}</office:{kind}></office:body></office:document>"""
_TRIED = {
    WRITER: ("fodt", _FLAT.format(kind="text", inside="")),
    CALC: ("fods", _FLAT.format(kind="spreadsheet", inside='<table:table table:name="a"/>')),
    IMPRESS: ("fodp", _FLAT.format(kind="presentation", inside='<draw:page draw:name="a"/>')),
}


def trial(_source: Path, target: Path, **_contract: Any) -> Converted:
    """Run in a cell like any conversion; tell of each pair None, or why it cannot be done.

    Called as `convert` is; the source is not read. The answer stands in the facts and, as JSON,
    in the target: {"pairs": {"docx": {"pdf": null, …}, …}}.
    """
    against = reasons(libreoffice.place())
    pairs = {
        source: dict.fromkeys(OFFICE.targets_of(source), against[PROGRAMS.get(source, WRITER)])
        for source in OFFICE.sources
    }
    target.write_text(json.dumps(pairs), encoding="utf-8")
    return Converted({"pairs": pairs})


def reasons(place: Path | None) -> dict[Program, str | None]:
    """Return for each program why it cannot be used, or None; `place` is LibreOffice's folder."""
    against = {program: _absent(program, place) for program in _TRIED}
    if None not in against.values():
        return against
    try:
        kit = libreoffice.start(Seen())
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the reason
        return dict.fromkeys(_TRIED, f"LibreOffice does not start: {error}")
    return {program: why or _fault(kit, program) for program, why in against.items()}


def _absent(program: Program, place: Path | None) -> str | None:
    if program.is_in(place):
        return None
    return (
        f"LibreOffice's {program.name} is not installed "
        f"(on Debian: apt install libreoffice-{program.name}-nogui)"
    )


def _fault(kit: Kit, program: Program) -> str | None:
    """Convert a tiny document: the same program reads and writes all others of its kind."""
    ending, content = _TRIED[program]
    source, made = (Path.cwd() / f"trial.{name}" for name in (ending, "pdf"))
    source.write_text(content, encoding="utf-8")
    try:
        kit.load(source).save(made, "pdf", "")
    except Unable as unable:
        return f"LibreOffice's {program.name} does not work here: {unable}"
    made.unlink()
    return None
