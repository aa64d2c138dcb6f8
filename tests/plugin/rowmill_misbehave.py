"""A converter family for tests, as a third party would ship one: pure data, no conversion code."""

from typing import Literal

from pydantic import Field

from app.formats.family import Family, Format, Options

How = Literal[
    "sleep",
    "null",
    "abort",
    "chatter",
    "child",
    "cpu",
    "crash",
    "empty",
    "exit",
    "fifo",
    "flood",
    "folder",
    "forge",
    "full_disk",
    "hang",
    "hardlink",
    "held",
    "killed",
    "lie",
    "memory",
    "no_result",
    "orphan",
    "parent",
    "raise",
    "refuse",
    "stubborn_cpu",
    "symlink",
    "too_large",
    "unique",
]


class MisbehaveOptions(Options):
    """`seconds` of sleep first, told in `progress_steps`; then what `how` says."""

    seconds: float = Field(default=0, ge=0)
    how: How = "sleep"
    progress_steps: int = Field(default=10, ge=1)


MISBEHAVE = Family(
    kind="misbehave",
    convert="rowmill_misbehave_convert:convert",
    sources=("png", "jpg", "gif"),
    targets=("nap",),
    options=MisbehaveOptions,
    default_targets={},
    formats=(Format("nap", "Nap", "application/x-nap", ("nap",)),),
)
