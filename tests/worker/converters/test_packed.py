"""What a packed file really holds is counted, whatever it says of itself."""

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.converters import packed
from worker.converters.limits import Limits
from worker.outcome import Refused

MIB = 1024**2
Checking = Callable[..., Refused | None]


@pytest.fixture
def checking(tmp_path: Path) -> Checking:
    def check(content: bytes, **limits: int) -> Refused | None:
        source = tmp_path / "input.docx"
        source.write_bytes(content)
        return packed.check(source, limits=Limits(**limits))

    return check


def zip_of(
    *members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b""
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
        archive.comment = comment
    return out.getvalue()


def with_a_lie(content: bytes, said: int, truth: int) -> bytes:
    """Replace a size everywhere it stands in the headers."""
    lied = content.replace(truth.to_bytes(4, "little"), said.to_bytes(4, "little"))
    assert lied != content
    return lied


def refused(outcome: Refused | None) -> Refused:
    assert outcome is not None
    return outcome


ORDINARY = (("word/document.xml", b"<w:document/>" * 99), ("media/a.png", bytes(range(256)) * 99))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("comment", [b"", b"saved by PK\5\7 a program"])
def test_an_ordinary_file_may_be_opened(checking: Checking, method: int, comment: bytes) -> None:
    assert checking(zip_of(*ORDINARY, method=method, comment=comment)) is None


def test_a_file_written_without_going_back_may_be_opened(checking: Checking) -> None:
    """Its sizes stand behind each member, and nothing in front."""

    class Stream(io.RawIOBase):
        written = b""

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            self.written += bytes(data)  # type: ignore[call-overload]
            return len(data)  # type: ignore[arg-type]

    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in ORDINARY:
            archive.writestr(name, content)

    assert checking(stream.written) is None


def test_a_member_with_long_numbers_may_be_opened(checking: Checking) -> None:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as member,
    ):
        member.write(b"x" * 1000)

    assert checking(out.getvalue()) is None


def test_the_long_list_of_a_large_archive_is_read(checking: Checking) -> None:
    content = bytearray(zip_of(*ORDINARY))
    at = content.rfind(b"PK\5\6")
    length, start = content[at + 12 : at + 16], content[at + 16 : at + 20]
    record = b"PK\6\6" + (44).to_bytes(8, "little") + bytes(28)
    record += length + bytes(4) + start + bytes(4)
    locator = b"PK\6\7" + bytes(4) + at.to_bytes(8, "little") + bytes(4)
    end = content[at : at + 12] + b"\xff" * 8 + content[at + 20 :]
    long = bytes(content[:at]) + record + locator + bytes(end)

    assert checking(long) is None
    assert refused(checking(long, max_inflated_bytes=1000)).code == "inflates_too_much"
    assert refused(checking(long.replace(b"PK\6\6", b"PK\0\0"))).code == "corrupt_input"


def test_what_unpacks_to_too_much_is_refused_with_the_numbers(checking: Checking) -> None:
    content = zip_of(("a", b"\0" * 600_000), ("b", b"\0" * 600_000))

    detail = str(refused(checking(content, max_inflated_bytes=1_000_000)).detail)

    assert f"{len(content):,} bytes unpacks to more than 1,000,000" in detail
    assert "ROWMILL_MAX_INFLATED_BYTES" in detail
    assert checking(content, max_inflated_bytes=1_200_000) is None


@pytest.mark.parametrize("said", [1, 0])
def test_a_bomb_that_says_it_is_small_is_counted_all_the_same(
    checking: Checking, said: int
) -> None:
    content = with_a_lie(zip_of(("a", b"\0" * 3 * MIB)), said, truth=3 * MIB)

    assert refused(checking(content, max_inflated_bytes=2 * MIB)).code == "inflates_too_much"


def test_members_that_share_their_bytes_are_counted_each(checking: Checking) -> None:
    """As in the bombs of D. Fifield (2019): many entries of the list, one packed body."""
    content = zip_of(("a", b"\0" * MIB))
    at, end = content.index(b"PK\1\2"), content.rfind(b"PK\5\6")
    entry, record = content[at:end], bytearray(content[end:])
    record[12:16] = (len(entry) * 50).to_bytes(4, "little")
    bomb = content[:at] + entry * 50 + bytes(record)

    assert refused(checking(bomb, max_inflated_bytes=40 * MIB)).code == "inflates_too_much"


def test_a_dense_file_is_refused_by_its_ratio_once_it_is_large(checking: Checking) -> None:
    dense = zip_of(("a", b"\0" * 40 * MIB))
    small = zip_of(("a", b"\0" * 20 * MIB))

    detail = str(refused(checking(dense)).detail)

    assert "more than 200 times its size" in detail
    assert "ROWMILL_MAX_ZIP_RATIO" in detail
    assert checking(small) is None


