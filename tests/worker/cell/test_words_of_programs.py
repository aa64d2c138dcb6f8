"""What pandoc and ffmpeg are told: words of a list, whatever the options and the file are.

Many public faults of converters were one word more than anybody needed: `--pdf-engine` behind a
page, `-safe 0` in front of a list of films.
"""

import re
from pathlib import Path
from typing import Any, NoReturn

import pytest

from app.formats.document import DOCUMENT
from tests.worker.converters.document.documents import SAMPLES
from tests.worker.converters.media.studio import Studio
from worker.converters import document, media, program
from worker.converters.document import pandoc
from worker.converters.limits import Limits
from worker.converters.media.installed import FFMPEG
from worker.outcome import Converted


class Enough(BaseException):
    """What was to be started has been seen."""


def convert(converter: Any, pair: tuple[str, str], options: dict[str, Any]) -> Any:
    source, target = pair
    return converter.convert(
        Path(f"input.{source}"),
        Path(f"output.{target}"),
        source_format=source,
        target_format=target,
        options=options,
        limits=Limits(),
        progress=lambda _value, _stage: None,
    )


PANDOC = re.compile(
    r"\+RTS|-M\d+|-H4m|-O64m|-RTS|--sandbox|--standalone|--quiet|--lua-filter=filter\.lua"
    r"|--from=[a-z_+-]+|--to=[a-z_+-]+|--mathml|--extract-media=media"
    r"|--toc|--number-sections|--wrap=(auto|none)|--columns=\d+"
    r"|--variable=(papersize=[a-z0-9-]+|fontsize=[\d.]+pt)"
    r"|--output=(output\.[a-z]+|document\.typ)|(input|text)\.[a-z]+"
)
ALL_OPTIONS = {"toc": True, "number_sections": True, "paper": "a5", "margin": 5, "font_size": 9.5}


@pytest.mark.parametrize("options", [{}, {**ALL_OPTIONS, "wrap": 40}], ids=["none", "all"])
def test_pandoc_is_told_these_words_and_no_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any]
) -> None:
    started: list[list[str]] = []

    def note(argv: list[str], _environment: Any) -> NoReturn:
        started.append(argv)
        raise Enough

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(program, "_start", note)
    for source, content in SAMPLES.items():
        Path(f"input.{source}").write_bytes(content)
    for pair in DOCUMENT.pairs:
        with pytest.raises(Enough):
            convert(document, pair, options)
    assert len(started) == len(DOCUMENT.pairs)
    for argv in started:
        assert argv[0] == str(pandoc.PROGRAM)
        assert [word for word in argv[1:] if not PANDOC.fullmatch(word)] == []
        assert "--sandbox" in argv


