"""Takes out of a text what points to files that nobody uploaded and pandoc gives up over."""

import re
from pathlib import Path

_TABLE = re.compile(r"^(\s*)\.\. csv-table::")
_FROM_A_FILE = re.compile(r"^\s+:(?:file|url):")


def leave_out_tables_from_files(text: Path) -> bool:
    """Turn reStructuredText tables whose rows stand in another file into comments.

    Return whether there were any. Only pandoc's "resource not found" leads here: the same lines
    may stand in an example, where they harm nobody.
    """
    if text.suffix != ".rst":
        return False
    lines = text.read_text(encoding="utf-8").split("\n")
    places = [at for at, line in enumerate(lines) if _is_from_a_file(lines, at)]
    for at in places:
        lines[at] = _TABLE.sub(r"\1.. a table from another file:", lines[at])
    text.write_text("\n".join(lines), encoding="utf-8")
    return bool(places)


def _is_from_a_file(lines: list[str], at: int) -> bool:
    if not _TABLE.match(lines[at]):
        return False
    for line in lines[at + 1 :]:
        if not line.strip() or not line[0].isspace():
            return False
        if _FROM_A_FILE.match(line):
            return True
    return False
