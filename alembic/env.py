"""How a migration runs: one replica at a time, with limits on what it may wait for."""

import time

from alembic import context
from sqlalchemy import Connection, create_engine, pool, text

from app.models import Base

LOCK = 7_265_983_112  # any number, the same in every version
LOCK_SECONDS = 300


def main() -> None:
    """Take the lock, apply what is missing, let go."""
    engine = create_engine(
        context.config.attributes["url"],
        poolclass=pool.NullPool,
        connect_args={"application_name": "rowmill migrate", "connect_timeout": 10},
    )
    with engine.connect() as connection:
        _refuse_pooler(connection)
        _take_lock(connection)
        connection.execute(text("SET lock_timeout = '5s'"))
        connection.execute(text("SET statement_timeout = '60s'"))
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            transaction_per_migration=True,
            compare_server_default=True,
        )
        with context.begin_transaction():
            context.run_migrations()


def _refuse_pooler(connection: Connection) -> None:
    # Behind a transaction pooler the lock and the limits would stay on a stranger's session.
    served_by = connection.scalar(text("SELECT pg_backend_pid()"))
    connection.rollback()
    driver = connection.connection.driver_connection
    if driver is not None and served_by != driver.info.backend_pid:
        raise RuntimeError(
            "A connection pooler stands before the database. Migrate with a DATABASE_URL that "
            "names PostgreSQL itself."
        )


def _take_lock(connection: Connection) -> None:
    # Polled, because a session that waits inside pg_advisory_lock holds a snapshot, and
    # CREATE INDEX CONCURRENTLY in the replica that has the lock waits for it: a deadlock.
    deadline = time.monotonic() + LOCK_SECONDS
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": LOCK}):
        connection.rollback()
        if time.monotonic() > deadline:
            raise TimeoutError("Another replica has been migrating for five minutes; look at it.")
        time.sleep(0.2)
    connection.commit()


main()
