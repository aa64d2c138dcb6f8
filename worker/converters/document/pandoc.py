"""Runs pandoc once: how each format is read and written, and what its exit codes mean."""

import json
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from errno import EFBIG, ENOSPC
from functools import partial
from pathlib import Path

import pypandoc

from worker.converters import program
from worker.converters.document import filtering, memory
from worker.converters.document.elsewhere import leave_out_tables_from_files
from worker.converters.document.patience import patience
from worker.converters.document.request import Report, Request
from worker.converters.refusal import Refusal

# The wheel's own way to find its program runs every pandoc on the machine to compare them.
PROGRAM = Path(pypandoc.__file__).parent / "files" / "pandoc"

BYTES_PER_SECOND = 100_000  # measured: Markdown to docx 130 kB/s, HTML to typst 90 kB/s

# No reader may hand on typst code, and no text may be read as a citation of a list it lacks.
_READERS = {
    "md": "commonmark_x-raw_attribute-smart+autolink_bare_uris",
    "html": "html",
    "docx": "docx",
    "odt": "odt",
    "epub": "epub",
    "rst": "rst",
    "org": "org",
    "tex": "latex",
    "ipynb": "ipynb-raw_attribute",
    "rtf": "rtf",
    "txt": "html",  # made of it by `reading`
}
_WRITERS = {
    "md": "gfm-tex_math_gfm+tex_math_dollars+yaml_metadata_block",
    "html": "html",
    "docx": "docx",
    "odt": "odt",
    "epub": "epub",
    "rst": "rst",
    "org": "org",
    "tex": "latex",
    "ipynb": "ipynb",
    "rtf": "rtf",
    "txt": "plain",
    "pdf": "typst",
}
_MORE = {
    "html": ("--mathml",),
    "epub": ("--mathml",),
}
_PICTURE = re.compile(rb";base64,[A-Za-z0-9+/=]+")  # written into the text
_MOSTLY = 0.9  # of a text; what it says besides takes less time to walk than they to print
_PAPER = {"a4": "a4", "a5": "a5", "letter": "us-letter", "legal": "us-legal"}  # as typst says

# The manual's list, "Exit codes"; what pandoc says beside them names our files and its own code.
_DAMAGED = {
    31: "its parts are not where they should be",
    44: "a part of it breaks off or makes no sense",
    63: "its structure makes no sense",
    64: "its text does not keep to the rules of its format",
    92: "it has bytes that are no text",
    93: "it does not hold what a notebook holds",
    94: "it names an encoding that nobody knows",
}
_HEAP, _STACK, _MACROS, _ELSEWHERE = 251, 2, 91, 99


@dataclass(frozen=True)
class Job:
    """A request and the file that pandoc may read for it."""

    request: Request
    text: Path


def run(
    job: Job,
    target: Path,
    report: Report,
    *,
    media: str | None = None,
    simple: bool = False,
    until: float = 0.95,
) -> None:
    """Write `target`, in the current folder, and the pictures into the folder `media`.

    `simple` leaves out what a typesetter may choke on: formulas become text, links to places
    inside of the document go. Raises Refusal when the document is to blame.
    """
    filtering.write()
    size = job.text.stat().st_size
    seconds = size / BYTES_PER_SECOND
    with patience(job.request.progress, "converting", until=until, seconds=seconds) as tell:
        convert = partial(_run, job, target, media, simple=simple, tell=tell)
        ended = convert()
        if ended.code == _ELSEWHERE and leave_out_tables_from_files(job.text):
            ended = convert()
    if ended.code != 0:
        raise _blame(ended, size)
    _count(ended.stdout, report)


def _run(
    job: Job, target: Path, media: str | None, *, simple: bool, tell: Callable[[], None]
) -> program.Ended:
    argv = [PROGRAM, *_arguments(job, target, media)]
    return program.run(argv, environment=_settings(job, simple), meanwhile=tell)


