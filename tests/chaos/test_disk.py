"""Only a disk that belongs to a test is filled."""

from pathlib import Path

import pytest

from tests.chaos import disk


def test_a_folder_on_a_disk_of_others_is_not_filled(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a disk of its own"), disk.full(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
