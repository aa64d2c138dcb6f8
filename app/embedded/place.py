"""Where the cluster of a data folder lies: in it, or elsewhere if its user cannot enter there."""

import re
import tempfile
from pathlib import Path

from app.embedded.account import Account, EmbeddedFailed

ELSEWHERE = Path("/var/lib/rowmill")


def cluster_of(data: Path, *, major: int) -> Path:
    """Return `postgres-18` in the data folder, which may be a link to the true place."""
    return data / f"postgres-{major}"


def refuse_other_major(data: Path, *, major: int) -> None:
    """Raise rather than make an empty cluster beside one that another version filled."""
    if cluster_of(data, major=major).exists():
        return
    for other in sorted(data.glob("postgres-*")):
        found = other.name.removeprefix("postgres-")
        if found.isdigit() and other.is_dir():
            raise EmbeddedFailed(
                f"{other} is a database of PostgreSQL {found}; this Rowmill brings {major}. "
                "Start it with the Rowmill that made it and pg_dump its database rowmill; or, to "
                f"begin with an empty one, move {other} out of the data folder."
            )


def refuse_lost_link(cluster: Path) -> None:
    if cluster.is_symlink() and not cluster.exists():
        raise EmbeddedFailed(
            f"{cluster} leads to {cluster.readlink()}, which is gone. Bring that folder back, "
            f"or remove {cluster} to begin with an empty database."
        )


def check_reach(cluster: Path, account: Account) -> None:
    """Raise with the folder that shuts the account out of a cluster that is there."""
    true_place = cluster.resolve()
    if account.can_enter(true_place):
        return
    for folder in reversed(true_place.parents):
        if not account.can_enter(folder):
            raise EmbeddedFailed(
                f"PostgreSQL runs as {account.name}, who cannot enter {folder} any more, but its "
                f"database is in {true_place}. Let it through: chmod o+x {folder}"
            )


def home_for(data: Path, account: Account) -> Path:
    """Return the folder for a new cluster: the data folder, or a new one elsewhere."""
    if account.can_enter(data):
        return data
    ELSEWHERE.mkdir(parents=True, exist_ok=True)
    ELSEWHERE.chmod(0o755)
    # A new name each time: whoever deletes the data folder must not meet its old rows again.
    plain = re.sub(r"\W+", "-", data.name, flags=re.ASCII).strip("-") or "data"
    home = Path(tempfile.mkdtemp(prefix=f"{plain}-", dir=ELSEWHERE))
    home.chmod(0o755)  # it stays ours: in a folder of the account root must not make anything
    return home
