"""Every setting, read once from the environment into one frozen object."""

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PREFIX = "ROWMILL_"
GIB = 1024**3
_ORIGIN = re.compile(r"https?://[a-z0-9.\-\[\]:]+", re.ASCII)


class BadSetting(Exception):
    """A variable has a value that Rowmill cannot or must not run with; the text names it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What an operator chose. Times are seconds, sizes are bytes.

    `kinds` limits what a worker claims: None is everything it can do; otherwise each kind
    with the most slots that may work on it at once (None: all of them).
    """

    database_url: str | None = None
    data: Path = Path("data")
    host: str = "127.0.0.1"
    port: int = 8000
    slots: int = 1
    kinds: Mapping[str, int | None] | None = None
    beat_seconds: float = 5.0
    lease_seconds: float = 60.0
    sweep_seconds: float = 15.0
    grace_seconds: float = 30.0
    max_attempts: int = 3
    backoff_seconds: float = 10.0
    scratch: Path = field(default=Path("data/scratch"))
    max_upload_bytes: int = 10 * GIB
    time_limit_seconds: float = 3600.0
    stall_seconds: float = 300.0
    memory_limit_bytes: int = 2 * GIB
    max_pixels: int = 100_000_000
    max_pages: int = 2_000
    max_rows: int = 50_000_000
    max_media_seconds: int = 86_400
    max_inflated_bytes: int = 2 * GIB
    max_zip_entries: int = 10_000
    max_zip_ratio: int = 200
    keep_seconds: float = 7 * 86400.0
    orphan_seconds: float = 86400.0
    body_timeout_seconds: float = 60.0
    upload_expires_seconds: float = 86400.0
    cors_origins: tuple[str, ...] = ()
    log_level: str = "info"
    sandbox: str = "cell"

    @property
    def isolated_outside(self) -> bool:
        """Whether the operator says that something else keeps conversions from others' files."""
        return self.sandbox == "external"

    @property
    def misses(self) -> int:
        """How many sweeps in a row a worker may miss before its jobs are given to others."""
        return max(2, math.ceil(self.lease_seconds / self.sweep_seconds))


