"""Progress is told often, only grows, and comes from what ffmpeg has written."""

import pytest

from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, tone
from worker.converters.media.progress import WRITTEN, Listener
from worker.converters.progress import Meter

FAST = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")


def heard(lines: list[str], seconds: float | None) -> tuple[list[float], Listener]:
    told: list[float] = []
    meter = Meter(lambda value, _stage: told.append(value))
    listener = Listener(meter, until=WRITTEN, stage="encoding", seconds=seconds)
    for line in lines:
        listener.hear(line)
    return told, listener


def test_the_time_written_is_the_progress() -> None:
    lines = [
        *("frame=10", "out_time_us=N/A", "progress=continue"),
        *("frame=50", "out_time_us=5000000", "out_time=00:00:05.000000", "progress=continue"),
        *("frame=49", "out_time_us=4000000", "progress=continue"),
        *("frame=100", "out_time_us=20000000", "progress=end"),
    ]

    told, listener = heard(lines, seconds=10)

    assert told == [0.0, WRITTEN / 2, WRITTEN / 2, WRITTEN]
    assert (listener.written, listener.frames) == (20.0, 100)


def test_without_a_length_it_grows_and_never_arrives() -> None:
    told, _ = heard(["progress=continue"] * 500, seconds=None)

    assert told == sorted(set(told))
    assert told[-1] < WRITTEN


@pytest.mark.parametrize(
    "line", ["", "=", "frame=", "out_time_us=-9", "nonsense", "out_time_us=nan=1"]
)
def test_nonsense_is_not_heard(line: str) -> None:
    told, listener = heard([line, "progress=continue"], seconds=10)

    assert told == [0.0]
    assert listener.written == 0


@pytest.mark.parametrize("target", ["webm", "gif"])
def test_a_job_of_some_length_tells_at_least_five_times(
    converting: Converting, studio: Studio, target: str
) -> None:
    film = studio.built(
        "busy.mp4",
        "-f",
        "lavfi",
        "-i",
        "testsrc2=s=640x360:r=30:d=12",
        *tone(12),
        *FAST,
        "-c:a",
        "aac",
    )

    result = converting(film, "mp4", target, width=640, fps=30)

    values = [value for value, _ in result.told]
    assert len(set(values)) >= 5
    assert values == sorted(values)
    assert max(values) <= 0.99
    stages = list(dict.fromkeys(stage for _, stage in result.told if stage))
    assert [stage for stage in stages if stage != "checking"] == {
        "webm": ["reading", "encoding"],
        "gif": ["reading", "choosing colours", "encoding"],
    }[target]
