"""How a sound track is encoded: bitrate, channels and depth that its codec can have."""

from worker.converters.media.containers import Container
from worker.converters.media.recording import Stream

_MOST_CHANNELS = 8
_AAC_CHANNELS = 6  # AAC can have eight, its bare stream cannot say so
_MP3_MOST = 320
_OPUS_MOST = 256  # for each channel
_LAYOUTS = {
    "libmp3lame": "mono|stereo",
    "aac": "mono|stereo|3.0|4.0|5.0|5.1",
}
_SURROUND = "mono|stereo|3.0|quad|5.0|5.1|6.1|7.1"

# Nominal kbit/s of each quality of Vorbis, for two channels; it takes no bitrate at some rates.
_VORBIS = (64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 500)


def encoder(stream: Stream, container: Container) -> str:
    """Return the encoder for this track; WAV keeps the depth that the sound has."""
    if container.muxer == "wav" and stream.bits > 16 and _is_exact(stream.codec):
        return "pcm_s24le"
    return container.makes_sound


def filters(made: str, stream: Stream) -> list[str]:
    """Name the layouts that the codec knows: ffmpeg then mixes the sound into the nearest."""
    if not _is_mixed(made, stream) or kept_channels(made, stream) == 2:
        return []
    return [f"aformat=channel_layouts={_LAYOUTS.get(made, _SURROUND)}"]


def is_lossless(codec: str) -> bool:
    return codec == "flac" or codec.startswith("pcm_")


def arguments(made: str, stream: Stream, bitrate: int | None, at: int) -> list[str]:
    """Return the arguments for the sound track number `at` of the result."""
    return [
        *(f"-c:a:{at}", made),
        *_rate(made, stream, bitrate, at),
        *_channels(made, stream, at),
    ]


def given_bitrate(made: str, stream: Stream, bitrate: int) -> int:
    """Return the bitrate nearest to the wish that this codec can have."""
    if made == "libmp3lame":
        return min(bitrate, _MP3_MOST)
    if made == "libopus":
        return min(bitrate, _OPUS_MOST * max(1, kept_channels(made, stream)))
    return bitrate


def kept_channels(made: str, stream: Stream) -> int:
    """Return how many channels are left: MP3 has two, AAC six, and nine or more become two."""
    if made.startswith("pcm_"):
        return stream.channels
    if made == "libmp3lame" or stream.channels > _MOST_CHANNELS:
        return min(stream.channels, 2)
    return min(stream.channels, _AAC_CHANNELS) if made == "aac" else stream.channels


def _is_exact(codec: str) -> bool:
    return is_lossless(codec) or codec in ("alac", "truehd", "mlp", "wavpack", "tta", "ape")


def _rate(made: str, stream: Stream, bitrate: int | None, at: int) -> list[str]:
    channels = kept_channels(made, stream) or 2
    if is_lossless(made):
        return []
    if made == "libvorbis":
        return [f"-q:a:{at}", str(_vorbis_quality(bitrate, channels))]
    if bitrate is not None:
        return [f"-b:a:{at}", f"{given_bitrate(made, stream, bitrate)}k"]
    if made == "libmp3lame":
        return [f"-q:a:{at}", "2"]
    return [f"-b:a:{at}", f"{channels * (80 if made == 'aac' else 64)}k"]


def _vorbis_quality(bitrate: int | None, channels: int) -> int:
    if bitrate is None:
        return 5
    each = bitrate * 2 / channels
    return min(range(len(_VORBIS)), key=lambda quality: abs(_VORBIS[quality] - each))


def _channels(made: str, stream: Stream, at: int) -> list[str]:
    two = _is_mixed(made, stream) and kept_channels(made, stream) == 2
    return [f"-ac:a:{at}", "2"] if two else []


def _is_mixed(made: str, stream: Stream) -> bool:
    return stream.channels > 2 and not made.startswith("pcm_")
