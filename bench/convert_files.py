"""The files that the conversions' bench works on, made anew for each run."""

import random
import subprocess
from pathlib import Path

import imageio_ffmpeg
import pypandoc
import pyvips


def small_picture(path: Path) -> None:
    _noise(640, 480).write_to_file(str(path))


def photo(path: Path) -> None:
    _noise(4000, 3000).write_to_file(str(path))


def film(path: Path) -> None:
    """Twenty seconds of 720p with sound, H.264 and AAC."""
    sources = ("testsrc2=size=1280x720:rate=25:duration=20", "sine=frequency=440:duration=20")
    inputs = [part for one in sources for part in ("-f", "lavfi", "-i", one)]
    codecs = ("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac")
    _run(imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *inputs, *codecs, path)


def report(path: Path) -> None:
    """About sixty pages of Markdown with headings, lists and tables."""
    words = ["paper", "table", "light", "river", "number", "window", "winter", "letter"]
    choice = random.Random(7)
    parts = []
    for chapter in range(60):
        text = " ".join(choice.choice(words) for _ in range(300))
        rows = "\n".join(f"| {row} | {choice.random():.3f} |" for row in range(12))
        parts.append(
            f"# Chapter {chapter}\n\n{text}.\n\n- one\n- two\n\n| a | b |\n|---|---|\n{rows}\n"
        )
    path.write_text("\n".join(parts))


def word(path: Path) -> None:
    source = path.with_suffix(".md")
    report(source)
    _run(pypandoc.get_pandoc_path(), source, "-o", path)


def pages(path: Path) -> None:
    """Twelve pages of text and a picture each."""
    import typst

    picture = path.with_name("picture.png")
    _noise(800, 600).write_to_file(str(picture))
    page = '#image("picture.png", width: 60%)\n#lorem(300)\n#pagebreak(weak: true)\n'
    source = path.with_suffix(".typ")
    source.write_text(page * 12)
    typst.compile(str(source), output=str(path))


def table(path: Path) -> None:
    """Half a million rows of seven columns, as text: about 40 MB."""
    choice = random.Random(7)
    with path.open("w") as lines:
        lines.write("id,code,name,when,price,share,note\n")
        for row in range(500_000):
            price = choice.random() * 1000
            lines.write(f"{row},{row % 977:05},name {row % 5003},2026-11-{row % 28 + 1:02},")
            lines.write(f"{price:.2f},{price / 1000:.6f},note {row * 7919 % 100_003}\n")


def _noise(width: int, height: int) -> pyvips.Image:
    bands = [pyvips.Image.gaussnoise(width, height, mean=128, sigma=40) for _ in range(3)]
    return bands[0].bandjoin(bands[1:]).gaussblur(1.5).cast("uchar").copy(interpretation="srgb")


def _run(*argv: object) -> None:
    subprocess.run([str(part) for part in argv], check=True, capture_output=True)
