"""One program that `rowmill up` keeps running, or starts again after a pause."""

import subprocess
import time
from collections.abc import Callable

from app.embedded import EmbeddedFailed

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
HEALTHY_SECONDS = 60.0

Launch = Callable[[], subprocess.Popen[bytes]]


class Watched:
    """`start` it once, then `look` at each signal and whenever `due` has come."""

    def __init__(self, name: str, launch: Launch, *, last_words: Callable[[], str]) -> None:
        self.name = name
        self.process: subprocess.Popen[bytes] | None = None
        self.due: float | None = None
        self._launch = launch
        self.last_words = last_words
        self._pause = FIRST_PAUSE_SECONDS
        self._born = 0.0

    def start(self) -> None:
        self._born, self.due, self.process = time.monotonic(), None, None
        self.process = self._launch()

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def look(self, say: Callable[[str], None]) -> None:
        """Start it again if its time has come; set its time if it has just died."""
        if self.due is None:
            if not self.alive():
                self._plan(say)
        elif time.monotonic() >= self.due:
            self._try_again(say)

    def _try_again(self, say: Callable[[str], None]) -> None:
        try:
            self.start()
        except (EmbeddedFailed, OSError) as error:  # a full disk may be empty the next time
            say(str(error))
            self._plan(say)

    def _plan(self, say: Callable[[str], None]) -> None:
        if time.monotonic() - self._born > HEALTHY_SECONDS:
            self._pause = FIRST_PAUSE_SECONDS
        say(
            f"The {self.name} has ended ({self._how()}); it is started again in "
            f"{self._pause:g} s. Its last words: {self.last_words()}"
        )
        self.due = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)

    def _how(self) -> str:
        code = None if self.process is None else self.process.returncode
        if code is None:
            return "it did not start"
        return f"signal {-code}" if code < 0 else f"exit code {code}"
