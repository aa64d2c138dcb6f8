"""What one cell has to do and how much it may use, as it travels from the worker to the cell."""

from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from app.formats.family import Needs


@dataclass(frozen=True)
class Task:
    """One conversion: `convert` is "module:function", `source` and `target` are names in `scratch`.

    `scratch` is an existing private folder; the cell works in it and nowhere else. `limits` are
    the converter's own (worker/converters/limits.py), the rest is kept by the kernel. `needs` is
    what the family's cells may have beyond the least. With `isolated_outside`, the operator's
    word, a kernel without Landlock will do.
    """

    convert: str
    scratch: Path
    source: str
    target: str
    source_format: str
    target_format: str
    options: dict[str, Any]
    limits: dict[str, Any]
    memory_bytes: int
    cpu_seconds: int
    file_bytes: int
    open_files: int = 256
    needs: Needs = field(default_factory=Needs)
    isolated_outside: bool = False

    @cached_property
    def origin(self) -> Path:
        """Where the source really lies; ask before the cell is confined."""
        return (self.scratch / self.source).resolve()

    def to_message(self) -> dict[str, Any]:
        return asdict(self) | {"scratch": str(self.scratch.absolute())}

    @classmethod
    def from_message(cls, message: dict[str, Any]) -> "Task":
        needs = Needs(**message["needs"])
        return cls(**message | {"scratch": Path(message["scratch"]), "needs": needs})
