"""The messages between the worker and the spawner, who trust each other."""

import json
import socket
from array import array
from dataclasses import dataclass
from typing import Any

MESSAGE_LIMIT = 64 * 1024
DESCRIPTORS = 3  # a request carries: out, status, stderr


@dataclass(frozen=True)
class Ending:
    """How a cell ended, as the kernel told the spawner."""

    code: int | None  # the exit code, or
    signal: int | None  # the signal that killed it
    cpu_seconds: float
    peak_bytes: int


def tell(
    to: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = (), *, flags: int = 0
) -> None:
    """Send one message; raise OSError when the other side is gone, ValueError if it is too long."""
    data = json.dumps(message).encode()
    if len(data) > MESSAGE_LIMIT:
        raise ValueError(f"a message of {len(data)} bytes, more than {MESSAGE_LIMIT}")
    socket.send_fds(to, [data], descriptors, flags)


def hear(source: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Receive one message and its descriptors; None when the other side is gone.

    The descriptors are closed on exec; socket.recv_fds() takes flags and forgets them (3.11),
    and every program started later would inherit what came.
    """
    room = socket.CMSG_SPACE(DESCRIPTORS * array("i").itemsize)
    try:
        data, ancillary, _, _ = source.recvmsg(MESSAGE_LIMIT, room, socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:
        return None, []
    descriptors = array("i")
    for _, _, came in ancillary:  # a socket of this family sends nothing but SCM_RIGHTS
        descriptors.frombytes(came[: len(came) - len(came) % descriptors.itemsize])
    return (json.loads(data) if data else None), list(descriptors)
