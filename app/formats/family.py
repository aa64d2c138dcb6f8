"""The shape of a converter family: what it converts, with which options, by which code."""

from collections.abc import Collection
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict


class Options(BaseModel):
    """The options of one conversion; every family extends this, an unknown name is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Format:
    """One file format: its short name is also the extension that a result gets."""

    name: str
    title: str
    media_type: str
    extensions: tuple[str, ...]
    inline: bool = False  # a browser may show it without running anything


@dataclass(frozen=True)
class Family:
    """A kind of job: one converter that can do a set of pairs.

    `convert` names the function as "module:function"; only the spawner imports it. `trial`
    names one of the same signature that needs no source: it tries what this machine can do and
    returns Converted with the facts {"pairs": {source: {target: None, or why not}}}.
    """

    kind: str
    convert: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    options: type[Options]
    default_targets: dict[str, str]
    formats: tuple[Format, ...] = ()
    trial: str | None = None

    @property
    def pairs(self) -> Collection[tuple[str, str]]:
        """Every (from, to) that this family can do, a format to itself included."""
        return [(source, target) for source in self.sources for target in self.targets]
