"""What this machine is called where its name has to be plain: in a path, in a session's name."""

import socket

UNNAMED = "unnamed"  # the same for every process: a health check looks for what its worker left


def plain_host(most: int) -> str:
    """Return this machine's name in at most so many ASCII letters, digits, dots and hyphens.

    It can be the name of a file: never empty, hidden or an option. Of other signs PostgreSQL
    keeps only their codes in a session's name, of which it keeps 63 bytes.
    """
    plain = (sign for sign in socket.gethostname() if sign.isascii())
    known = "".join(sign for sign in plain if sign.isalnum() or sign in "-.")
    return known.lstrip(".-")[:most] or UNNAMED
