"""How it converts: imported by the spawner, run in a cell whose current folder is its scratch."""

import array
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worker.converters.limits import Limits
from worker.outcome import Converted, Refused

from .family import WaveformOptions

Progress = Callable[[float, str], None]


def convert(
    source: Path,
    target: Path,
    *,
    source_format: str,
    target_format: str,
    options: dict[str, Any],
    limits: Limits,
    progress: Progress,
) -> Converted | Refused:
    """Draw one bar for each part of the sound, as high as its loudest sample."""
    wish = WaveformOptions(**options)
    try:
        with wave.open(str(source)) as sound:
            if sound.getsampwidth() != 2:
                return Refused("unsupported_content", "Only sounds of 16 bits can be drawn.")
            seconds = sound.getnframes() / sound.getframerate()
            peaks = _peaks(sound, wish.columns, progress)
    except (wave.Error, EOFError) as fault:
        return Refused("corrupt_input", "The WAV sound is damaged.", log=str(fault))
    if not peaks:
        return Refused("corrupt_input", "The WAV sound ends before its first sample.")
    target.write_text(_drawn(peaks))
    return Converted({"seconds": round(seconds, 2), "columns": len(peaks)})


def _peaks(sound: wave.Wave_read, columns: int, progress: Progress) -> list[int]:
    """Return the loudest sample of each part, 0 to 100."""
    step = max(1, sound.getnframes() // columns)
    peaks: list[int] = []
    while len(peaks) < columns and (part := sound.readframes(step)):
        progress(0.99 * len(peaks) / columns, "listening")
        peaks.append(max(map(abs, array.array("h", part))) * 100 // 32768)
    return peaks


def _drawn(peaks: list[int]) -> str:
    bars = "".join(f"M{at} {100 - peak}V{100 + peak}" for at, peak in enumerate(peaks))
    size = f'viewBox="0 0 {len(peaks)} 200"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><path stroke="#000" d="{bars}"/></svg>'
