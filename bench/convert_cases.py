"""The conversions that the bench compares, and how each is done plainly."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import imageio_ffmpeg

from bench import convert_files
from worker.converters.document.pandoc import PROGRAM


@dataclass(frozen=True)
class Case:
    """One conversion: `script` does it plainly, with `imports` first, or `command` does.

    Without either the programs do that the converter runs. What is not `judged` is only shown.
    """

    name: str
    kind: str
    source: str
    target: str
    write: Callable[[Path], None]
    imports: str = ""
    script: str = ""
    command: tuple[str, ...] = ()
    small: bool = False
    judged: bool = True
    jobs: int = 5


CASES = (
    Case(
        "small picture, 640 x 480",
        "image",
        "jpg",
        "webp",
        convert_files.small_picture,
        imports="import pyvips",
        script="pyvips.Image.new_from_file('input.jpg').write_to_file('output.webp[Q=80]')",
        small=True,
        jobs=60,
    ),
    Case(
        "the same against Pillow",
        "image",
        "jpg",
        "webp",
        convert_files.small_picture,
        imports="from PIL import Image",
        script="Image.open('input.jpg').save('output.webp', quality=80)",
        small=True,
        jobs=60,
    ),
    Case(
        "photo, 12 megapixels",
        "image",
        "jpg",
        "webp",
        convert_files.photo,
        imports="import pyvips",
        script="pyvips.Image.new_from_file('input.jpg', access='sequential', fail_on='truncated')"
        ".write_to_file('output.webp[Q=80]')",
    ),
    Case("film, 20 s of 720p", "media", "mkv", "webm", convert_files.film, jobs=2),
    Case(
        "the same against ffmpeg alone",
        "media",
        "mkv",
        "webm",
        convert_files.film,
        command=(imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-i", "input.mkv", "plain.webm"),
        judged=False,
        jobs=2,
    ),
    Case("letter, 2 pages", "document", "md", "docx", convert_files.letter, small=True, jobs=20),
    Case("report, 100 pages with pictures", "document", "md", "docx", convert_files.report),
    Case(
        "the same against pandoc alone",
        "document",
        "md",
        "docx",
        convert_files.report,
        command=(
            str(PROGRAM),
            "--sandbox",
            "--from=commonmark_x",
            "--output=plain.docx",
            "input.md",
        ),
    ),
    Case(
        "60 pages of Word to PDF",
        "office",
        "docx",
        "pdf",
        convert_files.word,
        command=(
            "/usr/lib/libreoffice/program/soffice.bin",
            "-env:UserInstallation=file:///{place}/plain",
            *("--headless", "--norestore", "--convert-to", "pdf", "--outdir", "plain"),
            "input.docx",
        ),
    ),
    Case(
        "PDF, 12 pages",
        "pdf",
        "pdf",
        "png",
        convert_files.pages,
        imports="import pypdfium2, PIL.Image",
        script="import zipfile\n"
        "with zipfile.ZipFile('output.png', 'w') as pages:\n"
        "  for number, page in enumerate(pypdfium2.PdfDocument('input.pdf')):\n"
        "    page.render(scale=150/72).to_pil().save('page.png')\n"
        "    pages.write('page.png', f'page-{number}.png')\n",
    ),
    Case(
        "table, 500,000 rows",
        "table",
        "csv",
        "parquet",
        convert_files.table,
        script="import polars\n"
        "table = polars.scan_csv('input.csv', infer_schema=False, glob=False)\n"
        "assert set(table.collect_schema().dtypes()) == {polars.String}\n"
        "table.sink_parquet('output.parquet')",
    ),
)
