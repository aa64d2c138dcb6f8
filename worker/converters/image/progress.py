"""How far a picture is, by what libvips says of its pixels."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyvips

from worker.converters.progress import Meter

WRITTEN = 0.95
PIXELS_DONE = 0.9  # encoders finish after the last pixel was read, so there is more to come
TICK = 0.2


class ImageMeter(Meter):
    """Tells of pages, and of what libvips computes."""

    def part(self, place: int, count: int) -> "ImageMeter":
        """Return a meter for one of `count` equal parts, the `place`-th from 0: a page."""

        def tell(value: float, _stage: str) -> None:
            done = min(1.0, value / WRITTEN)
            self.reach(WRITTEN * (place + done) / count, f"page {place + 1} of {count}")

        return ImageMeter(tell)

    @contextmanager
    def watch(
        self, image: pyvips.Image, *, until: float, stage: str, quiet: float = 0.0
    ) -> Iterator[None]:
        """Tell, while libvips computes `image`, how the value grows from now to `until`.

        `quiet` is how many seconds of processor time the encoder is likely to take after the
        last pixel was handed to it, when libvips has nothing to say: the value then nears
        PIXELS_DONE as that time is used up, and stands still if the encoder does.
        """
        watching = _Watching(self, image, until, stage)
        with watching.heard(), watching.guessed(quiet):
            yield
        self.reach(PIXELS_DONE if quiet else until, stage)


class _Watching:
    """One computation of libvips, and the exception that telling of it raised, if any."""

    def __init__(self, meter: Meter, image: pyvips.Image, until: float, stage: str) -> None:
        self._meter = meter
        self._image = image
        self._start = meter.value
        self._until = until
        self._stage = stage
        self._percent = -1
        self._raised: BaseException | None = None

    @contextmanager
    def heard(self) -> Iterator[None]:
        self._image.set_progress(True)
        self._image.signal_connect("eval", self._hear)
        try:
            yield
        except pyvips.Error:
            if self._raised is None:
                raise
        if self._raised is not None:
            raise self._raised

    @contextmanager
    def guessed(self, quiet: float) -> Iterator[None]:
        ended = threading.Event()
        guessing = threading.Thread(target=self._guess, args=(ended, quiet), daemon=True)
        if quiet:
            guessing.start()
        try:
            yield
        finally:
            ended.set()
            if quiet:
                guessing.join()

    def _hear(self, _image: pyvips.Image, state: Any) -> None:
        if state.percent > self._percent:
            self._percent = state.percent
            grown = (self._until - self._start) * state.percent / 100
            self._tell(min(self._until, self._start + grown))

    def _guess(self, ended: threading.Event, quiet: float) -> None:
        used = time.process_time()
        while not ended.wait(TICK):
            before, used = used, time.process_time()
            left = PIXELS_DONE - self._meter.value
            self._tell(self._meter.value + left * (1 - math.exp((before - used) / quiet)))

    def _tell(self, value: float) -> None:
        """Tell, and keep what it raises: C calls back, where an exception would only be printed."""
        if self._raised is None:
            try:
                self._meter.reach(value, self._stage)
            except BaseException as error:  # noqa: BLE001 - raised again by heard()
                self._raised = error
                self._image.set_kill(True)
