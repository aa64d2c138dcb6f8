"""What a pool does with a connection that has died, and what becomes of objects after a commit."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.orm.exc import DetachedInstanceError


class _Base(DeclarativeBase):
    pass


class _Kept(_Base):
    __tablename__ = "kept"
    id: Mapped[int] = mapped_column(primary_key=True)


def use_after_death(url: str, *, pre_ping: bool) -> str | None:
    """End a pooled connection from elsewhere, use the pool; return the error, None if it works."""
    with _engine(url, pool_pre_ping=pre_ping) as engine, _engine(url) as another:
        with engine.connect() as connection:
            pid = connection.scalar(text("SELECT pg_backend_pid()"))
        with another.connect() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid, 30000)"), {"pid": pid})
        try:
            with engine.connect() as connection:
                assert connection.scalar(text("SELECT 1")) == 1
        except OperationalError as error:
            return f"{type(error).__name__}: {str(error.orig).strip().splitlines()[0]}"
        return None


def read_afterwards(url: str, *, commits: bool, expires: bool = True) -> str | None:
    """Read an object after its session is closed; return the error's name, None if it works."""
    with _engine(url) as engine:
        _Base.metadata.create_all(engine)
        with Session(engine, expire_on_commit=expires) as session:
            kept = _Kept(id=1)
            session.merge(kept)
            session.commit()
            found = session.get_one(_Kept, 1)
            assert found.id == 1
            if commits:
                session.commit()
        try:
            assert found.id == 1
        except DetachedInstanceError as error:
            return type(error).__name__
        return None


@contextmanager
def _engine(url: str, **options: bool) -> Iterator[Engine]:
    engine = create_engine(url, **options)
    try:
        yield engine
    finally:
        engine.dispose()
