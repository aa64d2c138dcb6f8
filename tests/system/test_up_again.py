"""`rowmill up` on a folder that it ran on before finds everything, and makes nothing anew."""

import io
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest
from PIL import Image

from app.embedded import running_url
from tests import plain
from tests.polling import poll
from tests.system.house import living
from tests.system.test_up import Up, connected, up

__all__ = ["up"]

pytestmark = pytest.mark.system

TABLES = """
SELECT oid::bigint FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid
"""


def test_kill_9_loses_nothing_and_leaves_nobody_behind(up: Callable[..., Up]) -> None:
    one = up(ROWMILL_KINDS="image")
    path = send(one)
    kept, made = document_and_result(one, path), made_at_first(one)
    family = one.family()
    one.process.kill()
    one.process.wait()
    poll(lambda: not [pid for pid in family if living(pid)])

    two = up(ROWMILL_KINDS="image")
    assert document_and_result(two, path) == kept
    assert made_at_first(two) == made
    for pid in reversed(two.family()):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    two.process.wait()

    three = up(ROWMILL_KINDS="image")
    assert document_and_result(three, path) == kept


def test_a_second_start_makes_nothing_anew(up: Callable[..., Up]) -> None:
    """That is what makes it quick: the database is there, and so is all that is in it."""
    one = up()
    assert "Making a new database" in one.words()
    made = made_at_first(one)
    assert one.stop() == 0

    two = up()
    assert "Making a new database" not in two.words()
    assert made_at_first(two) == made


def send(up: Up) -> str:
    """Have a picture converted; return the path of its document."""
    picture = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(picture, "PNG")
    content = picture.getvalue()
    answer = plain.put(f"{up.address}/uploads/red.png", params={"to": "bmp"}, content=content)
    path = answer.headers["location"]
    poll(lambda: asked(up, path).json()["status"] == "ready", seconds=60, why=up.everything)
    return str(path)


def document_and_result(up: Up, path: str) -> tuple[dict[str, Any], bytes]:
    """Return what a client is told and gets, but for the end, which a sweep may put down."""
    result = asked(up, f"{path}/result")
    assert (result.status_code, result.content[:2]) == (200, b"BM")
    return asked(up, path).json() | {"expires_at": None}, result.content


def asked(up: Up, path: str) -> httpx.Response:
    return plain.get(f"{up.address}{path}", timeout=30)


def made_at_first(up: Up) -> tuple[int, str, list[int]]:
    """Return what tells of an initdb, of a migration, and of tables that were made."""
    (cluster,) = up.data.glob("postgres-*/PG_VERSION")
    with connected(str(running_url(up.data))) as connection, connection.cursor() as cursor:
        cursor.execute(TABLES)
        tables = [row[0] for row in cursor.fetchall()]
    return cluster.stat().st_ino, (up.data / "logs" / "migrate.log").read_text(), tables
