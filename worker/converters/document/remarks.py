"""What people are told of a document: which options had nothing to do, and what is left out."""

from app.formats.document import FORMATS
from app.formats.known import DOCUMENTS
from worker.converters.document import changes
from worker.converters.document.request import Request
from worker.converters.document.richtext import Seen
from worker.converters.unused import was_not_used

_TITLES = {one.name: one.title for one in DOCUMENTS}
_TEXTS = frozenset({"md", "html", "rst", "org", "tex", "ipynb", "txt"})
_USED = {  # by these targets; whatever pandoc's templates and writers take no notice of
    "toc": frozenset({*FORMATS, "pdf"} - {"org", "ipynb"}),
    "number_sections": frozenset({"html", "docx", "epub", "rst", "tex", "pdf"}),
    "paper": frozenset({"tex", "pdf"}),
    "margin": frozenset({"pdf"}),
    "font_size": frozenset({"pdf"}),
    "wrap": _TEXTS,
}
_READ = frozenset({*FORMATS} - {"docx", "odt", "epub"})  # with the option encoding


def on_options(request: Request) -> list[str]:
    """Return a sentence for each option that was given and changed nothing."""
    given = request.wish.model_dump(exclude_defaults=True)
    source, target = request.source_format, request.target_format
    unused = [name for name in given if target not in _USED.get(name, {target})]
    notes = [was_not_used(name, _titled(target)) for name in unused]
    if "encoding" in given and source not in _READ:
        notes.append(was_not_used("encoding", _titled(source)))
    return notes


def on_changes(request: Request) -> list[str]:
    """Return what pandoc leaves out of a document that is an archive, or decides about."""
    changed, comments = changes.counted(request.source, request.source_format)
    margins = changes.has_margins(request.source, request.source_format)
    return [*_on_changes(changed, "is not"), *_on_comments(comments), *_on_margins(there=margins)]


def on_rich_text(seen: Seen) -> list[str]:
    """Return what pandoc leaves out or decides about, and which letters are wrong."""
    changed = seen.words["revised"] + seen.words["deleted"]
    notes = [
        *_on_changes(changed, "is struck out"),
        *_on_comments(seen.words["annotation"]),
        *_on_margins(there=seen.margins),
    ]
    if seen.unknown:
        pages = ", ".join(map(str, sorted(seen.unknown)[:10]))
        notes.append(
            f"Some of the text is in code page {pages}, which is not known here, and was read as "
            "Western European: its letters may be wrong. Name what it is in the option encoding."
        )
    return notes


def _on_changes(number: int, deleted: str) -> list[str]:
    if not number:
        return []
    what = "a tracked change" if number == 1 else f"{number:,} tracked changes"
    return [
        f"The document has {what}: what was inserted is in the result, what was deleted {deleted}."
    ]


def _on_comments(number: int) -> list[str]:
    if not number:
        return []
    comments = "a comment, which is" if number == 1 else f"{number:,} comments, which are"
    return [f"The document has {comments} not in the result."]


def _on_margins(*, there: bool) -> list[str]:
    return ["What stands in its headers and footers is not in the result."] if there else []


def _titled(name: str) -> str:
    return f"{name} ({_TITLES[name]})"
