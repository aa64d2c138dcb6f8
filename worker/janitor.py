"""The thread that deletes and looks for files, so that slow storage never holds up the desk."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from typing import get_args
from uuid import UUID

from app.log import get_logger
from app.storage import Area, Storage
from worker import scratch
from worker.sweep import Remains

log = get_logger()
TRASH_SECONDS = 7 * 86400.0
BATCH = 500


@dataclass(frozen=True)
class Tidied:
    """The files of these uploads are gone."""

    upload_ids: tuple[UUID, ...]


@dataclass(frozen=True)
class Old:
    """Old files that may be orphans: the database has to say."""

    keys: tuple[str, ...]


@dataclass(frozen=True)
class Strangers:
    """Scratch folders of other workers: the database has to say whether they live."""

    names: tuple[str, ...]


Found = Tidied | Old | Strangers


class Janitor:
    """Takes orders from the desk, and leaves on a list what the desk must ask the database."""

    def __init__(
        self,
        storage: Storage,
        *,
        house: UUID,
        scratch: Path,
        lease_seconds: float,
        wake: Callable[[], None],
    ) -> None:
        self._storage = storage
        self._house = house
        self._scratch = scratch
        self._lease_seconds = lease_seconds
        self._wake = wake
        self._orders: SimpleQueue[Callable[[], None]] = SimpleQueue()
        # Bounded: a walk over a million files goes on only as fast as the desk can ask.
        self._found: Queue[Found] = Queue(maxsize=4)
        threading.Thread(target=self._serve, name="janitor", daemon=True).start()

    def tidy(self, remains: list[Remains]) -> None:
        """Delete the files of deleted uploads."""
        self._orders.put(lambda: self._tidy(remains))

    def look(self, *, worker: str, orphan_seconds: float) -> None:
        """Look for files older than this, for other workers' scratch, and empty the trash."""
        self._orders.put(lambda: self._look(worker, orphan_seconds))

    def put_aside(self, keys: list[str]) -> None:
        """Move orphans to the trash, from where they can still be fetched for a week."""
        self._orders.put(lambda: self._put_aside(keys))

    def clear(self, names: list[str]) -> None:
        """Delete the scratch folders of dead workers."""
        self._orders.put(lambda: self._clear(names))

    @property
    def has_found(self) -> bool:
        """Whether there is something to ask the database."""
        return not self._found.empty()

    def next_found(self) -> Found | None:
        """Return what the desk has to ask the database about next."""
        try:
            return self._found.get_nowait()
        except Empty:
            return None

    def _serve(self) -> None:
        while True:
            order = self._orders.get()
            try:
                # In the wrong house every file would look like an orphan.
                self._storage.check_house(self._house)
                order()
            except Exception as error:  # noqa: BLE001 - the next round tries again
                log.warning("sweep.storage", reason=repr(error))

    def _tidy(self, remains: list[Remains]) -> None:
        gone = [upload.upload_id for upload in remains if self._delete(upload)]
        if gone:
            self._tell(Tidied(tuple(gone)))

    def _delete(self, upload: Remains) -> bool:
        try:
            # Also what attempts left that no row names.
            for key in {*upload.keys, *self._storage.results_of(upload.upload_id)}:
                self._storage.remove(key)
        except OSError as error:  # one file that stays must not keep the others
            log.warning("sweep.storage", upload=str(upload.upload_id), reason=repr(error))
            return False
        return True

    def _look(self, worker: str, orphan_seconds: float) -> None:
        areas: tuple[Area, ...] = get_args(Area)
        walks = [self._storage.walk(area, older_than_seconds=orphan_seconds) for area in areas]
        # Each walk opens all its folders before its first key: when one of them cannot be
        # listed, nothing at all is swept.
        firsts = [list(islice(walk, 1)) for walk in walks]
        found = chain.from_iterable([*firsts, *walks])
        while some := tuple(islice(found, BATCH)):
            self._tell(Old(some))
        self._storage.empty_trash(older_than_seconds=TRASH_SECONDS)
        names = scratch.left_by_others(
            self._scratch, worker=worker, older_than_seconds=self._lease_seconds
        )
        if names:
            self._tell(Strangers(tuple(names)))

    def _put_aside(self, keys: list[str]) -> None:
        for key in keys:
            try:
                self._storage.trash(key)
            except OSError as error:
                log.warning("sweep.storage", key=key, reason=repr(error))
            else:
                log.info("sweep.orphan", key=key)

    def _clear(self, names: list[str]) -> None:
        for name in names:
            scratch.remove(self._scratch / name)

    def _tell(self, found: Found) -> None:
        self._found.put(found)
        self._wake()