def test_too_many_members_are_refused_with_the_number(checking: Checking) -> None:
    content = zip_of(*((f"{number}", b"") for number in range(12)))

    answer = refused(checking(content, max_zip_entries=11))

    assert answer.code == "inflates_too_much"
    assert "more than 11 parts" in str(answer.detail)
    assert checking(content, max_zip_entries=12) is None


def test_a_bomb_is_counted_in_constant_memory(checking: Checking) -> None:
    content = zip_of(("a", b"\0" * 31 * MIB))
    tracemalloc.start()

    assert checking(content) is None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 4 * MIB


def _cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


def _changed(content: bytes) -> bytes:
    at = content.index(b"media/a.png") + 60
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def _stub(content: bytes) -> bytes:
    return b"MZ stub" + content


def _moved(content: bytes) -> bytes:
    at = content.rfind(b"PK\5\6") + 16
    return content[:at] + (len(content) * 2).to_bytes(4, "little") + content[at + 4 :]


def _listless(content: bytes) -> bytes:
    return content.replace(b"PK\1\2", b"PK\1\3")


def _headless(content: bytes) -> bytes:
    return content[:4] + content[4:].replace(b"PK\3\4", b"PK\3\5")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("spoil", [_cut, _changed, _stub, _moved, _listless, _headless])
def test_a_damaged_file_is_named_so(
    checking: Checking, spoil: Callable[[bytes], bytes], method: int
) -> None:
    answer = refused(checking(spoil(zip_of(*ORDINARY, method=method))))

    assert answer.code == "corrupt_input"
    assert str(answer.detail).startswith("The file is damaged")


def test_an_archive_of_two_lists_is_not_stepped_into(checking: Checking) -> None:
    """Its end points to the first; readers that look right before the end would take the second."""
    first, second = zip_of(("small", b"")), zip_of(*ORDINARY)
    ahead, end = first[: first.rfind(b"PK\5\6")], first[first.rfind(b"PK\5\6") :]

    assert refused(checking(first + second)).code == "corrupt_input"
    assert (
        refused(checking(ahead + second[: second.rfind(b"PK\5\6")] + end)).code == "corrupt_input"
    )


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n", b"just text"])
def test_what_is_no_zip_is_refused(checking: Checking, content: bytes) -> None:
    assert "not the kind of file" in str(refused(checking(content)).detail)


def test_a_member_locked_with_a_password_asks_for_one(checking: Checking) -> None:
    content = bytearray(zip_of(*ORDINARY))
    content[content.index(b"PK\1\2") + 8] |= 1

    assert refused(checking(bytes(content))).code == "password_required"


def test_an_uncommon_packing_is_refused_and_not_called_damage(checking: Checking) -> None:
    content = zip_of(*ORDINARY, method=zipfile.ZIP_LZMA)

    assert refused(checking(content)).code == "unsupported_content"


def compound(stream: str) -> bytes:
    """Return an OLE file ([MS-CFB] 2.2, 2.6.1) whose root folder holds one stream, of no bytes."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(24, b"\0") + b"\x3e\0\3\0\xfe\xff\x09\0\6\0"
    head = head.ljust(44, b"\0") + b"\1\0\0\0" + b"\1\0\0\0"  # the directory is sector 1
    head = head.ljust(76, b"\0") + bytes(4) + b"\xff" * 432
    table = b"\xfd\xff\xff\xff\xfe\xff\xff\xff".ljust(512, b"\xff")
    return head + table + (_entry("Root Entry", child=1) + _entry(stream)).ljust(512, b"\0")


def _entry(name: str, *, child: int = 0xFFFFFFFF) -> bytes:
    written = (name + "\0").encode("utf-16-le")
    body = written.ljust(64, b"\0") + len(written).to_bytes(2, "little") + b"\2\1" + b"\xff" * 8
    return (body + child.to_bytes(4, "little")).ljust(128, b"\0")


def test_office_s_own_lock_asks_for_the_password(checking: Checking) -> None:
    locked = compound("EncryptedPackage")

    assert refused(checking(locked)).code == "password_required"
    assert refused(checking(compound("WordDocument"))).code == "corrupt_input"


@pytest.mark.corpus
def test_real_files_are_told_apart(corpus: Path) -> None:
    expected = {"password.docx": "password_required"}
    for source in sorted(corpus.glob("*")):
        if source.suffix in (".docx", ".odt", ".epub", ".xlsx", ".pptx", ".ods", ".odp"):
            answer = packed.check(source, limits=Limits())
            assert (answer.code if answer else None) == expected.get(source.name), source.name
