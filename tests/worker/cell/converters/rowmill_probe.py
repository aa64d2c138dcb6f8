"""Tries from inside a cell what an exploit would try, and tells what came of each attempt.

An attempt that succeeds is "done"; one that fails tells the name of its errno. None of them harms
the machine, not even where nothing holds it back.
"""
# ruff: noqa: PTH101, PTH116, PTH123, PTH208, PTH211
# The calls of the kernel are meant, not the ways to them.

import ctypes
import errno
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worker.outcome import Converted

Targets = dict[str, Any]
_libc = ctypes.CDLL(None, use_errno=True)
_MANY = 400


def convert(source: Path, target: Path, *, options: Targets, **_told: Any) -> Converted:
    table = {name: _tried(attempt, options) for name, attempt in ATTEMPTS.items()}
    target.write_bytes(b"NAP1")
    return Converted({"table": table})


def _tried(attempt: Callable[[Targets], object], targets: Targets) -> str:
    try:
        attempt(targets)
    except (MemoryError, ValueError) as error:  # how Python tells of RLIMIT_AS, and of setrlimit
        return type(error).__name__
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, repr(error))
    return "done"


def call(name: str, *arguments: int) -> int:
    """Make a system call by the number that x86_64 and aarch64 have for it."""
    number = NUMBERS[name][os.uname().machine == "aarch64"]
    result: int = _libc.syscall(number, *(ctypes.c_long(argument) for argument in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


NUMBERS = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "clone3": (435, 435),
    "inotify_init1": (294, 26),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "mlock": (149, 228),
    "mount": (165, 40),
    "name_to_handle_at": (303, 264),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_open": (434, 434),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "rt_sigqueueinfo": (129, 138),
    "setns": (308, 268),
    "shmget": (29, 194),
    "tgkill": (234, 131),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}


def _read(path: str) -> None:
    if not Path(path).read_bytes():
        raise OSError(errno.ENODATA, "it is empty")


def _read_memory(targets: Targets) -> None:
    """Copy 16 bytes out of the other process; a call without bytes would prove nothing."""
    room = ctypes.create_string_buffer(16)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(room), 16)
    there = (ctypes.c_void_p * 2)(targets["address"], 16)
    pointers = (ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0)
    call("process_vm_readv", targets["victim"], *pointers)
    if room.raw != targets["bytes"].encode():
        raise OSError(errno.EIO, "other bytes came")


def _read_an_environment(_targets: Targets) -> None:
    if "ROWMILL_TEST_SECRET" not in os.environ:
        raise OSError(errno.ENOENT, "there is no secret in it")


def _open_and(path: str, flags: int, then: Callable[[int], object]) -> None:
    descriptor = os.open(path, flags)
    try:
        then(descriptor)
    finally:
        os.close(descriptor)


def _fcntl(descriptor: int, command: int, value: int) -> None:
    if _libc.fcntl(descriptor, command, ctypes.c_long(value)) < 0:
        raise OSError(ctypes.get_errno(), "fcntl")


def _set_flags(descriptor: int) -> None:
    """Set FS_NODUMP_FL, the least of the flags that stay with a file."""
    if _libc.ioctl(descriptor, 0x40086602, ctypes.byref(ctypes.c_long(0x40))) < 0:
        raise OSError(ctypes.get_errno(), "ioctl")


def _work_in_scratch(_targets: Targets) -> None:
    folder = Path("folder")
    folder.mkdir()
    (folder / "one").write_bytes(b"1")
    (folder / "one").rename(folder / "two")
    with (folder / "two").open("r+b") as file:
        file.truncate(0)
    (folder / "two").unlink()
    folder.rmdir()


def _link(_targets: Targets) -> None:
    Path("first").write_bytes(b"1")
    os.link("first", "second")


def _connect(family: int, kind: int, address: Any) -> None:
    with socket.socket(family, kind) as made:
        made.settimeout(2)
        made.connect(address)


def _send(family: int, address: Any) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as made:
        made.sendto(b"hello", address)


def _bind(family: int, address: Any) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.bind(address)


def _make(*kind: int) -> None:
    socket.socket(*kind).close()


def _make_a_pair(_targets: Targets) -> None:
    for end in socket.socketpair():
        end.close()


