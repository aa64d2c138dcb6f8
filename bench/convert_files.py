"""The files that the conversions' bench works on, made anew for each run."""

import random
import subprocess
from base64 import b64encode
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


def letter(path: Path) -> None:
    """Two pages of Markdown: what people send most."""
    path.write_text(_chapters(2, pictures=0))


def report(path: Path) -> None:
    """About a hundred pages of Markdown: chapters with text, a list, a table and a diagram each."""
    path.write_text(_chapters(100, pictures=100))


def _chapters(count: int, *, pictures: int) -> str:
    words = ["paper", "table", "light", "river", "number", "window", "winter", "letter"]
    choice = random.Random(7)
    parts = []
    for chapter in range(count):
        text = " ".join(choice.choice(words) for _ in range(300))
        rows = "\n".join(f"| {row} | {choice.random():.3f} |" for row in range(12))
        shown = f"![figure {chapter}]({_diagram(chapter)})\n\n" if chapter < pictures else ""
        body = f"# Chapter {chapter}\n\n{text}.\n\n- one\n- two\n\n{shown}"
        parts.append(f"{body}| a | b |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def _diagram(number: int) -> str:
    """Return a PNG of a few kilobytes as an address: text alone has no other way to hold one."""
    bars = pyvips.Image.gaussnoise(32, 16, mean=128, sigma=60, seed=number + 1).cast("uchar")
    picture = bars.resize(10, kernel="nearest").write_to_buffer(".png")
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def word(path: Path) -> None:
    source = path.with_suffix(".md")
    source.write_text(_chapters(60, pictures=0))
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
