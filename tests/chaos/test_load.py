"""The clients of a chaos run notice a 503 that comes late, or does not say when to come again."""

import httpx
import pytest

from tests.chaos.load import TOLD_SECONDS, Load

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
