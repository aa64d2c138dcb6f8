"""XML and HTML: what is behind declarations and comments, up to the name of the root element."""

import re

_PROLOGUE_PARTS = 200
_SPACE = re.compile(r"[\s\ufeff]*")
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,40}:)?([A-Za-z_][\w.-]{0,60})(?=[\s/>]|$)")
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]{1,60})", re.IGNORECASE)
_SUBSET_END = re.compile(r"\]\s*>")
_ROOTS = {"svg": "svg", "MPD": "mpd", "FictionBook": "fb2", "smil": "pls", "asx": "pls"}
_PAGE_PARTS = frozenset({"html", "head", "body", "title", "meta"})


def markup(text: str) -> str | None:
    """Return svg, html, fb2, mpd or xml; None where an angle bracket does not begin a document."""
    start = _skip_space(text, 0)
    if not text.startswith("<", start):
        return None
    at, doctype = _after_prologue(text, start)
    root = _ROOT.match(text, at)
    name = root[1] if root else doctype
    if name in _ROOTS:
        return _ROOTS[name]
    if doctype.lower() == "html" or name.lower() in _PAGE_PARTS:
        return "html"
    first_tag = text[at : at + 1000].partition(">")[0]
    return "xml" if text.startswith("<?xml", start) or "xmlns" in first_tag else None


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _after_prologue(text: str, at: int) -> tuple[int, str]:
    """Return where the root element should begin, and the name that a doctype gave it."""
    doctype = ""
    for _ in range(_PROLOGUE_PARTS):
        if text.startswith("<?", at):
            end = _after(text, "?>", at)
        elif text.startswith("<!--", at):
            end = _after(text, "-->", at + 4)
        elif found := _DOCTYPE.match(text, at):
            doctype, end = found[1], _after_doctype(text, found.end())
        else:
            break
        at = _skip_space(text, end)
    return at, doctype


def _after(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return found + len(mark) if found >= 0 else len(text)


def _after_doctype(text: str, at: int) -> int:
    """Step over the declaration; entities between square brackets may hold a `>` themselves."""
    close, subset = text.find(">", at), text.find("[", at)
    if subset < 0 or close < subset:
        return close + 1 if close >= 0 else len(text)
    end = _SUBSET_END.search(text, subset)
    return end.end() if end else len(text)
