"""What a worker is called: its host, and eight random digits for each start."""

import os
import socket
import uuid


def new_name() -> str:
    """Return a name that no worker ever had."""
    return f"{host()}-{uuid.uuid4().hex[:8]}"


def host() -> str:
    """Return this machine's name as it may stand in a path."""
    known = "".join(sign for sign in socket.gethostname() if sign.isalnum() or sign in "-.")
    return known.lstrip(".-")[:40] or f"pid{os.getpid()}"
