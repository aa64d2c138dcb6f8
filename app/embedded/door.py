"""The socket of the server and who may come in: the account that runs Rowmill, nobody else."""

import hashlib
import os
import pwd
import re
import stat
from pathlib import Path
from urllib.parse import quote

from app.embedded import inside
from app.embedded.account import Account, EmbeddedFailed

LIMIT = 107  # bytes in sockaddr_un.sun_path, less the NUL
_SOCKET = ".s.PGSQL.5432"
_SHORT = Path("/tmp")  # noqa: S108 -- the folder in it is checked before it is trusted


def socket_folder(cluster: Path) -> Path:
    """Return the cluster's own folder, which is 0700; another if its name is long or not plain.

    libpq and the server split a list at commas, and some characters need quotes.
    """
    place = str(cluster)
    if re.fullmatch(r"[\w./+-]+", place, flags=re.ASCII) and len(place) + 1 + len(_SOCKET) <= LIMIT:
        return cluster
    return _SHORT / f"rowmill-{hashlib.sha256(os.fsencode(cluster)).hexdigest()[:16]}"


def socket_files(cluster: Path) -> tuple[Path, Path]:
    """Return the socket and the lock beside it, which the server makes and removes."""
    folder = socket_folder(cluster)
    return folder / _SOCKET, folder / f"{_SOCKET}.lock"


def open_socket_folder(folder: Path, account: Account) -> None:
    """Make the folder if it is missing; refuse one that somebody else could open."""
    try:
        account.make_folder(folder)
    except FileExistsError:
        found = folder.lstat()
        private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
        if not private or found.st_uid != account.uid:
            raise EmbeddedFailed(
                f"{folder} is not a private folder of {account.name}. Remove it, "
                "or choose a data folder with a shorter name in ROWMILL_DATA."
            ) from None


def url(folder: Path, *, role: str = "rowmill", database: str = "rowmill") -> str:
    return f"postgresql+psycopg2://{role}@/{database}?host={quote(str(folder), safe='/')}"


def admit_only_us(cluster: Path, account: Account) -> None:
    """Write who may connect: by the kernel's word for who is at the other end, no password."""
    us = pwd.getpwuid(os.geteuid()).pw_name
    rule = "local all all peer map=rowmill\n"
    inside.write(cluster / "pg_hba.conf", rule, account=account)
    roles = "".join(f'rowmill "{us}" {role}\n' for role in ("rowmill", "postgres"))
    inside.write(cluster / "pg_ident.conf", roles, account=account)
