"""What postmaster.pid says, believed only when that process really serves this cluster."""

from pathlib import Path

from app.embedded import inside


def postmaster_of(cluster: Path) -> int | None:
    """Return the process that serves the cluster; None if the file is missing, stale or false.

    After a `kill -9` the file stays, and its number may by now be another program's.
    """
    try:
        pid = int(inside.read(cluster / "postmaster.pid").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
    return pid if pid > 0 and _serves(Path(f"/proc/{pid}"), cluster.resolve()) else None


def is_ready(cluster: Path) -> bool:
    """Tell whether the server has written that it answers; the file must not be a stale one."""
    try:
        lines = inside.read(cluster / "postmaster.pid").splitlines()
    except FileNotFoundError:
        return False
    return len(lines) >= 8 and lines[7].strip() == "ready"


def _serves(process: Path, cluster: Path) -> bool:
    try:
        if (process / "comm").read_text() != "postgres\n":
            return False
        return _works_in(process, cluster)
    except (FileNotFoundError, ProcessLookupError):
        return False


def _works_in(process: Path, cluster: Path) -> bool:
    try:
        return (process / "cwd").readlink() == cluster
    except PermissionError:
        # Root in a container may lack the right to look into another user's process, but
        # a postmaster's arguments are open to all.
        arguments = (process / "cmdline").read_bytes().split(b"\0")
        return str(cluster).encode() in arguments
