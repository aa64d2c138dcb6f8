"""Roles that may do less than the superuser of the tests, each with the seats that a test gives."""

import uuid
from collections.abc import Iterator
from typing import Protocol

import pytest
from sqlalchemy import make_url, text

from app import db


class Role(Protocol):
    """Makes a role and returns the URL of the test's database for it; -1 limits nothing."""

    def __call__(self, *, limit: int = -1) -> str: ...


@pytest.fixture
def role(database_url: str) -> Iterator[Role]:
    engine = db.single_engine(database_url, name="test")
    made = []

    def make(*, limit: int = -1) -> str:
        name = f"ordinary_{uuid.uuid4().hex[:8]}"
        with engine.begin() as connection:
            connection.execute(text(f"CREATE ROLE {name} LOGIN CONNECTION LIMIT {limit}"))
            connection.execute(text(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}"))
            connection.execute(text(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {name}"))
        made.append(name)
        return make_url(database_url).set(username=name).render_as_string(hide_password=False)

    yield make
    with engine.begin() as connection:
        for name in made:
            connection.execute(text(f"DROP OWNED BY {name}"))
            connection.execute(text(f"DROP ROLE {name}"))
