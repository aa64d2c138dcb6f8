"""Takes one layer out of the cells of the spawner that loads it: `rowmill_weak:` and its name.

So a test sees what each layer is there for; the service itself has no switch for it.
"""

import errno
import os
from collections.abc import Callable
from typing import Any

import rowmill_probe  # type: ignore[import-not-found] # it lies beside this file

from worker.cell import birth, confine, landlock, limits, pads, seccomp, selftest

_live_in = birth._live_in


def __getattr__(name: str) -> Any:
    if name not in _WEAKENED:
        raise AttributeError(name)
    _WEAKENED[name]()
    return rowmill_probe.convert


def _landlock_forgotten() -> None:
    landlock.restrict = lambda grants: None


def _filter_forgotten() -> None:
    seccomp.apply = lambda leave: None


def _filter_forgotten_offline() -> None:
    """Forget it where something else, such as AppArmor, keeps this process from the network."""
    _filter_forgotten()
    selftest._must_have_no_network = lambda: None


def _without_landlock() -> None:
    _landlock_forgotten()
    selftest.check = lambda outside: None


def _without_filter() -> None:
    _filter_forgotten()
    selftest.check = lambda outside: None


def _without_both() -> None:
    _without_landlock()
    _without_filter()


def _without_limits() -> None:
    limits._limit = lambda name, value, *, grace=0: None


def _with_an_environment() -> None:
    def live_in(scratch: Any) -> None:
        _live_in(scratch)
        os.environ["ROWMILL_TEST_SECRET"] = "postgresql://secret"

    birth._live_in = live_in


def _cramped() -> None:
    def make(count: int, *, confine: Any) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    pads.make = make


def _without_memory() -> None:
    def check(outside: Any) -> None:
        raise MemoryError

    selftest.check = check


def _on_abi(version: int) -> Callable[[], None]:
    return lambda: setattr(landlock, "HIGHEST_ABI", version)


_WEAKENED: dict[str, Callable[[], None]] = {
    "whole": lambda: None,
    "without_landlock": _without_landlock,
    "without_filter": _without_filter,
    "without_both": _without_both,
    "without_limits": _without_limits,
    "with_an_environment": _with_an_environment,
    "landlock_forgotten": _landlock_forgotten,
    "filter_forgotten": _filter_forgotten,
    "filter_forgotten_offline": _filter_forgotten_offline,
    "privileges_forgotten": lambda: setattr(confine, "prctl", lambda option, value: 0),
    "cramped": _cramped,
    "without_memory": _without_memory,
    "on_abi_0": _on_abi(0),
    "on_abi_1": _on_abi(1),
    "on_abi_3": _on_abi(3),
    "on_abi_5": _on_abi(5),
}