def _fork(_targets: Targets) -> None:
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _spawn(_targets: Targets) -> None:
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def _thread(_targets: Targets) -> None:
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()


def _handle_a_signal_of_its_own(_targets: Targets) -> None:
    came: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _frame: came.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    if len(came) != 2:
        raise OSError(errno.EIO, "it did not come")


def _queue_a_signal(targets: Targets) -> None:
    info = (ctypes.c_int * 32)(signal.SIGCONT, 0, -1)  # SI_QUEUE
    call("rt_sigqueueinfo", targets["victim"], signal.SIGCONT, ctypes.addressof(info))


def _open_many(_targets: Targets) -> None:
    opened: list[int] = []
    try:
        opened.extend(os.open("/dev/null", os.O_RDONLY) for _ in range(_MANY))
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _write_much(_targets: Targets) -> None:
    try:
        with open("large", "wb") as file:
            file.truncate(20 * 1024**2)
    finally:
        Path("large").unlink()


def _share_memory(_targets: Targets) -> None:
    segment = call("shmget", 0, 4096, 0o1600)
    _libc.shmctl(segment, 0, None)  # IPC_RMID


def _survive_its_parent(_targets: Targets) -> None:
    if _libc.prctl(1, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _raise(limit: int) -> None:
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (hard + 1, hard + 1))


def _chroot_elsewhere(_targets: Targets) -> None:
    os.chroot("/no/such/folder")


def _type_into_a_terminal(_targets: Targets) -> None:
    if _libc.ioctl(0, 0x5412, b"x") < 0:
        raise OSError(ctypes.get_errno(), "ioctl")


def _protect_its_memory(_targets: Targets) -> None:
    Path("/proc/self/oom_score_adj").write_text("0")


def _handle_of(targets: Targets) -> None:
    handle = (ctypes.c_int * 40)(128)
    mount = ctypes.c_int()
    name = ctypes.create_string_buffer(os.fsencode(targets["secret"]))
    places = (ctypes.addressof(name), ctypes.addressof(handle), ctypes.addressof(mount))
    call("name_to_handle_at", -100, *places, 0)


def _stream(targets: Targets, name: str) -> None:
    _connect(socket.AF_UNIX, socket.SOCK_STREAM, targets[name])


