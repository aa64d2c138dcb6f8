"""Real files that other programs made, one by one: the name of each says what it is."""

from pathlib import Path

import pytest

from app.formats.catalogue import name_agrees
from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise

pytestmark = pytest.mark.corpus

OTHERWISE = {"password.docx": "encrypted-office", "random.bin": None, "real-apng.apng": "png"}
BY_EXTENSION = {"jsonl": "ndjson"}


def test_every_real_file_is_recognised_by_its_ends(corpus: Path) -> None:
    wrong = {
        path.name: found for path in _files(corpus) if (found := _settled(path)) != _expected(path)
    }
    assert wrong == {}


def test_every_real_file_is_recognised_by_its_first_batch(corpus: Path) -> None:
    wrong = {
        path.name: found
        for path in _files(corpus)
        if (found := recognise(path.read_bytes()[:HEAD_BYTES])) != _expected(path)
    }
    assert wrong == {}


@pytest.mark.parametrize("kept", [0.9, 0.5, 0.2])
def test_a_real_file_cut_short_is_not_taken_for_another(corpus: Path, kept: float) -> None:
    """A cut archive may be no more than a ZIP, cut JSON no more than text, never anything else.

    A few letters in an older encoding are too little to tell from noise.
    """
    wrong = {}
    for path in _files(corpus):
        data = path.read_bytes()
        data = data[: int(len(data) * kept)]
        found = recognise(data[:HEAD_BYTES], data[-TAIL_BYTES:], size=len(data))
        if found is None and path.name == "shift-jis.csv":
            continue
        if found not in (_expected(path), "zip", "ole", "txt"):
            wrong[path.name] = found
    assert wrong == {}


def test_every_real_name_agrees_with_its_bytes(corpus: Path) -> None:
    for path in _files(corpus):
        found = _settled(path)
        assert found is None or name_agrees(path.name, found), path.name


def _files(corpus: Path) -> list[Path]:
    files = sorted(path for path in corpus.iterdir() if path.is_file())
    assert len(files) > 40
    return files


def _settled(path: Path) -> str | None:
    data = path.read_bytes()
    return recognise(data[:HEAD_BYTES], data[-TAIL_BYTES:], size=len(data))


def _expected(path: Path) -> str | None:
    extension = path.suffix.removeprefix(".")
    return OTHERWISE.get(path.name, BY_EXTENSION.get(extension, extension))
