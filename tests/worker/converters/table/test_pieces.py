"""A text is cut into pieces of whole rows, and each byte is read about once."""

import os
from pathlib import Path

import pytest

from worker.converters.table import pieces as cutting
from worker.converters.table.pieces import Endless, pieces


def cut(file: Path, *, most: int) -> list[bytes]:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        size = file.stat().st_size
        return [piece for piece, _ in pieces(descriptor, start=0, size=size, most=most)]
    finally:
        os.close(descriptor)


def test_a_piece_ends_where_as_many_quotes_were_closed_as_opened(tmp_path: Path) -> None:
    text = b'a,b\n"1\n2",3\n4,5\n'
    (tmp_path / "t.csv").write_bytes(text)
    assert cut(tmp_path / "t.csv", most=5) == [b'a,b\n"1\n2",3\n', b"4,5\n"]


def test_a_stray_quote_costs_no_more_than_the_lines_that_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 64 * 1024
    (tmp_path / "t.csv").write_bytes(b'5" pipe,1\n' + b"another pipe,22\n" * 20_000)
    joined: list[int] = []
    read = os.pread

    def counted(descriptor: int, length: int, offset: int) -> bytes:
        found = read(descriptor, length, offset)
        joined.append(len(found) if length != cutting._WINDOW else 0)
        return found

    monkeypatch.setattr(os, "pread", counted)
    with pytest.raises(Endless):
        cut(tmp_path / "t.csv", most=most)
    assert sum(joined) < 4 * most
