"""Real desks on a real database, whose slots do what a test says instead of converting."""

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from psycopg2 import extensions

from app.queue import Claimed
from app.settings import Settings
from app.storage import DiskStorage
from tests.polling import poll
from worker.attempt import Control
from worker.desk import Desk
from worker.home import Home
from worker.janitor import Janitor
from worker.nursery import Nursery
from worker.offers import Offers
from worker.outcome import Converted
from worker.report import HandIn, Report
from worker.rounds import Rounds
from worker.seat import Seat
from worker.slots import Slots
from worker.spawner.client import Spawner
from worker.wake import Wake

Work = Callable[[Claimed, Control, HandIn], None]


class Spawned(Spawner):
    """A spawner of which a test says whether it lives; it makes no cells."""

    def __init__(self, *, lives: bool = True) -> None:
        super().__init__(converters=[])
        self.lives = lives
        self.starts = 0

    def alive(self) -> bool:
        return self.lives

    def start(self) -> None:
        self.starts += 1


@dataclass
class Running:
    """A desk with what a test wants to look at."""

    desk: Desk
    seat: Seat
    slots: Slots
    spawner: Spawned
    turns: int = 0

    def run_for(self, seconds: float) -> None:
        """Run the desk in this thread, and drain it after some seconds."""
        timer = threading.Timer(seconds, self.desk.drain)
        timer.start()
        self.desk.run()
        timer.cancel()

    def run_until(self, done: threading.Event, *, seconds: float = 60) -> None:
        """Run the desk in this thread until something has happened, or for so long at most."""

        def wait() -> None:
            done.wait(seconds)
            self.desk.drain()

        threading.Thread(target=wait, daemon=True).start()
        self.desk.run()

    def run_while(self, condition: Callable[[], object]) -> None:
        """Run the desk in this thread as long as something holds."""
        over = threading.Event()

        def watch() -> None:
            with suppress(AssertionError):
                poll(lambda: not condition())
            over.set()

        threading.Thread(target=watch, daemon=True).start()
        self.run_until(over, seconds=90)


def succeed(job: Claimed, _: Control, hand_in: HandIn) -> None:
    """Hand in a result at once."""
    hand_in(Report(job, Converted(), {"storage_key": "results/none", "facts": {}}))


@contextmanager
def desk_of(
    url: str,
    folder: Path,
    *,
    work: Work = succeed,
    rooms: dict[str, int] | None = None,
    pairs: Mapping[str, Mapping[str, list[str]]] | None = None,
    spawner: Spawned | None = None,
    settings: Settings | None = None,
    renewed: Callable[[], Offers | None] = lambda: None,
    move_in: Callable[[str], Path] | None = None,
) -> Iterator[Running]:
    """Yield a desk that has not begun; its seat is closed at the end."""
    settings = settings or Settings(slots=2)
    move_in = move_in or (lambda _: folder / "mine")
    wake, spawner = Wake(), spawner or Spawned()
    seat = Seat(url, name="rowmill worker test")
    slots = Slots(settings.slots, work=work, wake=wake)
    storage, house = DiskStorage(folder), uuid.uuid4()
    storage.claim_house(house, may_create=True)
    janitor = Janitor(storage, house=house, scratch=folder, lease_seconds=60, wake=wake)
    desk = Desk(
        settings,
        seat=seat,
        slots=slots,
        rounds=Rounds(settings, janitor),
        offers=Offers(rooms=rooms or {"misbehave": settings.slots}, pairs=pairs or {}),
        nursery=Nursery(spawner),
        wake=wake,
        home=Home(move_in, beat_seconds=settings.beat_seconds),
        renewed=renewed,
    )
    running = Running(desk, seat, slots, spawner)
    turn = desk.turn

    def counted() -> None:
        running.turns += 1
        turn()

    desk.turn = counted  # type: ignore[method-assign]
    try:
        yield running
    finally:
        seat.drop()
        extensions.set_wait_callback(None)
