"""Logs do not grow for ever, and their last line can be repeated without harm."""

from pathlib import Path

from app.cli.logfile import last_line, trim


def test_a_long_log_moves_aside_and_its_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "api.log"
    with path.open("a", buffering=1) as writer:
        writer.write(f"{'long ' * 10}\n")
        trim(path, limit=20)
        writer.write("next\n")
    assert path.read_text() == "next\n"
    assert (tmp_path / "api.log.1").read_text() == f"{'long ' * 10}\n"


def test_a_short_log_stays(tmp_path: Path) -> None:
    path = tmp_path / "api.log"
    path.write_text("short")
    trim(path, limit=20)
    assert path.read_text() == "short"
    assert not (tmp_path / "api.log.1").exists()


def test_the_last_line_cannot_colour_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "api.log"
    path.write_text("first\n\x1b[31mlast\n\n")
    assert last_line(path) == r"\x1b[31mlast"


def test_an_empty_log_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "api.log").touch()
    assert last_line(tmp_path / "api.log") == "nothing"
