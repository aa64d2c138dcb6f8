"""What an exploit inside a cell can do: six harmless things of more than seventy.

The probe (converters/rowmill_probe.py) runs in one real cell. The same table holds for root and for
an unprivileged user, and on kernels whose Landlock is older; with a layer taken away it changes
where that layer stands.
"""

import pytest

from tests.worker.cell.probing import USERS, probe
from worker.cell import landlock

DONE = {
    "stat of a path",
    "read the input",
    "work in its scratch folder",
    "start a thread",
    "signal itself",
    "read a program",
}
CLOSED = {  # EACCES, by Landlock
    "read /etc/passwd",
    "read a file with the database's URL",
    "list the folder beside its own",
    "list /proc",
    "list /",
    "write the input",
    "write beside its folder",
    "write the converter's code",
    "environment of the worker",
    "maps of the worker",
    "be spared when memory runs out",
}
FORBIDDEN = {  # EPERM, by the filter
    "truncate the input",
    "chmod the input",
    "fchmod the input",
    "chown the input",
    "date the input",
    "mark the input",
    "lease the input",
    "handle of a file",
    "watch a folder",
    "symlink in scratch",
    "hard link in scratch",
    "FIFO in scratch",
    "socket in scratch",
    "device in scratch",
    "memory of the worker",
    "ptrace the worker",
    "handle of the worker",
    "signal the worker",
    "queue a signal for the worker",
    "signal a thread of the worker",
    "have the kernel signal the worker",
    "slow the worker down",
    "bind the worker to a CPU",
    "limits of the worker",
    "TCP to a listener",
    "listen on TCP",
    "UDP to a listener",
    "Unix socket of a path",
    "Unix datagram to a path",
    "abstract Unix socket",
    "pair of sockets",
    "netlink",
    "packet socket",
    "kernel crypto",
    "fork",
    "start a program",
    "become a program",
    "survive its parent",
    "memory in a file",
    "shared memory",
    "locked memory",
    "mount",
    "chroot",
    "enter a namespace",
    "io_uring",
    "bpf",
    "perf",
    "keyring",
    "add a key",
    "personality",
    "userfaultfd",
    "another user",
    "user namespace",
}
EXPECTED = {
    **dict.fromkeys(DONE, "done"),
    **dict.fromkeys(CLOSED, "EACCES"),
    **dict.fromkeys(FORBIDDEN, "EPERM"),
    "clone3": "ENOSYS",
    "flags of the input": "ENOTTY",
    "type into a terminal": "ENOTTY",
    "environment with secrets": "ENOENT",
    "3 GiB of memory": "MemoryError",
    "400 open files": "EMFILE",
    "20 MiB in one file": "EFBIG",
    "raise a limit": "ValueError",
}

LIMITS = {"3 GiB of memory", "400 open files", "20 MiB in one file"}
# Denied by both layers, or by what this machine, user or container is besides.
TWICE = {
    "memory of the worker",
    "ptrace the worker",
    "signal the worker",
    "queue a signal for the worker",
    "signal a thread of the worker",
    "abstract Unix socket",
}
ELSEWHERE = {
    "flags of the input",
    "type into a terminal",
    "device in scratch",
    "write the converter's code",
    "be spared when memory runs out",
    "packet socket",
    "locked memory",
    "raise a limit",
    "mount",
    "chroot",
    "enter a namespace",
    "user namespace",
    "another user",
    "io_uring",
    "bpf",
    "perf",
    "keyring",
    "add a key",
    "personality",
    "userfaultfd",
}
# What Landlock denies as well, and from which version.
BOTH = {
    "symlink in scratch": 1,
    "FIFO in scratch": 1,
    "socket in scratch": 1,
    "device in scratch": 1,
    "start a program": 1,
    "memory of the worker": 1,
    "ptrace the worker": 1,
    "truncate the input": 3,
    "TCP to a listener": 4,
    "listen on TCP": 4,
    "abstract Unix socket": 6,
    "signal the worker": 6,
    "queue a signal for the worker": 6,
    "signal a thread of the worker": 6,
}
AS_NOBODY = USERS[-1]
PRIVATE = {"environment of the worker", "maps of the worker"}


@pytest.mark.parametrize("uid", USERS)
@pytest.mark.parametrize("layers", ["whole", "on_abi_1", "on_abi_3", "on_abi_5"])
def test_an_exploit_can_do_six_harmless_things(layers: str, uid: int) -> None:
    assert probe(layers, uid) == EXPECTED


@pytest.mark.parametrize("uid", USERS)
@pytest.mark.parametrize(
    ("layers", "guarded"),
    [
        ("without_landlock", CLOSED),
        ("without_filter", FORBIDDEN - TWICE | {"clone3"}),
        ("without_both", CLOSED | FORBIDDEN | {"clone3"}),
        ("without_limits", LIMITS),
        ("with_an_environment", {"environment with secrets"}),
    ],
)
def test_a_layer_that_is_missing_shows_in_the_table(
    layers: str, guarded: set[str], uid: int
) -> None:
    changed = {name for name, came in probe(layers, uid).items() if came != EXPECTED[name]}
    assert changed - ELSEWHERE == guarded - ELSEWHERE


def test_landlock_denies_what_it_knows_even_without_the_filter() -> None:
    table = probe("without_filter", AS_NOBODY)
    known = {name for name, since in BOTH.items() if since <= landlock.abi()}
    assert {name for name in known if table[name] not in {"EACCES", "EPERM"}} == set()


def test_a_worker_that_is_undumpable_keeps_its_secrets_even_without_any_layer() -> None:
    """The second wall around the memory of a process with the same, unprivileged user."""
    open_table = probe("without_both", AS_NOBODY, dumpable=True)
    closed_table = probe("without_both", AS_NOBODY, dumpable=False)
    changed = {name for name, came in open_table.items() if came != closed_table[name]}
    assert changed == PRIVATE | {"memory of the worker", "ptrace the worker"}
    assert {open_table[name] for name in changed} == {"done"}
