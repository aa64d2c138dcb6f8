"""Whether anything is to be migrated, told without loading the tool that migrates."""

from pathlib import Path

import psycopg2

import app


def is_current(url: str) -> bool:
    """Tell that the schema is as new as this version, or newer; False when nobody can say."""
    try:
        found = _found(url.replace("+psycopg2", "", 1))
    except psycopg2.Error:
        return False  # whoever migrates finds out why, and says it better
    return found is not None and (found == known()[-1] or found not in known())


def known() -> list[str]:
    """Return all revisions, the newest last: each file is named by its own."""
    here = Path(app.__file__).parent
    homes = (here / "alembic", here.parent / "alembic")  # in a wheel, in a source tree
    files = sorted(file for home in homes for file in home.glob("versions/[0-9]*.py"))
    return [file.name.partition("_")[0] for file in files]


def _found(url: str) -> str | None:
    connection = psycopg2.connect(url, connect_timeout=5)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT version_num FROM alembic_version")
            row = cursor.fetchone()
            return None if row is None else str(row[0])
    finally:
        connection.close()
