"""A claimed storage, and a record of what it asks of the kernel."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.storage import DiskStorage


@pytest.fixture
def storage(tmp_path: Path) -> DiskStorage:
    storage = DiskStorage(tmp_path / "data", reserve=0)
    storage.claim_house(uuid4(), may_create=True)
    return storage


@pytest.fixture
def kernel_calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What is synced, renamed, linked and made from now on, in order, below the data folder."""
    calls: list[str] = []
    root = tmp_path / "data"

    def record(name: str, subject: Callable[[Any], str]) -> None:
        real = getattr(os, name)

        def recorded(*args: Any, **options: Any) -> Any:
            calls.append(f"{name} {os.path.relpath(subject(args), root)}")
            return real(*args, **options)

        monkeypatch.setattr(os, name, recorded)

    record("fsync", lambda args: str(Path(f"/proc/self/fd/{args[0]}").readlink()))
    record("rename", lambda args: str(args[1]))
    record("link", lambda args: str(args[1]))
    record("mkdir", lambda args: str(args[0]))
    return calls