ALONE = {"-hide_banner", "-nostdin", "-y", "-nostats"}
NUMBER, NAME, STREAM = r"[\d.]+k?", r"[a-z0-9_-]+", r"0:\d+|\[\w+\]"
GRAPH = r"(?:setpts=PTS-\d+\.\d+/TB,|[\w\[\]=:,;.|+\\ -])+"
FFMPEG_WORDS = {
    "-stats_period": NUMBER,
    "-loglevel": r"level\+error",
    "-progress": "pipe:1",
    "-protocol_whitelist": "file,pipe",
    "-f": NAME,
    "-threads": NUMBER,
    "-max_pixels": NUMBER,
    "-ss": NUMBER,
    "-t": NUMBER,
    "-i": r"file:(input\.\w+|palette\.png)",
    "-map": STREAM,
    "-map_metadata": "-1",
    "-map_chapters": "-1",
    "-metadata": r"\w+=",
    "-movflags": r"[+a-z_]+",
    "-c": NAME,
    "-preset": "veryfast",
    "-crf": NUMBER,
    "-deadline": "realtime",
    "-cpu-used": NUMBER,
    "-row-mt": NUMBER,
    "-b": NUMBER,
    "-q": NUMBER,
    "-ac": NUMBER,
    "-tag": "hvc1",
    "-disposition": "attached_pic",
    "-filter": GRAPH,
    "-filter_complex": GRAPH,
    "-filter_threads": NUMBER,
    "-filter_complex_threads": NUMBER,
    "-frames": NUMBER,
    "-update": "1",
    "-loop": "0",
    "-bsf": r"setts=[\w=:(),\\+/.-]+",
}
OUTPUT = re.compile(r"file:(output\.\w+|palette\.png)|pipe:1|-")
# None of which opens a file, as `movie`, `subtitles`, `lut3d` and `drawtext` would.
FILTERS = {"aformat", "atrim", "bwdif", "crop", "drawbox", "format", "fps", "overlay"}
FILTERS |= {"palettegen", "paletteuse", "scale", "setpts", "setsar", "split", "tonemap", "trim"}
FILTERS |= {"zscale"}
SIZED = {"width": 64, "fps": 5, "quality": 50, "start": 0.1, "duration": 0.5, "audio_bitrate": 64}
FILMS: list[tuple[str, str, dict[str, Any]]] = [
    ("mp4", "mp4", {}),
    ("mp4", "mkv", {"strip": True}),
    ("mkv", "mov", SIZED),
    ("mp4", "webm", SIZED),
    ("webm", "avi", {}),
    ("mp4", "gif", SIZED),
    ("ts", "gif", SIZED),
    ("mp4", "jpg", {"start": 0.2}),
    ("mp4", "mp3", {}),
    ("mp3", "ogg", {}),
    ("wav", "flac", SIZED),
]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return Studio(tmp_path_factory.mktemp("studio"))


@pytest.mark.parametrize(("source", "target", "options"), FILMS)
def test_ffmpeg_is_told_these_words_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    studio: Studio,
    source: str,
    target: str,
    options: dict[str, Any],
) -> None:
    started: list[list[str]] = []
    start = program._start

    def note(argv: list[str], environment: Any) -> Any:
        started.append(argv)
        return start(argv, environment)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(program, "_start", note)
    Path(f"input.{source}").symlink_to(studio.sample(source))
    assert isinstance(convert(media, (source, target), options), Converted)
    assert len(started) >= 2
    for argv in started:
        assert argv[0] == FFMPEG
        assert _unknown(argv[1:]) == []
        for at in (at for at, word in enumerate(argv) if word == "-i"):
            assert "-f" in argv[:at], "it would guess what it reads"


@pytest.mark.parametrize(
    "words",
    [
        ["-safe", "0"],
        ["-enable_drefs", "1"],
        ["-protocol_whitelist", "file,http"],
        ["-i", "file:/etc/passwd"],
        ["-i", "concat:input.a|input.b"],
        ["-f", "concat", "input.mp4"],
        ["-filter:v:0", "scale=64:64,movie=red.png"],
        ["-filter_complex", "[0:v]fps=5[a];[a]drawtext=textfile=text.txt[b]"],
        ["file:/tmp/output.mp4"],
    ],
    ids=" ".join,
)
def test_a_word_that_is_on_no_list_is_seen(words: list[str]) -> None:
    assert _unknown(words) != []


@pytest.mark.parametrize(
    "word", ["--pdf-engine=wkhtmltopdf", "--filter=x", "--extract-media=/tmp", "/etc/passwd"]
)
def test_a_word_that_pandoc_is_not_told_is_seen(word: str) -> None:
    assert not PANDOC.fullmatch(word)


def _unknown(words: list[str]) -> list[str]:
    """Return the words that are on no list; an option's name stands before its colon."""
    unknown, rest = [], iter(words)
    for word in rest:
        name = word.partition(":")[0]
        if word in ALONE or OUTPUT.fullmatch(word):
            continue
        value = next(rest, "")
        known = name in FFMPEG_WORDS and re.fullmatch(FFMPEG_WORDS[name], value)
        if not known or (name.startswith("-filter") and _filters(value) - FILTERS):
            unknown.append(f"{word} {value}")
    return unknown


def _filters(graph: str) -> set[str]:
    steps = re.split(r"[,;]", re.sub(r"\[\w+(:\w+)?\]", "", graph))
    return {re.split("[=@]", step)[0] for step in steps} if not graph.isdigit() else set()
