"""The clients of a chaos run notice a 503 that comes late, and none of them ends unheard of."""

import httpx
import pytest

from tests.chaos.ledger import Sent
from tests.chaos.load import DOORS, TOLD_SECONDS, Died, Load
from tests.chaos.run import ended
from tests.polling import poll

AGAIN = {"Retry-After": "2"}


def untold(seconds: float | None, code: str = "no_database", **headers: str) -> list[str]:
    answer = httpx.Response(503, headers=headers, json={"code": code})
    return list(Load([], [], seed=1)._untold(answer, seconds))


def test_who_is_told_in_time_when_to_come_again_has_nothing_to_complain_of() -> None:
    assert untold(2.0, **AGAIN) == []
    assert untold(None, **AGAIN) == []


def test_a_503_without_retry_after_is_strange() -> None:
    assert "without Retry-After" in untold(None)[0]


def test_without_a_seat_a_503_has_to_come_in_time() -> None:
    late = TOLD_SECONDS + 0.1
    assert f"503 after {late:.1f} s" in untold(late, **AGAIN)[0]


@pytest.mark.parametrize("seconds", [None, 30.0])
def test_a_row_that_could_not_be_written_may_take_its_time(seconds: float | None) -> None:
    assert untold(seconds, "not_recorded", **AGAIN) == []


def load_of(one: Sent, *, lookers: int = 0) -> Load:
    """Return a load that dies where it has to choose a port: there is none."""
    return Load([one], [], seed=1, lookers=lookers)


@pytest.mark.parametrize("door", DOORS)
def test_a_sender_that_dies_is_told_of(door: str) -> None:
    load = load_of(Sent(0, door, "nap", insists=True))
    load.start()
    with pytest.raises(Died, match=r"(?s)in _send_all.*IndexError"):
        load.join()
    load.stop()


def test_a_run_goes_on_to_its_verdict_and_tells_of_clients_that_died() -> None:
    load = load_of(Sent(0, "put", "nap", insists=True, paths={"/uploads/0"}), lookers=1)
    load.start()
    poll(lambda: not load._lookers[0].is_alive())
    told = "\n".join(ended(load))
    assert "in _send_all" in told
    assert "in _look_on" in told


def test_a_run_whose_clients_all_come_to_their_end_has_nothing_to_tell() -> None:
    load = Load([], [], seed=1, lookers=1)
    load.start()
    assert ended(load) == []
