"""Every setting, read once from the environment into one frozen object."""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.settings import reading
from app.settings.cpus import usable_cpus
from app.settings.reading import BadSetting

__all__ = ["PREFIX", "BadSetting", "Settings", "from_environment", "usable_cpus"]

PREFIX = "ROWMILL_"
GIB = 1024**3
TEN_YEARS = 10 * 365 * 86400  # a time stamp in centuries is none that every driver can read


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
    max_open_uploads: int = 1000
    cors_origins: tuple[str, ...] = ()
    log_level: str = "info"
    sandbox: str = "cell"
    ops: str = "auto"
    ops_token: str | None = field(default=None, repr=False)
    language: str = "en"

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
    if settings.ops == "on" and settings.ops_token is None:
        raise BadSetting("ROWMILL_OPS=on needs ROWMILL_OPS_TOKEN: nobody could see the page.")


_SANDBOXES = (
    "cell, or external where something outside of Rowmill keeps this worker's conversions from "
    "the files of others"
)
_LEVELS = "debug, info, warning or error"
_OPS = "auto (this machine, and whoever has ROWMILL_OPS_TOKEN), on (that token only) or off"

_READERS: dict[str, Callable[[str, str], object]] = {
    "DATABASE_URL": reading.as_database_url,
    "ROWMILL_DATA": reading.as_folder,
    "ROWMILL_HOST": reading.as_text,
    "ROWMILL_PORT": reading.as_whole(0, 65535),
    "ROWMILL_SLOTS": reading.as_whole(1, 1000),
    "ROWMILL_KINDS": reading.as_kinds,
    "ROWMILL_BEAT_SECONDS": reading.as_number(0.05, 3600),
    "ROWMILL_LEASE_SECONDS": reading.as_number(0.2, 86400),
    "ROWMILL_SWEEP_SECONDS": reading.as_number(0.05, 3600),
    "ROWMILL_GRACE_SECONDS": reading.as_number(0, 86400),
    "ROWMILL_MAX_ATTEMPTS": reading.as_whole(1, 100),
    "ROWMILL_BACKOFF_SECONDS": reading.as_number(0, 86400),
    "ROWMILL_SCRATCH": reading.as_folder,
    "ROWMILL_MAX_UPLOAD_BYTES": reading.as_whole(1),
    "ROWMILL_TIME_LIMIT_SECONDS": reading.as_number(0.1, TEN_YEARS),
    "ROWMILL_STALL_SECONDS": reading.as_number(0.1, TEN_YEARS),
    "ROWMILL_MEMORY_LIMIT_BYTES": reading.as_whole(64 * 1024**2),
    "ROWMILL_MAX_PIXELS": reading.as_whole(1),
    "ROWMILL_MAX_PAGES": reading.as_whole(1, 10**6),
    "ROWMILL_MAX_ROWS": reading.as_whole(1),
    "ROWMILL_MAX_MEDIA_SECONDS": reading.as_whole(1, TEN_YEARS),
    "ROWMILL_MAX_INFLATED_BYTES": reading.as_whole(1024**2),
    "ROWMILL_MAX_ZIP_ENTRIES": reading.as_whole(1),
    "ROWMILL_MAX_ZIP_RATIO": reading.as_whole(2),
    "ROWMILL_KEEP_SECONDS": reading.as_number(1, TEN_YEARS),
    "ROWMILL_ORPHAN_SECONDS": reading.as_number(1, TEN_YEARS),
    "ROWMILL_BODY_TIMEOUT_SECONDS": reading.as_number(0.1, TEN_YEARS),
    "ROWMILL_UPLOAD_EXPIRES_SECONDS": reading.as_number(1, TEN_YEARS),
    "ROWMILL_MAX_OPEN_UPLOADS": reading.as_whole(1),
    "ROWMILL_CORS_ORIGINS": reading.as_origins,
    "ROWMILL_LOG_LEVEL": reading.as_word(
        "debug info warning error", "debug, info, warning or error"
    ),
    "ROWMILL_SANDBOX": reading.as_word("cell external", _SANDBOXES),
    "ROWMILL_OPS": reading.as_word("auto on off", _OPS),
    "ROWMILL_OPS_TOKEN": reading.as_token,
    "ROWMILL_LANGUAGE": reading.as_language,
}
