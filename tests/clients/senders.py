"""Clients that others made, each sending one file in the way its users would; they return its URL.

Those that go on by themselves are let to. Those that give up are started anew with what their
users have kept: the URL, or the key.
"""

import asyncio
import json
import subprocess
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import aiotus
from aiotus.retry import RetryConfiguration
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

HERE = Path(__file__).parent
TRIES = 9
TUS = ["-H", "Tus-Resumable: 1.0.0"]
PIECES = "application/offset+octet-stream"

Sender = Callable[[str, Path], str]


def node(script: str, *arguments: object) -> Any:
    """Run a script of this folder, and return what it printed."""
    command = ["node", str(HERE / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, cwd=HERE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def tus_js(endpoint: str, file: Path) -> str:
    return str(node("tus.mjs", endpoint, file, "whole")["url"])


def tus_js_stream(endpoint: str, file: Path) -> str:
    return str(node("tus.mjs", endpoint, file, "stream")["url"])


def tus_js_parallel(endpoint: str, file: Path) -> str:
    return str(node("tus.mjs", endpoint, file, "parallel")["url"])


def uppy(endpoint: str, file: Path) -> str:
    return str(node("uppy.mjs", endpoint, file)[file.name])


def tuspy(endpoint: str, file: Path) -> str:
    with file.open("rb") as content:
        uploader = TusClient(endpoint).uploader(file_stream=content, retries=TRIES, retry_delay=0.1)
        uploader.upload()
    return str(uploader.url)


def tuspy_anew(endpoint: str, file: Path) -> str:
    """It tries nothing twice by itself."""
    url = None
    for _ in range(TRIES):
        with file.open("rb") as content:
            uploader = TusClient(endpoint).uploader(file_stream=content, url=url)
            with suppress(TusCommunicationError, TusUploadFailed):
                uploader.upload()
                return str(uploader.url)
        url = uploader.url
    raise AssertionError(f"tuspy gave up {TRIES} times")


def aiotus_retrying(endpoint: str, file: Path) -> str:
    """Its endpoint has to end in a slash."""
    config = RetryConfiguration(retry_attempts=TRIES, max_retry_period_seconds=0.2)

    async def upload() -> str:
        with file.open("rb") as content:
            return str(await aiotus.upload(f"{endpoint}/", content, config=config))

    return asyncio.run(upload())


def curl_again(endpoint: str, file: Path) -> str:
    """Send all of it once more, with the same key, until that has succeeded."""
    retrying = ["--retry", str(TRIES), "--retry-all-errors", "--retry-delay", "1"]
    key = ["-H", f"Idempotency-Key: {uuid.uuid4()}"]
    done = _curl("-f", *retrying, *key, "-T", str(file), f"{endpoint}/")
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["links"]["self"])


def curl_by_tus(endpoint: str, file: Path) -> str:
    """Ask where to go on, and go on from there."""
    size = file.stat().st_size
    name = b64encode(file.name.encode()).decode()
    made = ["-H", f"Upload-Length: {size}", "-H", f"Upload-Metadata: filename {name}"]
    url = urljoin(endpoint, _header(_curl("-X", "POST", *TUS, *made, "-i", endpoint), "location"))
    for offset in _offsets(url):
        if offset == size:
            return url
        at = [
            "-H",
            f"Upload-Offset: {offset}",
            "-H",
            "Content-Type: application/offset+octet-stream",
        ]
        _curl("-X", "PATCH", *TUS, *at, "-C", str(offset), "-T", str(file), url)
    raise AssertionError(f"curl was cut off {TRIES} times")


def _offsets(url: str) -> Iterator[int]:
    for _ in range(TRIES):
        yield int(_header(_curl("-I", *TUS, url), "upload-offset"))


def _curl(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["curl", "-sS", "--max-time", "60", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _header(done: "subprocess.CompletedProcess[str]", name: str) -> str:
    lines = (line.partition(":") for line in done.stdout.splitlines())
    found = [value.strip() for key, _, value in lines if key.lower() == name]
    assert found, done
    return found[0]


SENDERS: list[Sender] = [
    tus_js,
    tus_js_stream,
    tus_js_parallel,
    uppy,
    tuspy,
    tuspy_anew,
    aiotus_retrying,
    curl_again,
    curl_by_tus,
]
