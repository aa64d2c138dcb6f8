"""From a document to PDF: pandoc writes typst, typst sets the pages."""

import functools
import os
import shutil
from pathlib import Path
from typing import Any

import pypdfium2
import typst

from worker.converters.document.glyphs import unshowable
from worker.converters.document.pandoc import Job, run
from worker.converters.document.patience import patience, repeated
from worker.converters.document.pictures import replace_failing, replace_unusable
from worker.converters.document.request import Report, Request
from worker.converters.refusal import Refusal

ROOT = Path()  # the scratch folder is all that typst may read
MEDIA = Path("media")
CONVERTED = 0.6
BYTES_PER_SECOND = 300_000  # measured: 2.9 MB of typst in 8.7 s

# Tags for screen readers take a third of the time and much memory: 2.3 MB of typst take 900 MB
# with them, twice as much fits into 2 GiB only without.
TAGGED_BYTES = 2_500_000

_TEXT = Path("document.typ")
_THREADS = "2"  # typst would take one for each core, each with memory of its own

_SIMPLER = (
    "Formulas stand as text and links within the document are left out: "
    "as they were, the pages could not be set."
)


def typeset(job: Job, report: Report) -> None:
    """Write the PDF; a picture that cannot be shown becomes a box, in the worst case formulas text.

    Raises Refusal when there is no way to set the document.
    """
    os.environ["RAYON_NUM_THREADS"] = _THREADS
    told = [*report.notes]
    error = _attempt(job, report, simple=False)
    if error is not None:
        report.notes = [_SIMPLER, *told]
        error = _attempt(job, report, simple=True)
    if error is not None:
        raise Refusal(
            "unsupported_content",
            "The document has something in it that could not be set into pages; "
            "convert it to docx or html instead.",
        ) from error
    report.pages = _allowed_pages(job.request)
    _tell_of_boxes(report)


def _allowed_pages(request: Request) -> int:
    """Return how many pages were set; raise Refusal if they are more than the limit."""
    with pypdfium2.PdfDocument(request.target) as document:
        pages = len(document)
    if pages > request.limits.max_pages:
        raise Refusal(
            "too_many_pages",
            f"The document has {pages:,} pages, more than the {request.limits.max_pages:,} that "
            "this service converts (ROWMILL_MAX_PAGES); split it.",
        )
    return pages


def _tell_of_boxes(report: Report) -> None:
    """Say which characters are shown as boxes, for typst does not."""
    fonts = [(Path(one.path), one.index) for one in _fonts().fonts() if one.path]
    if missing := unshowable(_TEXT.read_text(encoding="utf-8"), fonts):
        shown = "".join(sorted(missing)[:10])
        report.notes.append(
            f"No font of this machine has {len(missing)} of the characters ({shown}): boxes stand "
            "in their places. The operator can install fonts for them."
        )


def _attempt(job: Job, report: Report, *, simple: bool) -> typst.TypstError | None:
    """Return None when the PDF is written, otherwise what typst says against it."""
    shutil.rmtree(MEDIA, ignore_errors=True)
    run(job, _TEXT, report, media=str(MEDIA), simple=simple, until=CONVERTED)
    replace_unusable(MEDIA, max_pixels=job.request.limits.max_pixels, report=report)
    error = _set(job)
    if error is not None and replace_failing(MEDIA, report, works=_can_be_shown):
        error = _set(job)
    return error


def _set(job: Job) -> typst.TypstError | None:
    request = job.request
    size = _TEXT.stat().st_size
    seconds = size / BYTES_PER_SECOND
    waiting = patience(
        request.progress, "typesetting", start=CONVERTED, until=0.95, seconds=seconds
    )
    with waiting as tell, repeated(tell):
        try:
            pages = _compiled(_TEXT, tagged=size <= TAGGED_BYTES)
        except typst.TypstError as error:
            return error
    request.target.write_bytes(pages)
    return None


def _can_be_shown(picture: Path) -> bool:
    try:
        _compiled(f'#image("{picture}")'.encode(), tagged=False)
    except typst.TypstError:
        return False
    return True


def _compiled(document: Any, *, tagged: bool) -> bytes:
    """Set the pages of a file or of bytes; there are no packages, nothing else can be read."""
    nowhere = Path("packages")
    pages: bytes = typst.compile(
        document,
        root=ROOT,
        font_paths=_fonts(),
        package_path=nowhere,
        package_cache_path=nowhere,
        pdf_tags=tagged,
    )
    return pages


@functools.cache
def _fonts() -> typst.Fonts:
    """Look through the fonts of this machine: 7 ms for 40 of them, and each picture is a try."""
    return typst.Fonts()
