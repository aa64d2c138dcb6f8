"""The short form of a chaos run: each fault once or more, in three runs with seeds of their own."""

import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

import pytest

from tests.chaos.plan import KILLS, KILLS_OF_OURS, STOPS, TROUBLES, long_plan, short_plan
from tests.chaos.run import run
from tests.chaos.strikes import signals
from tests.chaos.troubles import fills_all_of_it

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

PROCESSES = (*KILLS_OF_OURS, "stop_worker", "stop_api", "freeze_worker")
DATABASE = (
    "kill_postgres",
    "crash_postgres",
    "end_sessions",
    "take_seats",
    "read_only",
    "kill_api",
)
NETWORK_AND_DISK = ("silence", "half_open", "slow", "fill_disk", "fill_disk", "kill_worker")


# Seeds that deal both kinds of a full disk, and SIGTERM twice to an API and to a worker.
SHORT = [(20, PROCESSES), (5, DATABASE), (42, NETWORK_AND_DISK)]


@pytest.mark.parametrize(("seed", "faults"), SHORT)
def test_whatever_breaks_nothing_is_lost_doubled_invented_or_contradicted(
    seed: int, faults: tuple[str, ...], tmp_path: Path
) -> None:
    plan = short_plan(seed, faults, uploads=60)
    report = run(plan, tmp_path)
    sys.stdout.write(f"{report.summary}\n")
    assert report.faults == {}, report.summary
    assert report.met >= Counter(faults), report.summary
    assert report.killed.total() >= plan.kills
    if "take_seats" in faults:
        assert median(report.told_of_no_seat) <= 2, report.summary
    assert report.answered > plan.uploads / 2, report.summary
    assert report.looks > 0


def test_the_short_runs_leave_no_fault_out() -> None:
    assert {*PROCESSES, *DATABASE, *NETWORK_AND_DISK} == {*KILLS, *STOPS, *TROUBLES}


def test_the_short_runs_leave_no_kind_of_a_fault_out() -> None:
    victims = defaultdict(list)
    for seed, faults in SHORT:
        for blow in short_plan(seed, faults, uploads=60).blows:
            victims[blow.fault].append(blow.victim)
    assert {*map(fills_all_of_it, victims["fill_disk"])} == {True, False}
    assert [*map(signals, victims["stop_api"] + victims["stop_worker"])] == [2, 2]


def test_a_seed_can_be_played_again() -> None:
    plans = [long_plan(seed, kills=40, uploads=100) for seed in (7, 7, 8)]
    assert plans[0] == plans[1]
    assert plans[0].blows != plans[2].blows
    assert plans[0].kills >= 40
