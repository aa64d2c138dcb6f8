"""The port of the service, taken at once so that a taken one is known before anything starts."""

import errno
import socket

from app.settings import BadSetting, Settings

BACKLOG = 2048


def listen(settings: Settings) -> socket.socket:
    """Return a listening socket; raise BadSetting when the address cannot be had."""
    family, place = _resolve(settings)
    try:
        return socket.create_server(place, family=family, backlog=BACKLOG)
    except OSError as error:
        raise BadSetting(_why(error, settings)) from None


def address(door: socket.socket) -> str:
    """Return the URL that a person on this machine opens."""
    host, port = door.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _resolve(settings: Settings) -> tuple[int, tuple[str, int]]:
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadSetting(f"ROWMILL_HOST={settings.host!r}: {error.strerror}.") from None
    family, _, _, _, place = found[0]
    return family, (str(place[0]), int(place[1]))


def _why(error: OSError, settings: Settings) -> str:
    port = settings.port
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"ROWMILL_PORT={port}: another program listens on {settings.host}:{port} already. "
                f"Stop it, or choose another port, for example ROWMILL_PORT={port % 65535 + 1}."
            )
        case errno.EACCES:
            return f"ROWMILL_PORT={port}: only root may listen below 1024. Choose another port."
        case _:
            return f"ROWMILL_HOST={settings.host!r}: {error.strerror}."
