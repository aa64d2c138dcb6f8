"""Writes a seccomp filter: classic BPF that looks at the number and the arguments of a system call.

There are no labels: a test stands directly before the piece of program that it lets in or skips.
"""

import struct
from collections.abc import Iterable, Sequence

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, k
Piece = list[Instruction]

NUMBER = 0  # offsets in struct seccomp_data
ARCHITECTURE = 4
_ARGUMENTS = 16

KILL = 0x80000000  # SECCOMP_RET_KILL_PROCESS
ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_FARTHEST = 255

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K


def load(offset: int) -> Piece:
    return [(_LOAD, 0, 0, offset)]


def load_argument(index: int, *, high: bool = False) -> Piece:
    """Load the low, or the high, half of an argument; both architectures are little-endian."""
    return load(_ARGUMENTS + 8 * index + 4 * high)


def keep_bits(mask: int) -> Piece:
    return [(_AND, 0, 0, mask)]


def answer(value: int) -> Piece:
    return [(_RETURN, 0, 0, value)]


def fail(number: int) -> Piece:
    """Let the call fail with this errno."""
    return answer(_ERRNO | number)


def when_equal(value: int, piece: Piece) -> Piece:
    return [(_EQUAL, 0, _near(len(piece)), value), *piece]


def unless_equal(value: int, piece: Piece) -> Piece:
    return [(_EQUAL, _near(len(piece)), 0, value), *piece]


def when_at_least(value: int, piece: Piece) -> Piece:
    return [(_AT_LEAST, 0, _near(len(piece)), value), *piece]


def when_any_bit(mask: int, piece: Piece) -> Piece:
    return [(_ANY_BIT, 0, _near(len(piece)), mask), *piece]


def choose(values: Sequence[int], piece: Piece, otherwise: Piece) -> Piece:
    """Go on with `piece` if what was loaded is one of the values; both pieces have to answer."""
    last = len(values) - 1
    tests = [
        (_EQUAL, _near(last - at), 0 if at < last else _near(len(piece)), value)
        for at, value in enumerate(values)
    ]
    return [*tests, *piece, *otherwise]


def search(answers: Sequence[tuple[int, Piece]]) -> Piece:
    """Go on with the piece of the last number that is not above what was loaded, in few steps.

    The numbers rise, and the first is that of all below the second; each piece has to answer.
    """
    if len(answers) == 1:
        return answers[0][1]
    half = len(answers) // 2
    below, from_here = search(answers[:half]), search(answers[half:])
    return [(_AT_LEAST, _near(len(below)), 0, answers[half][0]), *below, *from_here]


def packed(program: Iterable[Instruction]) -> bytes:
    """Return an array of struct sock_filter."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _near(distance: int) -> int:
    if distance > _FARTHEST:
        raise ValueError(f"a jump over {distance} instructions; one byte holds {_FARTHEST}")
    return distance
