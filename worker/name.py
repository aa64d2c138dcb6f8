"""What a worker is called: its host, and eight random digits for each start."""

import uuid

from app.host import plain_host

MOST_OF_HOST = 40


def new_name() -> str:
    """Return a name that no worker ever had, which may stand in a path."""
    return f"{host()}-{uuid.uuid4().hex[:8]}"


def host() -> str:
    """Return this machine's name as it may stand in a path."""
    return plain_host(MOST_OF_HOST)
