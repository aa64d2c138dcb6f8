"""A real PgBouncer in transaction mode in front of a test server."""

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.polling import poll
from tests.postgres import Server, free_port, unprivileged

PROGRAM = "/usr/sbin/pgbouncer"


@contextmanager
def pgbouncer(server: Server, *, seats: int = 5) -> Iterator[int]:
    """Yield the port of a pooler with this many server connections for each database."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="rmpb-", dir="/tmp") as folder:
        path = Path(folder)
        path.chmod(0o755)
        (path / "users").write_text('"rowmill" ""\n')
        (path / "ini").write_text(
            f"[databases]\n* = host=127.0.0.1 port={server.port}\n"
            f"[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port={port}\nunix_socket_dir=\n"
            f"auth_type=trust\nauth_file={path}/users\npool_mode=transaction\n"
            f"default_pool_size={seats}\nignore_startup_parameters=extra_float_digits\n"
            "server_login_retry=1\n"  # of a server that was away; 15 s otherwise
        )
        process = subprocess.Popen(
            [PROGRAM, str(path / "ini")],
            user=unprivileged(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"]},
        )
        try:
            poll(lambda: _answers(port))
            yield port
        finally:
            process.terminate()
            process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
