"""What stops the start is said in one line, before anything is served."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.main import create_app
from app.settings import Settings
from tests.app.api.conftest import Serve

ROOT = Path(__file__).parents[3]


def test_a_broken_converter_package_stops_the_start(tmp_path: Path) -> None:
    described = tmp_path / "snore-0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: snore\nVersion: 0\n")
    (described / "entry_points.txt").write_text("[rowmill.converters]\nsnore = snore:FAMILY\n")
    (tmp_path / "snore.py").write_text('raise OSError("no\\nsuch library")\n')
    done = subprocess.run(
        [sys.executable, "-P", "-m", "app.cli", "api"],
        env={
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
            "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
            "ROWMILL_DATA": str(tmp_path / "data"),
            "ROWMILL_PORT": "0",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "rowmill api: The converter family of snore (entry point snore = snore:FAMILY) cannot be "
        "loaded: OSError: no such library\n"
    )


def test_the_command_and_the_description_say_the_same_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/n", data=tmp_path))
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"rowmill {app.version}\n"


@pytest.mark.parametrize(
    ("most", "keep", "said"),
    [
        (3 * 1024**2, 3 * 86_400, "Up to 3 MB each, kept for 3 days."),
        (10 * 1024**3, 3600, "Up to 10 GB each, kept for 1 hour."),
    ],
)
def test_the_limits_are_said_before_anything_is_sent(
    serve: Serve, most: int, keep: float, said: str
) -> None:
    page = serve(max_upload_bytes=most, keep_seconds=keep).client.get("/")
    assert said in page.text
