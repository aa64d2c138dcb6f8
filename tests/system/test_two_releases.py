"""Two releases side by side, as in every upgrade: nothing is lost, done twice or spoiled."""

import io
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx
import pytest
from PIL import Image

from app.api.owners import COOKIE
from tests import plain
from tests.chaos import cargo
from tests.polling import poll
from tests.postgres import VERSIONS, Server, free_port, migrated
from tests.system.checker import faults, files
from tests.system.house import FEW, House, Process, house_on
from tests.system.releases import Release, newer_release
from tests.system.test_adoption import nothing_is_recorded, outcome_of, recorded, result_beside

pytestmark = pytest.mark.system

TWO = {"ROWMILL_SLOTS": "2"}
OF_NEWER = {"ROWMILL_KINDS": "image,misbehave,siesta"}
PAGE = {"accept": "text/html"}
EACH = 5


@dataclass
class Two:
    """A house whose schema is the newer release's, and an API of each release."""

    house: House
    release: Release
    old: httpx.Client
    new: httpx.Client

    def old_worker(self) -> Process:
        return self.house.worker(**TWO)

    def new_worker(self) -> Process:
        return self.house.worker(**TWO, **OF_NEWER, **self.release.settings)

    def ended(self, path: str, status: str) -> dict[str, Any]:
        """Wait until the newer API says so, see that the old one agrees; return the job."""
        poll(lambda: told(self.new, path) == status, why=self.house.logs)
        assert told(self.old, path) == status
        (job,) = self.old.get(path).json()["jobs"]
        return dict(job)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Both APIs, for all tests here; the old one was there before the schema was brought up."""
    server = migrated(Server(VERSIONS["18"]))
    folder = tmp_path_factory.mktemp("house")
    try:
        with newer_release() as release, house_on(server, folder, **FEW) as house:
            house.api()
            migrate(house, release)
            port = free_port()
            house.start_api(port, **OF_NEWER, **release.settings)
            base = f"http://127.0.0.1:{port}"
            new = plain.Client(base_url=base, timeout=30, cookies={COOKIE: house.visitor})
            with house.client() as old, new:
                poll(lambda: answers(new), why=house.logs)
                yield Two(house, release, old, new)
    finally:
        server.stop()


@pytest.fixture
def two(both: Two) -> Iterator[Two]:
    """The same with no worker before the test and none after it."""
    yield both
    workers = [one for one in both.house.processes if one.name == "worker"]
    for one in workers:
        one.send(signal.SIGTERM)
    for one in workers:
        one.wait()


def test_uploads_flow_through_both_while_each_is_killed(two: Two) -> None:
    house, uploads = two.house, []
    old, new = two.old_worker(), two.new_worker()
    for victim, successor in ((old, two.old_worker), (new, two.new_worker)):
        for number in range(EACH):
            uploads += [
                (sent(two.old, number, to="nap", seconds=0.1), number, "nap"),
                (sent(two.new, number, to="nap", seconds=0.1), number, "nap"),
                (sent(two.old, number, to="bmp"), number, "bmp"),
                (sent(two.new, number, to="doze"), number, "nap"),
            ]
        held = [sent(two.old, EACH, to="nap", how="held") for _ in range(4)]  # for all slots
        ids = [UUID(path.rpartition("/")[2]) for path in held]
        poll(lambda ids=ids: are_running(house, ids), why=house.logs)  # type: ignore[misc]
        # What was kept of the attempts before these would outlast a kill until a sweep, a day.
        poll(lambda: not files.kept(house), why=house.logs)
        victim.kill()
        house.let_go(*ids)
        uploads += [(path, EACH, "nap") for path in held]
        successor()
    for path, number, made in uploads:
        job = two.ended(path, "ready")
        assert (job["attempt"], job["error"]) == (1, None)
        result = two.old.get(f"{path}/result").content
        assert cargo.is_made_from(number, made, result)
        assert two.new.get(f"{path}/result").content == result
    assert house.count(losses=1) >= 2
    assert faults(house) == []


def test_what_only_the_newer_one_can_do_waits_for_it(two: Two) -> None:
    """The old worker gives it back once, is told nobody's, and does all the rest."""
    worker = two.old_worker()
    waiting = [sent(two.new, 1, to="doze"), sent(two.new, 0, "bmp", to="doze")]
    worker.told("job.left_alone")
    for number in range(4):
        two.ended(sent(two.new, number, to="nap"), "ready")
    for path in waiting:
        (job,) = two.old.get(path).json()["jobs"]
        assert job["status"] == "queued"
        assert job["waiting_for"]
    assert len(worker.lines("job.left_alone")) == 1
    two.new_worker()
    for path in waiting:
        assert two.ended(path, "ready")["attempt"] == 1
    assert faults(two.house) == []


