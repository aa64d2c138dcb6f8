"""How many seats an ordinary role gets, and what the next one is told."""

from contextlib import ExitStack
from dataclasses import dataclass

import psycopg2

from tests.postgres import Server


@dataclass(frozen=True)
class Full:
    """The seats that were had, and what the server said of one more."""

    seats: int
    refusal: str


def fill(server: Server) -> Full:
    """Take every seat of a server that nobody else uses; all are given back at the end."""
    owner = server.connect()
    owner.autocommit = True
    owner.cursor().execute("CREATE ROLE ordinary LOGIN")
    owner.close()
    with ExitStack() as seats:
        for taken in range(1000):
            try:
                seat = psycopg2.connect(
                    host="127.0.0.1", port=server.port, user="ordinary", dbname="postgres"
                )
            except psycopg2.OperationalError as refusal:
                return Full(taken, "FATAL:" + str(refusal).strip().partition("FATAL:")[2])
            seats.callback(seat.close)
    raise AssertionError("no seat was refused")
