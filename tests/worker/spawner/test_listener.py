"""The worker reads from a cell without being led astray by what it does to its channels."""

import os
import socket
from collections.abc import Iterator

import psutil
import pytest

from worker.spawner import listener as listening
from worker.spawner.listener import Listener, wait_for

Ends = tuple[Listener, socket.socket, int]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """A listener, and the two ends that the cell would have."""
    out, its_out = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stderr, its_stderr = os.pipe()
    listener = Listener(out, stderr)
    yield listener, its_out, its_stderr
    listener.close()
    its_out.close()


def test_a_channel_that_the_cell_has_closed_is_not_polled_again(ends: Ends) -> None:
    listener, its_out, its_stderr = ends
    assert len(listener.sources()) == 2
    its_out.close()
    os.close(its_stderr)
    listener.listen(wait_for(listener.sources(), seconds=0))
    assert listener.sources() == set()


def test_an_empty_datagram_is_not_taken_for_the_end(ends: Ends) -> None:
    listener, its_out, its_stderr = ends
    its_out.send(b"")
    its_out.send(b'{"progress": 0.5, "stage": "half"}')
    listener.drain()
    assert listener.hearsay.progress == 0.5
    assert len(listener.sources()) == 2
    os.close(its_stderr)


def test_who_is_read_too_often_has_to_wait_for_the_next_slice(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "READS_IN_A_SLICE", 3)
    monkeypatch.setattr(listening, "SLICE_SECONDS", 60)
    listener, its_out, its_stderr = ends
    for number in range(4):
        its_out.send(b'{"progress": 0.%d, "stage": "on"}' % (number + 1))
    for _ in range(4):
        listener.listen(wait_for(listener.sources(), seconds=0))
    assert listener.hearsay.progress == 0.3
    assert listener.resting() > 0
    listener._slice_ends = 0  # as a minute later
    listener.listen(wait_for(listener.sources(), seconds=0))
    assert listener.hearsay.progress == 0.4
    os.close(its_stderr)


def test_descriptors_that_a_cell_sends_do_not_arrive(ends: Ends) -> None:
    listener, its_out, its_stderr = ends
    before = psutil.Process().num_fds()
    for _ in range(20):
        socket.send_fds(its_out, [b'{"progress": 0.5, "stage": "half"}'], [its_stderr] * 10)
    listener.drain()
    assert listener.hearsay.progress == 0.5
    assert psutil.Process().num_fds() == before
    os.close(its_stderr)


def test_reading_what_a_dead_cell_left_ends_even_if_somebody_goes_on_writing(ends: Ends) -> None:
    listener, _, its_stderr = ends
    endless = os.open("/dev/zero", os.O_RDONLY)
    os.dup2(endless, listener._stderr)
    os.close(endless)
    listener.drain()
    assert len(listener.printed) == 64 * 1024
    os.close(its_stderr)