def _arguments(job: Job, target: Path, media: str | None) -> list[str | Path]:
    request, wish = job.request, job.request.wish
    made = request.target_format
    return [
        *memory.arguments(),
        *("--sandbox", "--standalone", "--quiet"),
        f"--lua-filter={filtering.NAME}",
        f"--from={_READERS[request.source_format]}",
        f"--to={_WRITERS[made]}",
        *_MORE.get(made, ()),
        *([f"--extract-media={media}"] if media else []),
        *(["--toc"] if wish.toc else []),
        *(["--number-sections"] if wish.number_sections else []),
        *(["--wrap=auto", f"--columns={wish.wrap}"] if wish.wrap else ["--wrap=none"]),
        *_page(request),
        f"--output={target}",
        job.text,
    ]


def _page(request: Request) -> list[str]:
    wish = request.wish
    if request.target_format == "tex":
        return [f"--variable=papersize={wish.paper}"]
    if request.target_format != "pdf":
        return []
    return [
        f"--variable=papersize={_PAPER[wish.paper]}",
        f"--variable=fontsize={wish.font_size or 11:g}pt",
    ]


def _settings(job: Job, simple: bool) -> dict[str, str]:
    margin = job.request.wish.margin
    return {
        "ROWMILL_MARGIN": f"{25 if margin is None else margin}mm",
        "ROWMILL_SIMPLE": "1" if simple else "0",
        "ROWMILL_LITERAL": "1" if job.request.source_format == "txt" else "0",
        "ROWMILL_NOTEBOOK": "1" if job.request.source_format == "ipynb" else "0",
        "ROWMILL_MOSTLY_PICTURES": "1" if _is_mostly_pictures(job.text) else "0",
    }


def _is_mostly_pictures(text: Path) -> bool:
    """Whether the filter had better not print this document to see what is in it."""
    content = text.read_bytes()
    pictures = sum(one.end() - one.start() for one in _PICTURE.finditer(content))
    return pictures > len(content) * _MOSTLY


def _count(stdout: bytes, report: Report) -> None:
    counted = json.loads(stdout)
    report.counted = counted
    if missing := counted["missing"]:
        what = "1 picture lies" if missing == 1 else f"{missing} pictures lie"
        report.notes.append(
            f"{what} outside of the file and cannot be taken in: pictures are taken from the "
            "file itself, never from the network."
        )
    if unshown := counted["unshown"]:
        what = "An output of the notebook has" if unshown == 1 else f"{unshown} outputs have"
        report.notes.append(f"{what} no form that could be shown here and left nothing.")


def _blame(ended: program.Ended, size: int) -> Exception:
    """Return the refusal if the document is to blame, and a surprise otherwise."""
    if ended.code == _HEAP or (ended.code == _STACK and "stack" in ended.stderr):
        return Refusal(
            "memory_limit",
            f"The document of {size:,} bytes needs more than {memory.heap_bytes():,} bytes of "
            "memory to be converted; split it, or ask the operator to raise "
            "ROWMILL_MEMORY_LIMIT_BYTES.",
        )
    if ended.signal == signal.SIGXCPU:
        return Refusal(
            "time_limit",
            "The document is so involved that converting it took longer than this service allows.",
        )
    if ended.code in _DAMAGED:
        how = _DAMAGED[ended.code]
        return Refusal("corrupt_input", f"The document is damaged: {how}.", log=ended.stderr)
    if ended.code == _MACROS:
        return Refusal("corrupt_input", "The document defines macros by each other in a circle.")
    if ended.code == _ELSEWHERE:
        return Refusal(
            "unsupported_content",
            "The document takes in other files, which were not uploaded with it; save it as one "
            "file that has everything.",
        )
    return _surprise(ended)


def _surprise(ended: program.Ended) -> Exception:
    """Return what the machine is to blame for, as the error that Python would have raised."""
    if ended.signal == signal.SIGXFSZ or "File too large" in ended.stderr:
        return OSError(EFBIG, "pandoc wrote more than it may")
    if "No space left on device" in ended.stderr:
        return OSError(ENOSPC, "pandoc found no room")
    return RuntimeError(f"pandoc ended with {ended.code or ended.signal}: {ended.stderr}")