def test_an_option_that_only_the_newer_one_knows_is_refused_in_a_sentence(two: Two) -> None:
    two.old_worker()
    job = two.ended(sent(two.new, 1, to="jpg", mood="blue"), "failed")
    assert (job["attempt"], job["error"]["code"]) == (1, "bad_options")
    assert "mood" in job["error"]["detail"]


def test_the_old_one_shows_what_it_does_not_know(two: Two) -> None:
    """A code, a field of an error, a move, a format, a kind, a fact: none of its words."""
    two.new_worker()
    refused = sent(two.new, 1, to="doze", how="refuse")
    made = sent(two.new, 0, "bmp", to="doze")
    assert two.ended(refused, "failed")["error"]["code"] == "bad_dream"
    assert two.ended(made, "ready")["kind"] == "siesta"
    assert two.old.get(f"{made}/result").content.startswith(b"NAP1")
    for path in (refused, made, "/uploads", "/", "/ops"):
        page = two.old.get(path, headers=PAGE)
        assert page.status_code == 200, two.house.logs()
        assert path != refused or "bad dream" in page.text
    for path in ("/uploads", "/readyz", "/formats", "/metrics"):
        assert two.old.get(path).status_code == 200, two.house.logs()
    zipped = two.old.get("/uploads/results.zip", params={"upload": made.rpartition("/")[2]})
    assert (zipped.status_code, zipped.content[:2]) == (200, b"PK")


@pytest.mark.parametrize("first", ["old", "new"])
def test_what_one_had_finished_is_adopted_by_the_other(two: Two, first: str) -> None:
    house, start = two.house, {"old": two.old_worker, "new": two.new_worker}
    worker = start.pop(first)()
    with nothing_is_recorded(house):
        upload = house.upload(seconds=0.3, how="unique")
        made = result_beside(outcome_of(house, upload)).read_bytes()
        worker.kill()
    (other,) = start.values()
    successor = other()
    assert recorded(house, upload) == made
    assert successor.told("attempt.adopted")
    assert faults(house) == []


def test_a_page_of_the_newer_one_finds_its_files_at_the_old_one_for_once(two: Two) -> None:
    at_new = script(two.new)
    assert at_new != script(two.old)
    answer = two.old.get(at_new)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")


def migrate(house: House, release: Release) -> None:
    """Bring the schema up to the newer release, as its own command does."""
    command = [sys.executable, "-m", "app.cli", "migrate"]
    process = house._start(command, "migrate", release.settings | {"DATABASE_URL": house.url})
    assert process.wait(60) == 0, process.log.read_text()


def sent(client: httpx.Client, number: int, form: str = "png", **wishes: Any) -> str:
    """Send a picture and return its address."""
    content = cargo.picture(number) if form == "png" else _bitmap()
    answer = client.put(f"/uploads/picture.{form}", params=wishes, content=content)
    assert answer.status_code == 202, answer.text
    return str(answer.headers["location"])


def told(client: httpx.Client, path: str) -> str:
    return str(client.get(path).json()["status"])


def script(client: httpx.Client) -> str:
    """Return the address of the script of the start page."""
    page = client.get("/", headers=PAGE).text
    return next(part for part in page.split('"') if part.endswith("/start.js"))


def are_running(house: House, uploads: list[UUID]) -> bool:
    return {house.job(upload).status for upload in uploads} == {"running"}


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def _bitmap() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (9, 9)).save(stream, "BMP")
    return stream.getvalue()
