"""How far ffmpeg is: its own report of the time it has written, as a growing number."""

from worker.converters.progress import Meter

WRITTEN = 0.95
_CREEP = 0.01  # of what is left, for each report, while nobody knows how long it will be


class Listener:
    """Hears `-progress` of one run of ffmpeg that brings the meter up to `until`.

    `seconds` is how much time the run will write, or None if nobody knows; `written` is how much
    it has written, as far as it told, and `frames` how many pictures.
    """

    def __init__(self, meter: Meter, *, until: float, stage: str, seconds: float | None) -> None:
        self._meter = meter
        self._start = meter.value
        self._until = until
        self._stage = stage
        self._seconds = seconds
        self.written = 0.0
        self.frames = 0

    def hear(self, line: str) -> None:
        name, _, value = line.partition("=")
        match name:
            case "out_time_us":  # "N/A" until the first packet is written
                self.written = max(self.written, _number(value) / 1_000_000)
            case "frame":
                self.frames = max(self.frames, int(_number(value)))
            case "progress":
                self._tell()

    def _tell(self) -> None:
        if self._seconds:
            grown = min(1.0, self.written / self._seconds) * (self._until - self._start)
            self._meter.reach(self._start + grown, self._stage)
        else:
            left = self._until - self._meter.value
            self._meter.reach(self._meter.value + left * _CREEP, self._stage)


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return 0.0
