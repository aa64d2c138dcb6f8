"""Why a claim skips what others hold: tried on real servers."""

from collections.abc import Iterator

import pytest

from tests.postgres import Server
from tests.postgres.locks import Second, try_out


@pytest.fixture
def database(each_postgres: Server) -> Iterator[str]:
    with each_postgres.database(template="template0") as url:
        yield url.rpartition("/")[2]


def test_who_skips_what_is_locked_gets_the_next_row_at_once(
    each_postgres: Server, database: str
) -> None:
    assert try_out(each_postgres, database, skips=True) == Second(waited=False, got=2)


def test_who_does_not_gets_it_only_when_the_one_before_has_committed(
    each_postgres: Server, database: str
) -> None:
    assert try_out(each_postgres, database, skips=False) == Second(waited=True, got=2)
