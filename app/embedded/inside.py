"""What we do inside a folder of the database's account, whose tool root must not become.

Whoever owns a folder can put a link where a file is expected, and root would follow it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app.embedded.account import Account, EmbeddedFailed


def write(path: Path, text: str, *, account: Account) -> None:
    """Put a private file of the account in its place, whole."""
    draft = f"{path.name}.new"
    with _opened(path.parent, account) as folder:
        _unlink(draft, folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(draft, flags, 0o600, dir_fd=folder), "w") as file:
            account.own(file.fileno())
            file.write(text)
        os.rename(draft, path.name, src_dir_fd=folder, dst_dir_fd=folder)


def remove(path: Path, *, account: Account) -> None:
    """Remove a file if it is there, and so is its folder."""
    with suppress(FileNotFoundError), _opened(path.parent, account) as folder:
        _unlink(path.name, folder)


def read(path: Path) -> str:
    """Return the beginning of a short file; what is no file is not waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096).decode(errors="replace")
    finally:
        os.close(descriptor)


@contextmanager
def _opened(folder: Path, account: Account) -> Iterator[int]:
    """Yield a descriptor: the name may lead elsewhere a moment later, this does not."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(descriptor).st_uid != account.uid:
            raise EmbeddedFailed(
                f"{folder} does not belong to {account.name}, as whom PostgreSQL runs. "
                f"Give it away: chown {account.name} {folder}"
            )
        yield descriptor
    finally:
        os.close(descriptor)


def _unlink(name: str, folder: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
