"""What is done to a document between pandoc's reader and its writer, as one filter in Lua."""

from pathlib import Path

NAME = "filter.lua"
ORDER = ("presence", "raw", "elements", "metadata")  # of their work

# Pandoc would begin Lua anew for each file, so they become the parts of one.
_ALL = """local all = {}
for _, part in ipairs {
%s
} do
  for _, filter in ipairs(part) do all[#all + 1] = filter end
end
return all
"""


def _part(name: str) -> str:
    content = (Path(__file__).parent / "filters" / f"{name}.lua").read_text(encoding="utf-8")
    return f"(function()\n{content}\nend)(),"


TEXT = _ALL % "\n".join(map(_part, ORDER))  # made here, for a cell may not read the files


def write() -> None:
    """Write the filter into the current folder."""
    Path(NAME).write_text(TEXT, encoding="utf-8")
