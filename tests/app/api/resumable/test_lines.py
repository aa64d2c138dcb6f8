"""Headers of tus that come in several lines: a list is one list, and of all else there is one."""

import pytest

from tests.app.api.resumable.conftest import PIECES, Tus, metadata


@pytest.mark.parametrize(
    ("method", "name", "values"),
    [
        ("POST", "Tus-Resumable", ["1.0.0", "0.2.2"]),
        ("POST", "Upload-Length", ["5", "6"]),
        ("POST", "Upload-Defer-Length", ["1", "1"]),
        ("POST", "Upload-Concat", ["partial", "final;/uploads/x"]),
        ("PATCH", "Upload-Offset", ["0", "7"]),
        ("PATCH", "Upload-Length", ["5", "6"]),
    ],
)
def test_a_header_that_comes_twice_is_refused_and_neither_is_taken(
    tus: Tus, method: str, name: str, values: list[str]
) -> None:
    path = tus.create(5) if method == "PATCH" else "/uploads"
    usual = {"Tus-Resumable": "1.0.0", "Content-Type": PIECES}
    usual |= {"Upload-Offset": "0"} if method == "PATCH" else {"Upload-Length": "5"}
    rest = [[key, value] for key, value in usual.items() if key != name]
    answer = tus.lines(method, path, [name, *values], *rest)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_upload_header")
    assert f"{name} came 2 times" in answer.json()["detail"]


def test_metadata_may_come_in_several_lines_as_any_list_may(tus: Tus) -> None:
    lines = ["Upload-Metadata", metadata(filename="a.png"), metadata(to="webp", width="7")]
    rest = ["Tus-Resumable", "1.0.0"], ["Upload-Length", "5"]
    path = tus.lines("POST", "/uploads", lines, *rest).headers["location"]
    sent = metadata(filename="a.png", to="webp", width="7")
    assert tus.head(path).headers["upload-metadata"] == sent
    assert tus.row(path).wishes == {"to": ["webp"], "options": {"width": "7"}}
    again = ["Upload-Metadata", metadata(to="webp"), metadata(to="jpg")]
    assert "same key twice" in tus.lines("POST", "/uploads", again, *rest).json()["detail"]
