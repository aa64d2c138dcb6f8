"""What the recogniser sees of a file: its first bytes, its last bytes and perhaps its size."""

from dataclasses import dataclass

HEAD_BYTES = 1024 * 1024
TAIL_BYTES = 64 * 1024


@dataclass(frozen=True)
class Window:
    """Bytes at both ends of a file. Without a tail only the first batch has arrived."""

    head: bytes
    tail: bytes
    size: int | None

    @property
    def whole(self) -> bool:
        """Whether the head is the whole file; a short head without a size is taken for it."""
        if self.size is None:
            return not self.tail and len(self.head) < HEAD_BYTES
        return self.size <= len(self.head)

    def at(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`: fewer at an edge, none where we cannot see."""
        if offset < 0 or length <= 0:
            return b""
        if offset < len(self.head) or self.size is None:
            return self.head[offset : offset + length]
        start = offset - (self.size - len(self.tail))
        return self.tail[start : start + length] if start >= 0 else b""


def big(data: bytes) -> int:
    """Return the unsigned big-endian number that these bytes are; no bytes are 0."""
    return int.from_bytes(data, "big")


def little(data: bytes) -> int:
    """Return the unsigned little-endian number that these bytes are; no bytes are 0."""
    return int.from_bytes(data, "little")
