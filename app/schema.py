"""The schema's version: bring it up to date, or refuse to run on an older one."""

from pathlib import Path
from uuid import UUID

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, exists, inspect, select

from app.models import House, Upload


class SchemaTooOld(Exception):
    """The database lacks what this version needs; the text says which command to run."""


def upgrade(url: str) -> None:
    """Bring the schema to the newest revision; replicas may do so at the same time."""
    command.upgrade(_config(url), "head")


def check(connection: Connection) -> None:
    """Raise SchemaTooOld unless the schema is as new as this version, or newer.

    A revision that this version does not know was made by a newer one, whose changes only
    add (expand first, contract a release later), so it is accepted.
    """
    found = _revision(connection)
    if found is None:
        raise SchemaTooOld("The database has no Rowmill tables yet. Run: rowmill migrate")
    scripts = ScriptDirectory.from_config(_config(""))
    known = {script.revision for script in scripts.walk_revisions()}
    if found in known and found != scripts.get_current_head():
        raise SchemaTooOld(
            f"The database schema is at revision {found}, this version needs "
            f"{scripts.get_current_head()}. Run: rowmill migrate"
        )


def house_of(connection: Connection) -> tuple[UUID, bool]:
    """Return the id of this house, and whether it is new: no upload has ever been in it.

    Only the storage of a new house may be given a marker; see Storage.claim_house.
    """
    house_id = connection.scalars(select(House.id)).one()
    lived_in = connection.scalars(select(exists().select_from(Upload))).one()
    return house_id, not lived_in


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return MigrationContext.configure(connection).get_current_revision()


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_scripts()).replace("%", "%%"))
    config.attributes["url"] = url
    return config


def _scripts() -> Path:
    here = Path(__file__).parent
    installed = here / "alembic"  # inside a wheel, where a top-level alembic/ is the library
    return installed if installed.exists() else here.parent / "alembic"
