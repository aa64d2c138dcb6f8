"""Asking the API whether it is there."""

import http.client
from urllib.parse import urlsplit

PATIENCE_SECONDS = 0.5


def answers(address: str) -> bool:
    """Tell whether an HTTP server answers; while it starts, the connection waits in its queue."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(
        str(place.hostname), place.port, timeout=PATIENCE_SECONDS
    )
    try:
        connection.request("GET", "/healthz")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
