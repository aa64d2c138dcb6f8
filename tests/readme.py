"""What README.md promises in a form that can be checked: its examples and its settings."""

import re
from dataclasses import dataclass
from pathlib import Path

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
ADDRESS = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Example:
    """A command as a reader would paste it, and what it prints, with … for anything."""

    command: str
    prints: str

    def fits(self, printed: str) -> bool:
        pattern = ".*".join(re.escape(part) for part in self.prints.split("…"))
        return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def examples(text: str = TEXT) -> list[Example]:
    """Return the commands of every console block, in order; they share one shell."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, prints = part.partition("\n")
            found.append(Example(command, prints.strip()))
    return found


def settings(text: str = TEXT) -> dict[str, str]:
    """Return the table of settings: each name with what stands as its default."""
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.+?) \|", text, re.MULTILINE)
    return dict(rows)
