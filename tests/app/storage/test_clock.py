"""How old a file is does not depend on the clock of whoever asks."""

import time
import uuid
from pathlib import Path

import pytest

from app.storage import DiskStorage, keys

HOUR = 3600.0


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_a_machine_whose_clock_is_an_hour_off_sees_files_as_old_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, off: float
) -> None:
    storage, upload = DiskStorage(tmp_path), uuid.uuid4()
    storage.claim_house(uuid.uuid4(), may_create=True)
    storage.incoming(upload).write_bytes(b"new")
    (tmp_path / "trash" / "objects-thrown-away").write_bytes(b"new")
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + off)
    key = keys.incoming_key(upload)
    assert abs(storage.age(key)) < 60
    assert list(storage.walk("incoming", older_than_seconds=HOUR / 2)) == []
    assert storage.empty_trash(older_than_seconds=HOUR / 2) == 0
    assert list(storage.walk("incoming", older_than_seconds=-60)) == [key]
