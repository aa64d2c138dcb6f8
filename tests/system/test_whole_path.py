"""A file goes in through HTTP and comes out converted, whatever dies on the way."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from PIL import Image
from sqlalchemy import func, select, text

from app.models import Job, Upload
from tests.polling import poll
from tests.system.checker import faults
from tests.system.house import House, pooled

pytestmark = pytest.mark.system

AS_IT_COMES = {
    "ROWMILL_BEAT_SECONDS": "5",
    "ROWMILL_SWEEP_SECONDS": "15",
    "ROWMILL_LEASE_SECONDS": "60",
}


@pytest.fixture(params=["direct", pytest.param("pooled", marks=pytest.mark.pgbouncer)])
def house(house: House, request: pytest.FixtureRequest) -> Iterator[House]:
    """A house whose processes reach the database directly, and one where a pooler is between."""
    if request.param == "direct":
        yield house
        return
    with pooled(house):
        yield house


def photo(folder: Path, size: tuple[int, int] = (640, 480)) -> Path:
    """Make a photo that is red on its left and blue on its right."""
    image = Image.new("RGB", size, "red")
    image.paste("blue", (size[0] // 2, 0, *size))
    image.save(folder / "photo.png")
    return folder / "photo.png"


def nearest(pixel: Any) -> str:
    """Say which colour a pixel is, a lossy format's small error aside."""
    return {0: "red", 1: "green", 2: "blue"}[max(range(3), key=lambda channel: pixel[channel])]


def ready(client: httpx.Client, url: str) -> dict[str, Any]:
    """Poll as a client would until the upload is ready; return the document."""
    documents: list[dict[str, Any]] = []

    def look() -> bool:
        answer = client.get(url)
        documents.append(answer.json())
        return documents[-1]["status"] not in ("converting", "receiving")

    poll(look)
    return documents[-1]


def test_a_photo_comes_back_as_a_webp(house: House, tmp_path: Path) -> None:
    house.api()
    house.worker()
    with house.client() as client, photo(tmp_path).open("rb") as file:
        answer = client.post(
            "/uploads", files={"file": ("Ferien 🏖.png", file)}, data={"to": "webp", "width": "320"}
        )
        assert answer.status_code == 202
        document = ready(client, answer.headers["location"])
        assert document["status"] == "ready", document
        result = client.get(document["links"]["result"])
    made = tmp_path / "made.webp"
    made.write_bytes(result.content)
    with Image.open(made) as image:
        assert (image.format, image.size) == ("WEBP", (320, 240))
        colours = [nearest(image.convert("RGB").getpixel((x, 120))) for x in (20, 300)]
    assert colours == ["red", "blue"]
    assert "Ferien" in result.headers["content-disposition"]
    assert faults(house) == []


def test_the_whole_job_in_one_line(house: House, tmp_path: Path) -> None:
    house.api()
    house.worker()
    with house.client() as client:
        answer = client.put(
            "/uploads/photo.png",
            params={"to": "jpg", "wait": "60"},
            content=photo(tmp_path).read_bytes(),
            follow_redirects=True,
        )
    assert answer.status_code == 200
    assert answer.content.startswith(b"\xff\xd8")


def test_an_api_killed_in_the_middle_of_an_upload_leaves_no_row_and_no_file(house: House) -> None:
    api = house.api()
    with socket.create_connection(("127.0.0.1", house.api_port)) as client:
        head = (
            "PUT /uploads/film.png?to=jpg HTTP/1.1\r\nHost: x\r\nContent-Length: 90000000\r\n\r\n"
        )
        client.sendall(head.encode() + b"\x89PNG\r\n\x1a\n" + b"\0" * 4_000_000)
        incoming = house.data / "incoming"
        poll(lambda: any(file.stat().st_size > 1_000_000 for file in incoming.iterdir()))
        api.kill()
    with house.sessions() as session:
        assert session.scalar(select(func.count()).select_from(Upload)) == 0
    house.worker(ROWMILL_ORPHAN_SECONDS="2")
    poll(lambda: list(incoming.iterdir()) == [], why=house.logs)
    assert faults(house) == []


