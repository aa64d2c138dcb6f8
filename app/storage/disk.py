"""Files in folders of one file system."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

from app.storage import durable, house, keys

GIB = 1024**3
FOLDERS = ("incoming", "objects", "results", "trash")


class DiskStorage:
    """The Storage of one folder; `reserve` bytes are left free (default: 2 %, at most 1 GiB)."""

    def __init__(self, root: Path, *, reserve: int | None = None) -> None:
        self.root = root
        self._reserve = reserve
        self._lasting: set[Path] = set()

    def claim_house(self, house_id: UUID, *, may_create: bool) -> None:
        self._make_folders()
        house.claim(self.root, house_id, may_create=may_create)

    def check_house(self, house_id: UUID) -> None:
        house.check(self.root, house_id)

    def incoming(self, upload_id: UUID) -> Path:
        return self.path(keys.incoming_key(upload_id))

    def free_bytes(self) -> int:
        disk = os.statvfs(self.root)
        total, free = disk.f_blocks * disk.f_frsize, disk.f_bavail * disk.f_frsize
        reserve = min(GIB, total // 50) if self._reserve is None else self._reserve
        return max(0, free - reserve)

    def room_for(self, size: int) -> bool:
        return size <= self.free_bytes()

    def store(self, part: Path, key: str) -> None:
        target = self.path(key)
        self._make_shard(target.parent)
        durable.move(part, target)

    def publish(self, made: Path, key: str) -> None:
        self.publish_all({made: key})

    def publish_all(self, made: Mapping[Path, str]) -> None:
        moves = {source: self.path(key) for source, key in made.items()}
        for source in moves:
            durable.sync_file(source)
        for target in moves.values():
            self._make_shard(target.parent)
        durable.move_out(moves)

    def link(self, key: str, name: str) -> None:
        target = self.path(name)
        os.link(self.path(key), target, follow_symlinks=False)
        durable.sync_folder(target.parent)

    def read(self, key: str, *, most_bytes: int) -> bytes:
        return durable.read(self.path(key), most_bytes=most_bytes)

    def results_of(self, upload_id: UUID) -> list[str]:
        folder, beginning = keys.results_folder(upload_id)
        try:
            with os.scandir(self.root / folder) as entries:
                names = [entry.name for entry in entries if entry.name.startswith(beginning)]
        except FileNotFoundError:
            return []
        return sorted(filter(keys.is_key, (f"{folder}/{name}" for name in names)))

    def path(self, key: str) -> Path:
        if not keys.is_key(key):
            raise keys.ForeignKey(f"not a key of this storage: {key!r}")
        return self.root / key

    def exists(self, key: str) -> bool:
        return self.path(key).is_file()

    def age(self, key: str) -> float:
        return self._now() - self.path(key).stat().st_mtime

    def remove(self, key: str) -> bool:
        return _unlink(self.path(key))

    def walk(self, area: keys.Area, *, older_than_seconds: float) -> Iterator[str]:
        """Look at every folder before the first key is yielded: half a picture deletes too much."""
        before = self._now() - older_than_seconds
        folders = [self.root / area] if area == "incoming" else _shards(self.root / area)
        for folder in folders:
            os.scandir(folder).close()
        for folder in folders:
            yield from self._old_keys(folder, before)

    def trash(self, key: str) -> None:
        """Keep the area in the name, and make the time of the file the time it came there."""
        area, name = key.split("/", 1)[0], self.path(key).name
        aside = self.root / "trash" / f"{area}-{name}"
        self.path(key).rename(aside)
        os.utime(aside)

    def empty_trash(self, *, older_than_seconds: float) -> int:
        old = _old_files(self.root / "trash", self._now() - older_than_seconds)
        return sum(_unlink(file) for file in old)

    def _now(self) -> float:
        """Ask the clock that dates the files: by this machine's own, new ones may look old."""
        os.utime(self.root)
        return self.root.stat().st_mtime

    def _make_folders(self) -> None:
        durable.make_path(self.root, mode=0o700)
        for name in FOLDERS:
            durable.make_folder(self.root / name)

    def _make_shard(self, shard: Path) -> None:
        """Make sure once in our life that the shard lasts, whoever has made it."""
        if shard not in self._lasting or not shard.exists():
            durable.make_folder(shard)
            self._lasting.add(shard)

    def _old_keys(self, folder: Path, before: float) -> Iterator[str]:
        for file in _old_files(folder, before):
            key = file.relative_to(self.root).as_posix()
            if keys.is_key(key):
                yield key


def _shards(area: Path) -> list[Path]:
    return sorted(path for path in area.iterdir() if len(path.name) == 2)


def _old_files(folder: Path, before: float) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # someone else removed it meanwhile
            if entry.is_file(follow_symlinks=False) and found.st_mtime < before:
                yield Path(entry.path)


def _unlink(file: Path) -> bool:
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    return True
