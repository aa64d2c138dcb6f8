"""At the start one warning says that there are too few seats; the start goes on."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from structlog.testing import capture_logs

from app import db
from app.api.opening import warn_of_seats
from app.diagnosis import budget
from tests import make
from tests.app.diagnosis.roles import Role
from tests.polling import poll
from tests.postgres import Server, free_port
from tests.system.house import FEW, House, Process, house_on

TIMES = "\N{MULTIPLICATION SIGN}"
LIVE = 60.0


def warned(sessions: db.Sessions, **beginning: int) -> list[str]:
    with capture_logs() as logs, sessions.begin() as session:
        budget.warn(session, live_seconds=LIVE, **beginning)
    assert all((log["event"], log["log_level"]) == ("seats.too_few", "warning") for log in logs)
    return [log["reason"] for log in logs]


def of(url: str) -> db.Sessions:
    return db.sessions_of(db.single_engine(url, name="test"))


def test_the_sum_is_said_with_what_there_is(
    sessions: db.Sessions, database_url: str, role: Role
) -> None:
    with sessions.begin() as session:
        for number in range(3):
            make.make_worker(session, f"w-{number}")
        make.make_worker(session, "w-lost", lost_at=text("now()"))
        make.make_worker(session, "w-silent", heartbeat=text("now() - interval '2 min'"))
    url = role(limit=20)
    with ExitStack() as connected:
        for name in ("rowmill api here-1", "rowmill api there-1"):
            connected.enter_context(db.single_engine(database_url, name=name).connect())
        [reason] = warned(of(url))
        [more] = warned(of(url), apis=2, workers=1)
    assert reason == (
        f"2 API processes {TIMES} 15 + 3 workers {TIMES} 1 = 33 seats, the role may take 20"
    )
    assert more.startswith(f"4 API processes {TIMES} 15 + 4 workers {TIMES} 1 = 64 seats")


@pytest.mark.parametrize(("limit", "said"), [(16, 0), (15, 1)])
def test_what_fits_is_not_spoken_of(role: Role, limit: int, said: int) -> None:
    sessions = db.sessions_of(db.single_engine(role(limit=limit), name="rowmill worker here"))
    assert len(warned(sessions, workers=1)) == said


def test_what_goes_wrong_with_the_look_is_let_be_and_the_transaction_goes_on(
    sessions: db.Sessions,
) -> None:
    with sessions.begin() as session:
        session.execute(text("ALTER TABLE workers RENAME TO elsewhere"))
        warn_of_seats(session, live_seconds=LIVE)
        assert session.scalar(text("SELECT 1")) == 1


def test_a_connection_that_breaks_meanwhile_is_known_for_what_it_is(
    sessions: db.Sessions, postgres: Server
) -> None:
    """Let be as well, it would end at the commit, as an error that nobody expects."""

    def begin() -> None:
        with sessions.begin() as session:
            pid = session.scalar(text("SELECT pg_backend_pid()"))
            with postgres.connect() as other, other.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            warn_of_seats(session, live_seconds=LIVE)

    with pytest.raises(SQLAlchemyError) as ended:
        begin()
    assert db.is_away(ended.value)


@pytest.fixture
def house(postgres: Server, tmp_path: Path) -> Iterator[House]:
    with house_on(postgres, tmp_path, **FEW) as house:
        yield house


@pytest.fixture
def short(house: House) -> Iterator[str]:
    """The house's database for a role of ten seats."""
    owner = db.single_engine(house.url, name="test")
    with owner.begin() as connection:
        connection.execute(text("CREATE ROLE short LOGIN CONNECTION LIMIT 10"))
        connection.execute(text("GRANT ALL ON ALL TABLES IN SCHEMA public TO short"))
        connection.execute(text("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO short"))
    yield house.url.replace("//rowmill@", "//short@")
    house.end()
    with owner.begin() as connection:
        connection.execute(text("DROP OWNED BY short"))
        connection.execute(text("DROP ROLE short"))


def reason_of(process: Process) -> str:
    [line] = process.lines("seats.too_few")
    return str(json.loads(line)["reason"])


@pytest.mark.system
def test_api_and_worker_say_it_once_and_start(house: House, short: str) -> None:
    api = house.api(DATABASE_URL=short)
    poll(lambda: api.lines("seats.too_few"), why=api.log.read_text)
    worker = house.worker(DATABASE_URL=short)
    assert reason_of(api) == (
        f"1 API process {TIMES} 15 + 0 workers {TIMES} 1 = 15 seats, the role may take 10"
    )
    assert reason_of(worker) == (
        f"1 API process {TIMES} 15 + 1 worker {TIMES} 1 = 16 seats, the role may take 10"
    )


@pytest.mark.system
def test_of_several_api_processes_their_parent_says_it_for_all(house: House, short: str) -> None:
    house.api_port = free_port()
    api = house.start_api(house.api_port, "--workers", "2", DATABASE_URL=short)
    poll(lambda: len(api.lines("api.open")) == 2, why=api.log.read_text)
    assert reason_of(api) == (
        f"2 API processes {TIMES} 15 + 0 workers {TIMES} 1 = 30 seats, the role may take 10"
    )
