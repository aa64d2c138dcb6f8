"""What it converts: imported by API and worker, so no heavy imports here."""

from pydantic import Field

from app.formats.family import Family, Options


class WaveformOptions(Options):
    """How a sound is drawn."""

    columns: int = Field(default=400, ge=2, le=4000, title="Columns")


WAVEFORM = Family(
    kind="waveform",
    convert="rowmill_waveform.convert:convert",
    sources=("wav",),
    targets=("svg",),
    options=WaveformOptions,
    default_targets={},  # a WAV becomes something else when nobody says what
)
