"""A file that cannot become a job leaves nothing behind, whatever the reason."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from uuid import uuid4

import pytest

from app.api import uploads
from app.api.parts import Parts
from app.api.threads import Threads
from app.api.wishes import Wishes
from app.ingest.received import Received


class Explosive(Mapping[str, str]):
    """Options as a strange family may read them: with an error that nobody expects."""

    def __getitem__(self, key: str) -> str:
        raise ZeroDivisionError

    def __iter__(self) -> Iterator[str]:
        raise ZeroDivisionError

    def __len__(self) -> int:
        return 1


def test_an_error_that_nobody_expects_leaves_no_part(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"x")
    received = Received(
        upload_id=uuid4(), name="a", size=1, sha256="0" * 64, format="png", part=part
    )
    wanted = Wishes(targets=("webp",), options=Explosive())
    threads = Threads(1, name="test")
    parts = SimpleNamespace(threads=threads)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(uploads._ordered(cast(Parts, parts), received, wanted))
    threads.close()
    assert not part.exists()
