"""What is done to a document between pandoc's reader and its writer, as one filter in Lua."""

from pathlib import Path

NAME = "filter.lua"
ORDER = ("counting", "raw", "outputs", "elements", "metadata", "document")

_FILTERS = Path(__file__).parent / "filters"


def _part(name: str) -> str:
    content = (_FILTERS / f"{name}.lua").read_text(encoding="utf-8")
    return f"parts.{name} = (function()\n{content}\nend)()\n"


# Pandoc would begin Lua anew for each file, so they become the parts of one. It is made here, for
# a cell may not read the files.
TEXT = "local parts = {}\n" + "".join(map(_part, ORDER)) + f"return parts.{ORDER[-1]}\n"


def write() -> None:
    """Write the filter into the current folder."""
    Path(NAME).write_text(TEXT, encoding="utf-8")
