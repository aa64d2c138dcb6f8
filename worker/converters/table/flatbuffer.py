"""Reads tables of a FlatBuffer, as much of it as the footer of a Feather 1 file needs."""

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A table: `at` is where it begins. A field that is not there has its default."""

    data: bytes
    at: int

    @classmethod
    def root(cls, data: bytes) -> "Node":
        return cls(data, _number("<I", data, 0))

    def number(self, field: int, kind: str) -> int:
        """Return a number; `kind` is b, i or q, as struct calls one of 1, 4 or 8 bytes."""
        place = self._place(field)
        return _number("<" + kind, self.data, place) if place else 0

    def text(self, field: int) -> str:
        place = self._place(field)
        if not place:
            return ""
        start = self._followed(place)
        return self.data[start + 4 : start + 4 + _number("<I", self.data, start)].decode()

    def node(self, field: int) -> "Node | None":
        place = self._place(field)
        return Node(self.data, self._followed(place)) if place else None

    def nodes(self, field: int) -> list["Node"]:
        place = self._place(field)
        if not place:
            return []
        start = self._followed(place)
        count = _number("<I", self.data, start)
        if count * 4 > len(self.data):
            raise ValueError("a list is longer than the file")
        return [Node(self.data, self._followed(start + 4 + 4 * number)) for number in range(count)]

    def _place(self, field: int) -> int:
        table = self.at - _number("<i", self.data, self.at)
        entry = 4 + 2 * field
        if entry >= _number("<H", self.data, table):
            return 0
        offset = _number("<H", self.data, table + entry)
        return self.at + offset if offset else 0

    def _followed(self, place: int) -> int:
        return place + _number("<I", self.data, place)


def _number(kind: str, data: bytes, at: int) -> int:
    if at < 0:
        raise ValueError("it points outside of itself")
    number: int = struct.unpack_from(kind, data, at)[0]
    return number
