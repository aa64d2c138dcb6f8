"""Who runs the embedded PostgreSQL: never root, which it refuses, and never a stranger."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

UNPRIVILEGED = ("postgres", "nobody")


class EmbeddedFailed(Exception):
    """The embedded PostgreSQL cannot run; the text says why and what to do."""


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int

    @property
    def switch(self) -> dict[str, Any]:
        """The arguments with which subprocess starts a program as this account."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def can_enter(self, folder: Path) -> bool:
        """Ask the kernel rather than the mode bits: there are ACLs, and more."""
        return self._runs(["test", "-x", str(folder)])

    def can_run(self, program: Path) -> bool:
        return self._runs([str(program), "--version"])

    def own(self, descriptor: int) -> None:
        """Take what is open there: a name could be a link by now."""
        if self.uid != os.geteuid():
            os.fchown(descriptor, self.uid, self.gid)

    def make_folder(self, folder: Path) -> None:
        """Make a private folder of this account; raise FileExistsError if the name is taken."""
        folder.mkdir(mode=0o700)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            self.own(descriptor)
        finally:
            os.close(descriptor)

    def _runs(self, command: list[str]) -> bool:
        quiet = subprocess.DEVNULL
        try:
            done = subprocess.run(
                command, stdout=quiet, stderr=quiet, check=False, cwd="/", **self.switch
            )
        except OSError:
            return False
        return done.returncode == 0


def account_for(cluster: Path) -> Account:
    """Return the owner of the cluster; for a new one ourselves, or as root somebody else."""
    if cluster.exists():
        return _owner(cluster)
    return _somebody_else() if os.geteuid() == 0 else _of_uid(os.geteuid())


def _owner(cluster: Path) -> Account:
    owner = _of_uid(cluster.stat().st_uid)
    if owner.uid == 0:
        raise EmbeddedFailed(
            f"{cluster} belongs to root, as whom PostgreSQL refuses to run. "
            f"Give it away: chown -R {_somebody_else().name} {cluster}"
        )
    if os.geteuid() not in {0, owner.uid}:
        raise EmbeddedFailed(
            f"{cluster} belongs to {owner.name}. Run Rowmill as {owner.name}, "
            "or choose another data folder with ROWMILL_DATA."
        )
    return owner


def _somebody_else() -> Account:
    for name in UNPRIVILEGED:
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise EmbeddedFailed(
        "PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody "
        "to run it as. Make one: useradd --system postgres"
    )


def _of_uid(uid: int) -> Account:
    try:
        return _account(pwd.getpwuid(uid))
    except KeyError:
        raise EmbeddedFailed(
            f"User {uid} has no name here, without which initdb does not run. "
            "Run Rowmill as a user in /etc/passwd, or set DATABASE_URL."
        ) from None


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
