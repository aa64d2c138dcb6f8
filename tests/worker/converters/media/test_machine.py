"""The machine's own troubles are no fault of the recording; which ffmpeg converts; what it can."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.formats.media import MEDIA
from tests.worker.converters import cells
from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, flag, tone
from tests.worker.converters.media.studio import ffmpeg as ffmpeg_says
from worker.cell import conversion
from worker.converters.media import ffmpeg, installed
from worker.converters.media.tracks import MOST_SOUNDS
from worker.converters.program import Ended
from worker.outcome import Converted
from worker.spawner.client import Spawner

ROOT = Path(__file__).parents[4]
FAST = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")


def program(path: Path, says: str, code: int = 0) -> str:
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
    path.chmod(0o755)
    return str(path)


def test_importing_starts_no_thread() -> None:
    """The spawner forks after it; a second thread would make every cell a gamble."""
    code = "import os, worker.converters.media\nprint(len(os.listdir('/proc/self/task')))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.stdout.strip() == "1"


def test_of_those_that_can_do_the_same_the_newest_ffmpeg_is_taken(tmp_path: Path) -> None:
    old = program(tmp_path / "old", "ffmpeg version 5.1.9-0+deb12u1 Copyright")
    new = program(tmp_path / "new", "ffmpeg version n9.0.2-17-g2a57 Copyright")
    newer = program(tmp_path / "newer", "ffmpeg version 10.0 Copyright")
    nightly = program(tmp_path / "nightly", "ffmpeg version N-119 Copyright")

    assert installed.best([old, new]) == new
    assert installed.best([new, old]) == new
    assert installed.best([new, newer]) == newer
    assert installed.best([nightly, old]) == old


def able(path: Path, version: str) -> str:
    return program(path, f"ffmpeg version {version}\n V....D libx264 H.264")


def test_a_newer_ffmpeg_that_can_do_less_is_not_taken(tmp_path: Path) -> None:
    whole = able(tmp_path / "whole", "9.0")
    new = program(tmp_path / "new", "ffmpeg version n9.1.0")

    assert installed.best([whole, new]) == whole
    assert installed.best([new, whole]) == whole


def test_an_ffmpeg_that_is_known_to_be_bad_is_taken_only_where_there_is_no_other(
    tmp_path: Path,
) -> None:
    bad = able(tmp_path / "bad", "8.1.2")
    good = program(tmp_path / "good", "ffmpeg version 8.1.3")

    assert installed.best([bad, good]) == good
    assert installed.best([bad]) == bad


def test_an_ffmpeg_that_does_not_run_is_not_taken(tmp_path: Path) -> None:
    broken = program(tmp_path / "broken", "ffmpeg version 99.0", code=1)
    old = program(tmp_path / "old", "ffmpeg version 5.1.9")

    assert installed.best([broken, str(tmp_path / "missing"), old]) == old
    assert installed.best([broken]) is None


def tried(spawner: Spawner, folder: Path) -> dict[str, dict[str, str | None]]:
    """Return what the trial says in a cell."""
    outcome = cells.tried(spawner, MEDIA, folder)
    assert isinstance(outcome, Converted), outcome
    pairs: dict[str, dict[str, str | None]] = outcome.facts["pairs"]
    assert json.loads((folder / "output.json").read_text()) == pairs
    return pairs


def test_the_trial_says_that_everything_works(spawner: Spawner, tmp_path: Path) -> None:
    pairs = tried(spawner, tmp_path)

    assert {(a, b) for a, targets in pairs.items() for b in targets} == set(MEDIA.pairs)
    assert [why for targets in pairs.values() for why in targets.values() if why] == []


def poor(path: str, folder: Path) -> dict[str, dict[str, str | None]]:
    code = (
        "import importlib, json, pathlib, sys\n"
        "module = importlib.import_module('worker.converters.media.trial')\n"
        "module.FFMPEG = sys.argv[1] or None\n"
        "print(json.dumps(module._pairs(pathlib.Path(sys.argv[2]))))"
    )
    asked = [sys.executable, "-c", code, path, str(folder)]
    done = subprocess.run(asked, check=True, capture_output=True, text=True, cwd=ROOT)
    pairs: dict[str, dict[str, str | None]] = json.loads(done.stdout)
    return pairs


def test_the_trial_says_what_a_poor_ffmpeg_lacks(tmp_path: Path) -> None:
    lists = tmp_path / "ffmpeg"
    lists.write_text(
        "#!/bin/sh\ncase $2 in\n"
        "-encoders) echo ' A....D libmp3lame  MP3'; echo ' V....D mjpeg  JPEG';;\n"
        "-muxers) echo '  E  mp3  MP3'; echo '  E  image2  image';;\n"
        "-demuxers) echo ' D  mov,mp4,m4a  QuickTime'; echo ' D  wav  WAV';;\nesac\n"
    )
    lists.chmod(0o755)

    pairs = poor(str(lists), tmp_path)

    assert pairs["mp4"]["mp3"] is None
    assert pairs["mp4"]["jpg"] is None
    assert "no libx264, no aac, no mov_text, no mp4" in str(pairs["mp4"]["mp4"])
    assert "cannot read matroska" in str(pairs["mkv"]["mp3"])


def test_the_trial_does_not_believe_an_ffmpeg_that_only_lists(tmp_path: Path) -> None:
    lists = tmp_path / "ffmpeg"
    lists.write_text(
        f"#!/bin/sh\ncase $2 in -encoders|-muxers|-demuxers) exec {installed.FFMPEG} $1 $2;; esac\n"
        "echo 'Illegal instruction' >&2; exit 132\n"
    )
    lists.chmod(0o755)

    reasons = {why for targets in poor(str(lists), tmp_path).values() for why in targets.values()}

    assert reasons == {f"{lists} could not convert a tiny film: Illegal instruction"}
    assert [path.name for path in tmp_path.iterdir()] == ["ffmpeg"]


def test_the_trial_says_that_there_is_no_ffmpeg(tmp_path: Path) -> None:
    reasons = {why for targets in poor("", tmp_path).values() for why in targets.values()}

    assert len(reasons) == 1
    assert "install imageio-ffmpeg" in str(reasons.pop())


@pytest.mark.parametrize("target", ["mp4", "mkv", "wav", "gif", "png"])
def test_a_result_that_finds_no_room_is_nobodys_fault(
    converting: Converting, studio: Studio, target: str
) -> None:
    result = converting(studio.sample("mp4", 6.0), "mp4", target, file_bytes=2000)

    assert result.broken.code == "result_too_large"


@pytest.mark.parametrize("memory", [180, 260, 400])
def test_too_little_memory_is_called_that(
    converting: Converting, studio: Studio, memory: int
) -> None:
    """How far ffmpeg comes differs: to its start, to the decoder, to the encoder."""
    large = studio.built("uhd.mp4", "-f", "lavfi", "-i", "testsrc2=s=3840x2160:r=10:d=0.5", *FAST)

    result = converting(large, "mp4", "mp4", memory_bytes=memory * 1024**2, quality=70)

    assert result.broken.code in ("memory_limit", "converter_crashed")
    assert result.broken.code == "memory_limit" or memory < 200


def test_four_thousand_pixels_across_fit_the_memory_of_a_cell(
    converting: Converting, studio: Studio
) -> None:
    large = studio.built("uhd.mp4", "-f", "lavfi", "-i", "testsrc2=s=3840x2160:r=10:d=0.5", *FAST)

    assert converting(large, "mp4", "mp4", quality=70).facts["width"] == 3840


def test_a_cell_starts_no_more_than_it_may(converting: Converting, studio: Studio) -> None:
    """The worst: look, copy in vain, encode, measure whether the end is missing."""
    rate = ("-c:a", "libmp3lame", "-ar", "8000")
    film = studio.built(
        "worst.mkv", *flag(6), "-f", "lavfi", "-i", "sine=d=6", *FAST, *rate
    ).read_bytes()

    refused = converting(film[: len(film) * 2 // 3], "mkv", "mp4").refused

    assert refused.code == "corrupt_input"
    assert "incomplete" in str(refused.detail)


def test_what_was_measured_before_is_not_measured_again(
    converting: Converting, studio: Studio
) -> None:
    """Look, measure, copy in vain, encode: of nine sounds only the last, left out, is long."""
    sounds = [part for _ in range(MOST_SOUNDS) for part in ("-map", "1")]
    streams = ("-map", "0", *sounds, "-map", "2", *FAST, "-c:a", "libmp3lame", "-ar", "8000")
    live = ("-f", "matroska", "pipe:1")  # which cannot go back and write how long it is
    film = ffmpeg_says(*flag(1), *tone(1), *tone(6), *streams, *live)

    result = converting(film, "mkv", "mp4")

    assert seen.seconds(result.made) == pytest.approx(1, abs=0.2)
    assert "ends after 0:01 of 0:06" in result.notes


def test_an_ffmpeg_that_the_machine_killed_may_do_better_another_time() -> None:
    killed = Ended(None, signal.SIGKILL, b"", "frame=  10")

    with pytest.raises(OSError, match="the machine") as shortage:
        ffmpeg._raise_what_the_machine_did(killed)
    assert conversion._code(shortage.value) == "machine_memory"


_OPENS_NOT = (
    "[vost#0:0/libx264 @ 0x55] [enc:libx264 @ 0x56] [error] Error while opening encoder - maybe "
    "incorrect parameters such as bit_rate, rate, width or height.\n"
    "[vf#0:0 @ 0x57] [error] Task finished with error code: -542398533 "
    "(Generic error in an external library)\n"
)


@pytest.mark.parametrize(
    ("said", "is_memory"),
    [
        (_OPENS_NOT, True),
        (f"[libx264 @ 0x58] [error] malloc of size 3000000 failed\n{_OPENS_NOT}", True),
        (f"[libx264 @ 0x58] [error] height not divisible by 2 (401x301)\n{_OPENS_NOT}", False),
        (_OPENS_NOT.splitlines()[0], False),
    ],
    ids=["mute", "malloc", "parameters", "other"],
)
def test_an_encoder_that_opens_not_and_says_nothing_lacks_memory(
    said: str, *, is_memory: bool
) -> None:
    assert ffmpeg._is_short_of_memory(Ended(69, None, b"", said)) is is_memory
