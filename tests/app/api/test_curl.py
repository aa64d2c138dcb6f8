"""The lines that people type, with the real curl."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.app.api.conftest import PNG, Service
from tests.polling import poll


def curl(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["curl", "-sS", "--max-time", "60", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    photo = tmp_path / "my photo.png"
    photo.write_bytes(PNG)
    return photo


def waiters(service: Service) -> int:
    return len(service.app.state.parts.watch)


def test_one_line_is_the_whole_job(service: Service, photo: Path, tmp_path: Path) -> None:
    service.hire()
    made = tmp_path / "photo.webp"
    with ThreadPoolExecutor(1) as pool:
        address = f"{service.url}/uploads/?to=webp&wait=60"
        line = pool.submit(curl, "-fLT", str(photo), address, "-o", str(made))
        poll(lambda: waiters(service) == 1)
        service.convert(b"the result")
        done = line.result(60)
    assert (done.returncode, done.stderr) == (0, "")
    assert made.read_bytes() == b"the result"


def test_the_one_line_fails_when_the_conversion_does(
    service: Service, photo: Path, tmp_path: Path
) -> None:
    service.hire()
    made = tmp_path / "photo.webp"
    with ThreadPoolExecutor(1) as pool:
        address = f"{service.url}/uploads/?wait=60"
        line = pool.submit(curl, "-fLT", str(photo), address, "-o", str(made))
        poll(lambda: waiters(service) == 1)
        service.fail(service.claim())
        done = line.result(60)
    assert done.returncode == 22
    assert not made.exists()


def test_a_form_and_a_raw_body_by_curl(service: Service, photo: Path) -> None:
    for arguments in (
        ["-F", f"file=@{photo}", "-F", "to=webp", f"{service.url}/uploads"],
        ["--data-binary", f"@{photo}", f"{service.url}/uploads?to=webp&name=my%20photo.png"],
        ["-T", str(photo), f"{service.url}/uploads/"],
    ):
        done = curl("-f", *arguments)
        assert done.returncode == 0, done.stderr
        assert '"my photo.png"' in done.stdout


def test_a_line_that_sends_only_the_rest_of_a_file_is_refused(
    service: Service, photo: Path
) -> None:
    done = curl("-C", "9", "-T", str(photo), f"{service.url}/uploads/?to=webp")
    refusal = json.loads(done.stdout)
    assert (refusal["status"], refusal["code"]) == (400, "bad_request")
    assert "Content-Range" in refusal["detail"]
    assert "tus" in refusal["hint"]
    assert service.client.get("/uploads").json()["uploads"] == []


def test_an_early_refusal_reaches_a_client_that_is_still_sending(
    service: Service, tmp_path: Path
) -> None:
    layers = tmp_path / "layers.xcf"
    layers.write_bytes(b"gimp xcf v011\0" + b"\0" * 64 * 1024**2)
    for arguments in (
        ["-T", str(layers)],
        ["-F", f"file=@{layers}"],
        ["-H", "Expect:", "-T", str(layers)],
    ):
        done = curl("-w", "\n%{http_code}", *arguments, f"{service.url}/uploads/")
        assert done.stdout.splitlines()[-1] == "415", done
        assert "unsupported_format" in done.stdout
