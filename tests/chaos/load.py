"""Clients that send small pictures through every door while everything breaks, and look on."""

import random
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import httpx

from app.api.owners import COOKIE
from tests import plain
from tests.chaos import cargo
from tests.chaos.ledger import Sent, look
from tests.system.house import VISITOR
from tests.system.uploader import Uploader

DOORS = ("put", "post", "form", "tus")
# What a client may be told while things break: to come again.
COME_AGAIN = frozenset({409, 423, 503, 507})
ANSWER_SECONDS = 10.0
TOLD_SECONDS = 8.0  # two, and what a machine adds that starts a process every second
PATIENCE_SECONDS = 150.0


def cargo_list(count: int, *, seed: int) -> list[Sent]:
    """Decide who sends what, and how."""
    chance = random.Random(seed)
    return [
        Sent(
            number,
            door=(door := DOORS[number % len(DOORS)]),
            target=chance.choice(["nap", "nap", *cargo.FORMATS]),
            insists=door == "tus" or chance.random() < 0.6,
            deletes=chance.random() < 0.08,
        )
        for number in range(count)
    ]


class Died(AssertionError):
    """Threads of a load ended in exceptions, and what they had to do was not done."""


class Load:
    """Threads that send, at most one file in `pace` seconds of `clock`, and threads that look.

    `no_seats` says when the database has no seat: who asks then is told to come again, and in
    time. `told_of_no_seat` has the seconds that each of these answers took.
    """

    def __init__(
        self,
        sent: Sequence[Sent],
        ports: Sequence[int],
        *,
        seed: int,
        pace: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        senders: int = 1,
        lookers: int = 0,
        no_seats: threading.Event | None = None,
    ) -> None:
        self.sent = sent
        self.told_of_no_seat: list[float] = []
        self._no_seats = no_seats or threading.Event()
        self._ports = ports
        self._pace = pace
        self._clock = clock
        self._seed = seed
        self._next = 0
        self._turn = threading.Lock()
        self._done = threading.Event()
        self._deaths: list[str] = []
        self._senders = [self._thread(self._send_all) for _ in range(senders)]
        self._lookers = [self._thread(partial(self._look_on, n)) for n in range(lookers)]

    def start(self) -> None:
        self._began = self._clock()
        for thread in [*self._senders, *self._lookers]:
            thread.start()

    @property
    def begun(self) -> int:
        """How many have been sent, or are being sent."""
        return self._next

    def hurry(self) -> None:
        """Send what is left without a pause."""
        self._pace = 0.0

    def join(self) -> None:
        """Wait until everything was sent; the lookers go on. Raise Died if a sender has."""
        self._end(self._senders)

    def stop(self) -> None:
        """Look no more. Raise Died if a thread has died that nobody was told of."""
        self._done.set()
        self._end(self._lookers)

    def client(self, port: int) -> httpx.Client:
        return plain.Client(
            base_url=f"http://127.0.0.1:{port}",
            timeout=ANSWER_SECONDS,
            cookies={COOKIE: VISITOR},
        )

    def _thread(self, work: Callable[[], None]) -> threading.Thread:
        def told() -> None:
            try:
                work()
            except Exception:  # noqa: BLE001 - whoever joins is told
                self._deaths.append(traceback.format_exc())

        return threading.Thread(target=told, daemon=True)

    def _end(self, threads: Sequence[threading.Thread]) -> None:
        for thread in threads:
            thread.join()
        died, self._deaths = self._deaths, []
        if died:
            raise Died("\n".join(died))

    def _send_all(self) -> None:
        while (sent := self._take()) is not None:
            while (early := sent.number * self._pace - (self._clock() - self._began)) > 0:
                time.sleep(min(early, 0.2))
            chance = random.Random(self._seed * 1_000_003 + sent.number)
            if sent.door == "tus":
                self._send_in_parts(sent, chance)
            else:
                self._send_whole(sent, chance)
            if sent.deletes and sent.path is not None:
                self._delete(sent, chance)

    def _take(self) -> Sent | None:
        with self._turn:
            if self._next == len(self.sent) or self._done.is_set():
                return None
            self._next += 1
            return self.sent[self._next - 1]

    def _send_whole(self, sent: Sent, chance: random.Random) -> None:
        ends = time.monotonic() + PATIENCE_SECONDS
        while True:
            sent.tries += 1
            answer = self._ask(sent, chance, **_request(sent))
            if answer is not None and answer.status_code == 202:
                sent.paths.add(answer.headers["location"])
                return
            if not sent.insists or sent.strange:
                return
            if time.monotonic() > ends:
                sent.given_up = True
                return
            time.sleep(0.1)

    def _send_in_parts(self, sent: Sent, chance: random.Random) -> None:
        content = cargo.picture(sent.number)
        port = chance.choice(self._ports)
        uploader = Uploader(
            f"http://127.0.0.1:{port}",
            content,
            chunk=chance.choice([2**62, len(content) // 2]),
            timeout=ANSWER_SECONDS,
            patience=PATIENCE_SECONDS,
            query={"name": sent.name, **_wishes(sent)},
        )
        try:
            sent.paths.add(uploader.create())
            uploader.finish()
        except AssertionError as error:
            sent.strange.append(str(error))

    def _delete(self, sent: Sent, chance: random.Random) -> None:
        sent.delete_asked = True
        ends = time.monotonic() + PATIENCE_SECONDS
        while not sent.delete_done and time.monotonic() < ends and not sent.strange:
            answer = self._ask(sent, chance, method="DELETE", url=str(sent.path))
            sent.delete_done = answer is not None and answer.status_code in {204, 410}
            time.sleep(0.05)
        sent.given_up |= not sent.delete_done

    def _ask(self, sent: Sent, chance: random.Random, **request: Any) -> httpx.Response | None:
        without_seat, asked = self._no_seats.is_set(), time.monotonic()
        try:
            with self.client(chance.choice(self._ports)) as client:
                answer = client.request(**request)
        except httpx.TransportError:
            return None
        if answer.status_code == 503:
            seconds = time.monotonic() - asked if without_seat else None
            sent.strange += self._untold(answer, seconds)
        expected = COME_AGAIN | ({410} if sent.delete_asked else set())
        if answer.status_code >= 400 and answer.status_code not in expected:
            sent.strange.append(f"{answer.status_code}: {answer.text[:300]}")
        return answer

    def _untold(self, answer: httpx.Response, seconds: float | None) -> Iterator[str]:
        """Yield what is wrong with a 503; `seconds` is how long it took if there was no seat.

        Who had a seat when the file began to come is told only when its row could not be written.
        """
        if not answer.headers.get("retry-after", "").isdigit():
            yield f"503 without Retry-After: {answer.text[:300]}"
        if seconds is None or answer.json()["code"] == "not_recorded":
            return
        self.told_of_no_seat.append(seconds)
        if seconds > TOLD_SECONDS:
            yield f"503 after {seconds:.1f} s: {answer.text[:300]}"

    def _look_on(self, place: int) -> None:
        chance, places = random.Random(self._seed + place), len(self._lookers)
        while not self._done.wait(0.02):
            known = [
                one
                for one in self.sent[max(0, self._next - 40) : self._next]
                if one.paths and not one.delete_asked and one.number % places == place
            ]
            if known:
                self._look_at(chance.choice(known), chance)

    def _look_at(self, sent: Sent, chance: random.Random) -> None:
        answer = self._ask(sent, chance, method="GET", url=str(sent.path))
        if answer is not None and answer.status_code == 200:
            sent.looks.append(look(answer.json()))


def _request(sent: Sent) -> dict[str, Any]:
    content, wishes = cargo.picture(sent.number), _wishes(sent)
    key = {"Idempotency-Key": f"{cargo.digest(sent.number)}"} if sent.insists else {}
    where = {"method": "POST", "url": "/uploads", "headers": key}
    match sent.door:
        case "put":
            where |= {"method": "PUT", "url": f"/uploads/{sent.name}"}
            return {**where, "params": wishes, "content": content}
        case "post":
            return {**where, "params": {"name": sent.name, **wishes}, "content": content}
        case _:
            return {**where, "files": {"file": (sent.name, content)}, "data": wishes}


def _wishes(sent: Sent) -> dict[str, str]:
    if sent.target != "nap":
        return {"to": sent.target}
    return {"to": "nap", "seconds": str(sent.number % 5 * 0.25)}
