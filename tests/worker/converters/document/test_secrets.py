"""A document takes in nothing but itself: what it asks for does not come, the rest does."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import data_uri
from tests.worker.converters.document.hostile import ASKING, BESIDE, CODE, MARKER, PROGRAMS
from tests.worker.converters.document.reader import text_of
from worker.converters.document import convert
from worker.converters.limits import Limits
from worker.outcome import Converted


@pytest.mark.parametrize("target", ["html", "docx", "pdf"])
@pytest.mark.parametrize("what", ASKING)
def test_a_file_beside_the_document_does_not_come_out(
    converting: Converting, what: str, target: str
) -> None:
    source, text = ASKING[what]
    target = "md" if source == target else target  # the page of a page is no conversion
    for name in ("secret", "@PLACE@/secret"):
        content = converting(text.format(name), source, target, beside=BESIDE).content

        said = text_of(content, target)
        assert MARKER not in said
        assert MARKER.encode() not in content
        assert "before" in said
        assert "after" in said


@pytest.mark.parametrize("target", ["html", "docx", "odt", "epub", "pdf", "md"])
def test_pictures_from_elsewhere_are_counted_and_named(converting: Converting, target: str) -> None:
    source = "rst" if target == "md" else "md"
    here = f"![here]({data_uri()}) " if source == "md" else ""
    asking = (
        "![the view](https://a.example/x.png)" if source == "md" else "|v|\n\n.. |v| image:: x.png"
    )

    result = converting(f"{here}{asking}\n", source, target)

    assert result.facts["pictures"] == (1 if source == "md" else 0)
    assert "1 picture lies outside of the file" in result.notes
    if target != "md":
        assert "the view" in text_of(result.content, target) or target == "html"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.mark.parametrize("target", ["html", "docx", "epub", "pdf", "md", "ipynb"])
def test_nothing_is_fetched_even_where_there_is_a_network(
    listener: socket.socket, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run without a cell, whose walls would hide what was tried."""
    monkeypatch.chdir(tmp_path)
    away = f"http://127.0.0.1:{listener.getsockname()[1]}"
    Path("input.org").write_text(
        f"before [[{away}/a.png]]\n\n#+BEGIN_EXPORT html\n<img src='{away}/b.png'>"
        f"<iframe src='{away}/c'></iframe><link rel=stylesheet href='{away}/d.css'>\n"
        f"#+END_EXPORT\n#+INCLUDE: {away}/e\n\nafter\n"
    )

    outcome = convert(
        Path("input.org"),
        Path(f"output.{target}"),
        source_format="org",
        target_format=target,
        options={},
        limits=Limits(),
        progress=lambda _value, _stage: None,
    )

    assert isinstance(outcome, Converted), outcome
    with pytest.raises(BlockingIOError), contextlib.closing(listener.accept()[0]):
        pass


@pytest.mark.parametrize("what", PROGRAMS)
def test_no_text_becomes_a_program_of_the_typesetter(converting: Converting, what: str) -> None:
    source, text = PROGRAMS[what]

    result = converting(text.format(CODE), source, "pdf", beside=BESIDE)

    said = text_of(result.content, "pdf")
    assert "before" in said
    assert "after" in said
    assert MARKER not in said
    assert "could not be set" not in result.notes
