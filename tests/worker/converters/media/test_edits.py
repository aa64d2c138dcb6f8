"""What somebody cut off from a film, and what the file still holds, is not to be seen again."""

import random
import struct
from pathlib import Path

import pytest

from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, flag, tone
from tests.worker.converters.media.test_times import colour
from worker.converters.media.edits import hides_its_beginning

# A second of red, which is cut off, and one of blue.
H264 = ("-c:v", "libx264", "-sc_threshold", "0", "-pix_fmt", "yuv420p")
FILM = "color=red:s=64x48:r=10:d=1[a];color=blue:s=64x48:r=10:d=1[b];[a][b]concat=n=2"


def cut(studio: Studio, name: str, *codecs: str) -> Path:
    """Return a film of which the red was cut off without encoding, behind its one key frame."""
    film = ("-f", "lavfi", "-i", FILM, *tone(2), *codecs, "-g", "100", "-c:a", "aac")
    whole = studio.built(f"uncut-{name}", *film)
    return studio.built(f"cut-{name}", "-ss", "1", "-i", whole, "-c", "copy")


@pytest.mark.parametrize(
    ("name", "target", "video", "sound"),
    [
        ("a.mp4", "mkv", "encoded as h264", "encoded as aac"),
        ("a.mp4", "webm", "encoded as vp9", "encoded as opus"),
        ("a.mp4", "mov", "copied", "copied"),
        ("b.mov", "avi", "encoded as mpeg4", "encoded as mp3"),
        ("b.mov", "mp4", "encoded as h264", "copied"),
    ],
)
def test_what_was_cut_off_is_not_seen_again(
    converting: Converting, studio: Studio, name: str, target: str, video: str, sound: str
) -> None:
    codec = {"a.mp4": H264, "b.mov": ("-c:v", "mpeg4", "-sc_threshold", "1000000000")}[name]

    result = converting(cut(studio, name, *codec), name.partition(".")[2], target)

    assert {colour(one) for one in seen.frames(result.made)} == {2}
    assert (result.facts["video"], result.facts["sound"]) == (video, sound)
    assert seen.seconds(result.made) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("target", ["aac", "m4a"])
def test_what_was_cut_off_is_not_heard_again(
    converting: Converting, studio: Studio, target: str
) -> None:
    whole = studio.built("uncut.m4a", *tone(2), "-c:a", "aac")
    listed = bytearray(whole.read_bytes())
    at = listed.index(b"elst") + 16  # behind version, count and duration: where it begins
    listed[at : at + 4] = seen.RATE.to_bytes(4, "big")

    result = converting(bytes(listed), "m4a", target)

    assert len(seen.samples(result.made)) / seen.RATE == pytest.approx(1, abs=0.15)
    assert converting(whole, "m4a", target).facts["sound"] == "copied"


def test_pictures_that_are_decoded_before_they_are_shown_are_no_cut(
    converting: Converting, studio: Studio
) -> None:
    """The first one waits for the others, and the list takes the wait away."""
    waiting = ("-c:v", "libx264", "-bf", "3", "-pix_fmt", "yuv420p", "-r", "2", "-c:a", "aac")
    film = studio.built("waiting.mp4", *flag(6), *tone(6), *waiting)

    assert converting(film, "mp4", "mkv").facts["video"] == "copied"


def box(kind: str, *content: bytes, wide: bool = False) -> bytes:
    whole = b"".join(content)
    if wide:
        return struct.pack(">I4sQ", 1, kind.encode(), len(whole) + 16) + whole
    return struct.pack(">I4s", len(whole) + 8, kind.encode()) + whole


def track(starts: list[int], *, delay: int = 0, late: bool = False, wide: bool = False) -> bytes:
    """Return a track of 600 ticks a second; in the newer form of its boxes if `late`."""
    entry = ">QqI" if late else ">IiI"
    edits = b"".join(struct.pack(entry, 900, start, 0x10000) for start in starts)
    times = struct.pack(">QQI" if late else ">III", 0, 0, 600)
    flags = bytes([late, 0, 0, 0])
    delays = box("ctts", bytes(4), struct.pack(">IIi", 1, 9, delay))
    return box(
        "trak",
        box("edts", box("elst", flags, struct.pack(">I", len(starts)), edits, wide=wide)),
        box("mdia", box("mdhd", flags, times), box("minf", box("stbl", delays))),
    )


@pytest.mark.parametrize(
    ("tracks", "is_hidden"),
    [
        ([track([0])], False),
        ([track([])], False),
        ([track([1200], delay=1200)], False),
        ([track([60])], False),  # a tenth of a second, in which an encoder gets under way
        ([track([-1, 0])], False),
        ([track([600])], True),
        ([track([-1, 600])], True),
        ([track([1800], delay=1200, late=True)], True),
        ([track([600], late=True, wide=True)], True),
        ([track([0, 1200])], True),
        ([track([0]), track([600])], True),
        ([track([600]), box("mvex")], False),
    ],
)
def test_a_list_says_at_which_tick_a_film_begins(
    tmp_path: Path, tracks: list[bytes], *, is_hidden: bool
) -> None:
    film = tmp_path / "film"
    film.write_bytes(box("ftyp", b"isom") + box("mdat", bytes(99)) + box("moov", *tracks))

    assert hides_its_beginning(film, "mp4") is is_hidden
    assert not hides_its_beginning(film, "mkv")


def test_a_list_that_makes_no_sense_is_left_to_ffmpeg(studio: Studio, tmp_path: Path) -> None:
    film = cut(studio, "a.mp4", *H264)
    whole = film.read_bytes()
    chance = random.Random(1)
    place = tmp_path / "film"

    for _ in range(300):
        changed = bytearray(whole[: chance.randrange(len(whole) + 1)])
        for _ in range(chance.randrange(1, 40)):
            at = whole.find(chance.choice([b"moov", b"elst", b"trak", b"mdhd", b"ctts", b"stbl"]))
            if 0 <= (at := at + chance.randrange(-8, 24)) < len(changed):
                changed[at] = chance.randrange(256)
        place.write_bytes(changed)
        assert hides_its_beginning(place, "mp4") in (True, False)
