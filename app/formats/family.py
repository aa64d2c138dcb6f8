"""The shape of a converter family: what it converts, with which options, by which code."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from app.formats.options import Options

__all__ = ["Family", "Format", "Needs", "Options"]


@dataclass(frozen=True)
class Format:
    """One file format: its short name is also the extension that a result gets."""

    name: str
    title: str
    media_type: str
    extensions: tuple[str, ...]
    inline: bool = False  # a browser may show it without running anything


@dataclass(frozen=True)
class Needs:
    """What the cells of a family may have beyond the least.

    `programs` is how many programs one conversion may start, `reads` the folders it may read and
    run programs from besides /usr and what Python itself needs; with `unix_sockets` it may make
    such a socket, and still connect to none.
    """

    programs: int = 0
    reads: tuple[str, ...] = ()
    unix_sockets: bool = False


@dataclass(frozen=True)
class Family:
    """A kind of job: one converter that can do a set of pairs.

    Each of `sources` becomes each of `targets`, or, if `narrowed` names it, those that stand
    there. `convert` names the function as "module:function"; only the spawner imports it. `trial`
    names one of the same signature that needs no source: it tries what this machine can do and
    returns Converted with the facts {"pairs": {source: {target: None, or why not}}}. `needs` is
    the most that a conversion or the trial may have, and `lighter` names pairs that do with less.
    `remark` is what people should know of its results beforehand.
    """

    kind: str
    convert: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    options: type[Options]
    default_targets: dict[str, str]
    formats: tuple[Format, ...] = ()
    trial: str | None = None
    narrowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    needs: Needs = Needs()
    lighter: Mapping[tuple[str, str], Needs] = field(default_factory=dict)
    remark: str = ""

    @property
    def pairs(self) -> Collection[tuple[str, str]]:
        """Every (from, to) that this family can do, a format to itself included."""
        return [(source, target) for source in self.sources for target in self.targets_of(source)]

    def targets_of(self, source: str) -> tuple[str, ...]:
        return self.narrowed.get(source, self.targets) if source in self.sources else ()

    def needs_of(self, source: str, target: str) -> Needs:
        return self.lighter.get((source, target), self.needs)