def test_uploads_answered_before_the_api_was_killed_are_all_there(
    house: House, tmp_path: Path
) -> None:
    """Clients send while the API is killed; what was answered 202 is converted in the end."""
    api = house.api()
    content = photo(tmp_path, (64, 64)).read_bytes()
    answered: list[UUID] = []

    def send() -> None:
        with house.client() as client:
            try:
                while True:
                    answer = client.put("/uploads/photo.png", params={"to": "bmp"}, content=content)
                    answered.append(UUID(answer.json()["id"]))
            except httpx.TransportError:
                return

    senders = [threading.Thread(target=send) for _ in range(3)]
    for sender in senders:
        sender.start()
    poll(lambda: len(answered) >= 12, why=house.logs)
    api.kill()
    for sender in senders:
        sender.join(60)
    house.worker(ROWMILL_SLOTS="2", ROWMILL_ORPHAN_SECONDS="2")
    for upload in answered:
        house.until("succeeded", upload)
    poll(lambda: house.count(status="succeeded") == house.count(), why=house.logs)
    poll(lambda: faults(house) == [], why=lambda: faults(house))


def test_the_row_and_its_job_appear_at_the_same_instant(house: House, tmp_path: Path) -> None:
    """Another session looks all the while; it never sees the one without the other."""
    house.api()
    content = photo(tmp_path, (64, 64)).read_bytes()
    seen: set[tuple[int, int]] = set()
    stop = threading.Event()

    def watch() -> None:
        both = text("SELECT (SELECT count(*) FROM uploads), (SELECT count(*) FROM jobs)")
        while not stop.is_set():
            with house.sessions() as session:
                row = session.execute(both).one()
                seen.add((row[0], row[1]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    with house.client() as client:
        for _ in range(20):
            answer = client.put("/uploads/photo.png", params={"to": "bmp"}, content=content)
            assert answer.status_code == 202
    stop.set()
    watcher.join()
    assert all(uploads == jobs for uploads, jobs in seen)
    assert len(seen) > 3, "the watcher saw too little to prove anything"


def test_expired_files_go_and_leave_a_tombstone(house: House, tmp_path: Path) -> None:
    house.api(ROWMILL_KEEP_SECONDS="1")
    house.worker(ROWMILL_KEEP_SECONDS="1")
    with house.client() as client:
        content = photo(tmp_path, (64, 64)).read_bytes()
        url = client.put("/uploads/secret.png?to=bmp", content=content).headers["location"]
        poll(lambda: client.get(url).status_code == 410, why=house.logs)
        assert client.get(f"{url}/result").status_code == 410
    upload_files = [*(house.data / "objects").rglob("*-*"), *(house.data / "results").rglob("*-*")]
    poll(lambda: not any(file.exists() for file in upload_files), why=house.logs)
    with house.sessions() as session:
        upload = session.scalars(select(Upload)).one()
        assert (upload.name, upload.sha256) == ("", None)
        assert session.scalars(select(Job.status)).one() == "succeeded"


def test_a_deleted_uploads_conversion_is_killed_and_everything_goes(house: House) -> None:
    house.api()
    worker = house.worker()
    upload = house.upload(seconds=600)
    house.until("running", upload)
    with house.client() as client:
        assert client.delete(f"/uploads/{upload}").status_code == 204
        assert client.get(f"/uploads/{upload}/result").status_code == 410
    worker.told("job.lost")
    poll(lambda: faults(house) == [], why=lambda: faults(house))
    assert not house.storage.exists(f"objects/{upload.hex[:2]}/{upload}")


def test_a_folder_of_another_house_stops_the_start_with_the_reason(house: House) -> None:
    (house.data / "house").write_text("11111111-2222-3333-4444-555555555555\n")
    process = house.start_worker()
    assert process.wait() == 2
    assert "belongs to house 11111111" in process.log.read_text()


def test_people_see_how_far_a_conversion_is(house: House) -> None:
    """A row gets progress once a second while a seat is open, and it never goes back.

    It has to be the note that tells: of the beats that an operator gets, one comes in the meantime.
    """
    house.api()
    house.worker(ROWMILL_SLOTS="2", **AS_IT_COMES)
    upload = house.upload(seconds=4, progress_steps=40)
    seen: list[float] = []
    with house.client() as client:
        while (document := client.get(f"/uploads/{upload}").json())["status"] == "converting":
            seen.append(document["jobs"][0]["progress"])
            time.sleep(0.1)
    assert document["jobs"][0]["progress"] == 1
    assert seen == sorted(seen)
    assert len(set(seen)) >= 3
    assert max(seen) < 1
