"""Opens the packages that xlsx and ods are, and finds what their parts refer to."""

import posixpath
import zipfile
from pathlib import Path

from worker.converters.table.workbook.markup import Attributes, Reader, broken, read_all

Relations = dict[str, tuple[str, str]]


def opened(source: Path) -> zipfile.ZipFile:
    """Open a package; the names of its parts are those that it lists itself."""
    try:
        return zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise broken("it cannot be unpacked") from error


class _Relations(Reader):
    def __init__(self) -> None:
        self.found: list[tuple[str, str, str]] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "Relationship":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.found.append((attributes.get("Id", ""), kind, attributes.get("Target", "")))


def relations(package: zipfile.ZipFile, part: str) -> Relations:
    """Return (kind, part) of what a part refers to, by the name of the reference."""
    folder, name = posixpath.split(part)
    place = posixpath.join(folder, "_rels", name + ".rels")
    if place not in package.NameToInfo:
        return {}
    reader = _Relations()
    read_all(package, place, reader)
    return {
        key: (kind, posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/"))
        for key, kind, target in reader.found
    }


def target_of(relations: Relations, kind: str) -> str | None:
    return next((part for found, part in relations.values() if found == kind), None)
