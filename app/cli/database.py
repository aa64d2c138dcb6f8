"""Which database a command talks to: the one that is named, or the embedded one that runs."""

from dataclasses import replace

from app.cli.refusal import CannotRun
from app.embedded import EmbeddedFailed, running_url
from app.settings import Settings


def said_by(error: Exception) -> str:
    """Return the first line of what the database or its driver said."""
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def with_database(settings: Settings) -> Settings:
    """Return settings that have a database_url, or raise CannotRun."""
    if settings.database_url is not None:
        return settings
    try:
        url = running_url(settings.data)
    except EmbeddedFailed as error:
        raise CannotRun(str(error)) from None
    if url is None:
        raise CannotRun(
            f"DATABASE_URL is not set, and no embedded PostgreSQL runs on {settings.data}. "
            "Start everything with: rowmill up. Or set DATABASE_URL=postgresql://…"
        )
    return replace(settings, database_url=url)
