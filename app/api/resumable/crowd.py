"""How many uploads one client may have begun and not finished."""

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from uuid import UUID

from sqlalchemy.orm import Session
from starlette.requests import Request

from app.api.errors import Problem
from app.api.owners import owner_of
from app.api.resumable import rows
from app.models import Upload

MOST_ADDRESSES = 1000
RETRY_SECONDS = 60


@dataclass(frozen=True)
class Client:
    """Who begins an upload: whose the cookie is that it came with; without one, from where."""

    owner: str | None
    address: str


def client_of(request: Request) -> Client:
    host = request.client.host if request.client else ""
    return Client(owner_of(request), _address(host))


class Crowd:
    """Counts by the rows. Of an address no row knows, so each process remembers what it began.

    What this keeps from the door is a client that has gone wrong; who means harm can come with
    ever new cookies, and is a matter for the proxy.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._begun: OrderedDict[str, set[UUID]] = OrderedDict()
        self._lock = Lock()

    def refuse_another(self, session: Session, client: Client) -> None:
        """Raise 429 if the client has as many unfinished uploads as it may have."""
        if client.owner is not None:
            count = len(rows.unfinished(session, Upload.owner == client.owner, most=self._most))
        else:
            count = self._count_from(session, client.address)
        if count >= self._most:
            raise Problem(
                "too_many_open",
                f"{self._most} uploads from here are unfinished, the most that may be.",
                headers={"Retry-After": str(RETRY_SECONDS)},
                limit=self._most,
            )

    def began(self, client: Client, upload_id: UUID) -> None:
        if client.owner is None:
            with self._lock:
                self._begun.setdefault(client.address, set()).add(upload_id)
                self._begun.move_to_end(client.address)
                if len(self._begun) > MOST_ADDRESSES:
                    self._begun.popitem(last=False)

    def _count_from(self, session: Session, address: str) -> int:
        """Ask the rows only of an address that has begun many, and forget what came to an end."""
        with self._lock:
            begun = frozenset(self._begun.get(address, ()))
        if len(begun) < self._most:
            return len(begun)
        open_ones = rows.unfinished(session, Upload.id.in_(begun), most=self._most)
        with self._lock:
            self._begun.get(address, set()).difference_update(begun.difference(open_ones))
        return len(open_ones)


def _address(host: str) -> str:
    """Return what one client has alone: of IPv6 that is a network, in which it can move about."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:  # a socket of Unix has none
        return host
    if isinstance(found, ipaddress.IPv4Address):
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
