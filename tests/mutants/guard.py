"""What a mutant is: a guard, the source without it, and the tests that have to notice."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Misfit(Exception):
    """The source has changed so that the guard is not where this list says."""


@dataclass(frozen=True)
class Guard:
    """`old` stands exactly once in `file`; with `new` in its place one of `tests` fails."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def taken_from(self, source: str) -> str:
        """Return the source without the guard."""
        if source.count(self.old) != 1:
            raise Misfit(f"{self.name}: {self.file} has it {source.count(self.old)} times")
        return source.replace(self.old, self.new)