def from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; raise BadSetting for the first one that is unknown or unsafe."""
    environ = os.environ if environ is None else environ
    _refuse_unknown(environ)
    given = {name: read(environ[name], name) for name, read in _READERS.items() if name in environ}
    values: dict[str, Any] = {_attribute(name): value for name, value in given.items()}
    values.setdefault("slots", usable_cpus())
    data = values.setdefault("data", Path("data").absolute())
    values.setdefault("scratch", data / "scratch")
    settings = Settings(**values)
    _refuse_unsafe(settings)
    return settings


def usable_cpus() -> int:
    """Return the CPUs that this container may use: by its cgroup quota and its affinity."""
    return max(1, min(len(os.sched_getaffinity(0)), _quota(Path("/sys/fs/cgroup")) or 10**6))


def _quota(cgroup: Path) -> int | None:
    v2 = cgroup / "cpu.max"
    v1 = cgroup / "cpu"
    try:
        if v2.exists():
            quota, period = v2.read_text().split()[:2]
        else:
            quota = (v1 / "cpu.cfs_quota_us").read_text()
            period = (v1 / "cpu.cfs_period_us").read_text()
        return max(1, int(quota) // int(period)) if int(quota) > 0 else None
    except (OSError, ValueError):
        return None  # no quota is set: "max" in version 2, no file at all on a bare host


def _attribute(name: str) -> str:
    return name.removeprefix(PREFIX).lower()


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    for name in environ:
        if name.startswith(PREFIX) and name not in _READERS:
            known = ", ".join(sorted(_READERS))
            raise BadSetting(f"{name} is not a setting of Rowmill. The settings are: {known}.")


def _refuse_unsafe(settings: Settings) -> None:
    if settings.sweep_seconds * 2 > settings.lease_seconds:
        raise BadSetting(
            f"ROWMILL_SWEEP_SECONDS={settings.sweep_seconds:g} must be at most half of "
            f"ROWMILL_LEASE_SECONDS={settings.lease_seconds:g}: one missed sweep is no proof "
            "that a worker is dead."
        )
    if settings.beat_seconds * 2 > (settings.misses - 1) * settings.sweep_seconds:
        raise BadSetting(
            f"ROWMILL_BEAT_SECONDS={settings.beat_seconds:g} is too long: between two beats a "
            f"worker may miss all {settings.misses} sweeps after which it counts as dead. Make "
            "it shorter, or ROWMILL_LEASE_SECONDS longer."
        )
    if settings.data.is_relative_to(settings.scratch):
        raise BadSetting(
            f"ROWMILL_SCRATCH={settings.scratch} must not be, or contain, the data folder "
            f"{settings.data}: what lies in it is deleted."
        )


def _number(least: float, most: float = float("inf")) -> Callable[[str, str], float]:
    def read(text: str, name: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise BadSetting(f"{name}={text!r} is not a number.") from None
        if not least <= value <= most or value == float("inf"):
            limit = f"at least {least:g}" if most == float("inf") else f"{least:g} to {most:g}"
            raise BadSetting(f"{name}={text!r} is out of range: it must be {limit}.")
        return value

    return read


def _whole(least: int, most: int = 2**62) -> Callable[[str, str], int]:
    def read(text: str, name: str) -> int:
        if not text.isascii() or not text.isdigit():
            raise BadSetting(f"{name}={text!r} is not a whole number.")
        if not least <= int(text) <= most:
            raise BadSetting(f"{name}={text!r} is out of range: it must be {least} to {most}.")
        return int(text)

    return read


def _text(text: str, name: str) -> str:
    if not text.strip():
        raise BadSetting(f"{name} is empty: give it a value or leave it out.")
    return text.strip()


def _folder(text: str, name: str) -> Path:
    return Path(_text(text, name)).expanduser().absolute()


def _database_url(text: str, name: str) -> str:
    url = _text(text, name)
    scheme, _, rest = url.partition("://")
    if scheme in {"postgres", "postgresql"}:
        return f"postgresql+psycopg2://{rest}"
    if scheme != "postgresql+psycopg2":
        raise BadSetting(f"{name} must begin with postgresql:// (it begins with {scheme[:20]!r}).")
    return url


def _kinds(text: str, name: str) -> dict[str, int | None]:
    kinds: dict[str, int | None] = {}
    for part in _text(text, name).split(","):
        kind, colon, most = part.strip().partition(":")
        if not kind.isidentifier():
            raise BadSetting(f"{name}={text!r}: {part.strip()!r} is not a kind; try image,media:1.")
        kinds[kind] = _whole(1)(most, name) if colon else None
    return kinds


def _origins(text: str, name: str) -> tuple[str, ...]:
    if text.strip() == "none":
        return ()
    origins = tuple(part.strip().lower() for part in _text(text, name).split(","))
    for origin in origins:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise BadSetting(
                f"{name}={text!r}: {origin!r} is not an origin; try https://app.example, several "
                "with commas between them, * for every site, or none."
            )
    return origins


def _level(text: str, name: str) -> str:
    if text not in {"debug", "info", "warning", "error"}:
        raise BadSetting(f"{name}={text!r} must be debug, info, warning or error.")
    return text


def _sandbox(text: str, name: str) -> str:
    if text not in {"cell", "external"}:
        raise BadSetting(
            f"{name}={text!r} must be cell, or external where something outside of Rowmill keeps "
            "this worker's conversions from the files of others."
        )
    return text


_READERS: dict[str, Callable[[str, str], object]] = {
    "DATABASE_URL": _database_url,
    "ROWMILL_DATA": _folder,
    "ROWMILL_HOST": _text,
    "ROWMILL_PORT": _whole(0, 65535),
    "ROWMILL_SLOTS": _whole(1, 1000),
    "ROWMILL_KINDS": _kinds,
    "ROWMILL_BEAT_SECONDS": _number(0.05, 3600),
    "ROWMILL_LEASE_SECONDS": _number(0.2, 86400),
    "ROWMILL_SWEEP_SECONDS": _number(0.05, 3600),
    "ROWMILL_GRACE_SECONDS": _number(0, 86400),
    "ROWMILL_MAX_ATTEMPTS": _whole(1, 100),
    "ROWMILL_BACKOFF_SECONDS": _number(0, 86400),
    "ROWMILL_SCRATCH": _folder,
    "ROWMILL_MAX_UPLOAD_BYTES": _whole(1),
    "ROWMILL_TIME_LIMIT_SECONDS": _number(0.1),
    "ROWMILL_STALL_SECONDS": _number(0.1),
    "ROWMILL_MEMORY_LIMIT_BYTES": _whole(64 * 1024**2),
    "ROWMILL_MAX_PIXELS": _whole(1),
    "ROWMILL_MAX_PAGES": _whole(1),
    "ROWMILL_MAX_ROWS": _whole(1),
    "ROWMILL_MAX_MEDIA_SECONDS": _whole(1),
    "ROWMILL_MAX_INFLATED_BYTES": _whole(1024**2),
    "ROWMILL_MAX_ZIP_ENTRIES": _whole(1),
    "ROWMILL_MAX_ZIP_RATIO": _whole(2),
    "ROWMILL_KEEP_SECONDS": _number(1),
    "ROWMILL_ORPHAN_SECONDS": _number(1),
    "ROWMILL_BODY_TIMEOUT_SECONDS": _number(0.1),
    "ROWMILL_UPLOAD_EXPIRES_SECONDS": _number(1, 10 * 365 * 86400),
    "ROWMILL_CORS_ORIGINS": _origins,
    "ROWMILL_LOG_LEVEL": _level,
    "ROWMILL_SANDBOX": _sandbox,
}