ATTEMPTS: dict[str, Callable[[Targets], object]] = {
    # What a conversion may do
    "stat of a path": lambda _: os.stat("/etc/passwd"),
    "read the input": lambda t: _read(t["input"]),
    "work in its scratch folder": _work_in_scratch,
    "start a thread": _thread,
    "signal itself": _handle_a_signal_of_its_own,
    "read a program": lambda _: _read("/usr/bin/env"),
    # Files
    "read /etc/passwd": lambda _: _read("/etc/passwd"),
    "read a file with the database's URL": lambda t: _read(t["secret"]),
    "list the folder beside its own": lambda t: os.listdir(t["beside"]),
    "list /proc": lambda _: os.listdir("/proc"),
    "list /": lambda _: os.listdir("/"),
    "write the input": lambda t: _open_and(t["input"], os.O_WRONLY, lambda _: None),
    "truncate the input": lambda t: os.truncate(t["input"], 0),
    "chmod the input": lambda t: os.chmod(t["input"], 0o640),
    "fchmod the input": lambda t: _open_and(
        t["input"], os.O_RDONLY, lambda descriptor: os.fchmod(descriptor, 0o640)
    ),
    "chown the input": lambda t: os.chown(t["input"], os.getuid(), os.getgid()),
    "date the input": lambda t: os.utime(t["input"]),
    "mark the input": lambda t: os.setxattr(t["input"], "user.rowmill", b"1"),
    "lease the input": lambda t: _open_and(
        t["input"], os.O_RDONLY, lambda descriptor: _fcntl(descriptor, 1024, 0)
    ),
    "flags of the input": lambda t: _open_and(t["input"], os.O_RDONLY, _set_flags),
    "write beside its folder": lambda t: Path(t["beside"], "left").write_bytes(b"1"),
    "write the converter's code": lambda _: _open_and(__file__, os.O_WRONLY, lambda _: None),
    "handle of a file": _handle_of,
    "watch a folder": lambda _: os.close(call("inotify_init1", 0)),
    "symlink in scratch": lambda _: os.symlink("/etc/passwd", "link"),
    "hard link in scratch": _link,
    "FIFO in scratch": lambda _: os.mkfifo("fifo"),
    "socket in scratch": lambda _: _bind(socket.AF_UNIX, "socket"),
    "device in scratch": lambda _: os.mknod("device", 0o020600, os.makedev(1, 3)),
    # Other processes
    "environment with secrets": _read_an_environment,
    "environment of the worker": lambda t: _read(f"/proc/{t['victim']}/environ"),
    "maps of the worker": lambda t: _read(f"/proc/{t['victim']}/maps"),
    "memory of the worker": _read_memory,
    "ptrace the worker": lambda t: call("ptrace", 0x4206, t["victim"], 0, 0),
    "handle of the worker": lambda t: os.close(call("pidfd_open", t["victim"], 0)),
    "signal the worker": lambda t: os.kill(t["victim"], 0),
    "queue a signal for the worker": _queue_a_signal,
    "signal a thread of the worker": lambda t: call("tgkill", t["victim"], t["victim"], 0),
    "have the kernel signal the worker": lambda t: _fcntl(3, 8, t["victim"]),
    "slow the worker down": lambda t: os.setpriority(os.PRIO_PROCESS, t["victim"], 1),
    "bind the worker to a CPU": lambda t: os.sched_setaffinity(
        t["victim"], os.sched_getaffinity(0)
    ),
    "limits of the worker": lambda t: resource.prlimit(t["victim"], resource.RLIMIT_NOFILE),
    # The network
    "TCP to a listener": lambda t: _connect(
        socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", t["tcp"])
    ),
    "listen on TCP": lambda _: _bind(socket.AF_INET, ("127.0.0.1", 0)),
    "UDP to a listener": lambda t: _send(socket.AF_INET, ("127.0.0.1", t["udp"])),
    "Unix socket of a path": lambda t: _stream(t, "unix"),
    "Unix datagram to a path": lambda t: _send(socket.AF_UNIX, t["datagram"]),
    "abstract Unix socket": lambda t: _stream(t, "abstract"),
    "pair of sockets": _make_a_pair,
    "netlink": lambda _: _make(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    "packet socket": lambda _: _make(socket.AF_PACKET, socket.SOCK_RAW, 0),
    "kernel crypto": lambda _: _make(socket.AF_ALG, socket.SOCK_SEQPACKET, 0),
    # New processes
    "fork": _fork,
    "start a program": _spawn,
    "clone3": lambda _: call("clone3", 0, 0),
    "become a program": lambda _: os.execv("no-such-program", ["x"]),
    "survive its parent": _survive_its_parent,
    # Limits
    "3 GiB of memory": lambda _: bytearray(3 * 1024**3),
    "400 open files": _open_many,
    "20 MiB in one file": _write_much,
    "memory in a file": lambda _: os.close(os.memfd_create("hoard")),
    "shared memory": _share_memory,
    "locked memory": lambda _: call("mlock", ctypes.addressof(ctypes.c_int()), 1),
    "raise a limit": lambda _: _raise(resource.RLIMIT_NOFILE),
    "be spared when memory runs out": _protect_its_memory,
    # The machine
    "mount": lambda _: call("mount", 0, 0, 0, 0, 0),
    "chroot": _chroot_elsewhere,
    "enter a namespace": lambda _: call("setns", -1, 0),
    "io_uring": lambda _: call("io_uring_setup", 0, 0),
    "bpf": lambda _: call("bpf", -1, 0, 0),
    "perf": lambda _: call("perf_event_open", 0, 0, -1, -1, 0),
    "keyring": lambda _: call("keyctl", 0, -1, 0),
    "add a key": lambda _: call("add_key", 0, 0, 0, 0, 0),
    "personality": lambda _: call("personality", 0xFFFFFFFF),
    "userfaultfd": lambda _: os.close(call("userfaultfd", 0)),
    "another user": lambda _: os.setuid(os.getuid()),
    "type into a terminal": _type_into_a_terminal,
    # The last, because it changes who this process is
    "user namespace": lambda _: call("unshare", 0x10000000),
}
