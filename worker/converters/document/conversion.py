"""One document from file to file: look at it, let pandoc convert it, typeset or pack the result."""

from pathlib import Path
from typing import Any

from app.formats.document import DocumentOptions
from worker.converters.document import remarks
from worker.converters.document.bundle import BUNDLED, MEDIA, bundle
from worker.converters.document.page import put_pictures_into
from worker.converters.document.pandoc import Job, run
from worker.converters.document.reading import readable
from worker.converters.document.request import Report, Request
from worker.converters.document.typesetting import typeset
from worker.converters.limits import Limits
from worker.converters.progress import Meter, Progress
from worker.converters.refusal import Refusal, wish_of
from worker.outcome import Converted, Refused


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
    """Convert one document, in the folder of `target`; a surprise (no room on disk) is raised.

    Text formats with pictures become a ZIP of the text and the pictures.
    """
    try:
        wish = wish_of(options, DocumentOptions)
        never_back = Meter(progress).reach  # a document may be set a second time, more simply
        request = Request(source, target, source_format, target_format, wish, limits, never_back)
        return _convert(request)
    except Refusal as refusal:
        return refusal.outcome


def _convert(request: Request) -> Converted:
    report = Report(notes=remarks.on_options(request))
    request.progress(0.0, "reading")
    job = Job(request, readable(request, report))
    if request.target_format == "pdf":
        typeset(job, report)
        made = None
    elif request.target_format in BUNDLED:
        made = _written_with_pictures(job, report)
    elif request.target_format == "html":
        run(job, request.target, report, media=MEDIA)
        put_pictures_into(request.target, Path(MEDIA))
        made = None
    else:
        run(job, request.target, report)
        made = None
    _expect_something(request.target)
    request.progress(0.99, "finishing")
    return Converted(report.facts(), format=made)


def _expect_something(made: Path) -> None:
    """Raise Refusal for a text with nothing in it: the document had nothing to say."""
    with made.open("rb") as file:
        if not any(line.strip() for line in file):
            raise Refusal("no_text", "The document has no text, so the result would be empty.")


def _written_with_pictures(job: Job, report: Report) -> str | None:
    """Return "zip" when pictures stand beside the text, as text formats cannot hold them."""
    request = job.request
    run(job, request.target, report, media=MEDIA)
    folder = request.target.parent / MEDIA
    if not folder.is_dir():
        return None
    bundle(request.target, folder)
    report.notes.append(
        "The text refers to its pictures, so the result is a ZIP with both: "
        f"the document and a folder named {MEDIA}."
    )
    return "zip"
