"""Texts that people write with light markup: LaTeX, Org, reStructuredText, Markdown."""

import re

_LATEX = re.compile(r"^[ \t]{0,8}\\(?:documentclass|documentstyle|begin\{document\})", re.MULTILINE)
_ORG = re.compile(
    r"^#\+(?:TITLE|AUTHOR|DATE|EMAIL|OPTIONS|LANGUAGE|STARTUP|FILETAGS|BEGIN_\w{1,20}|PROPERTY)\b",
    re.MULTILINE | re.IGNORECASE,
)
_RST_MARKS = re.compile(
    r"^\.\. (?:[\w-]{1,40}::|_[^:\n]{1,80}:|\[[\w#*]{1,20}\] )|:(?:ref|doc|class|func|meth|math):`",
    re.MULTILINE,
)
_RST_TITLE = re.compile(r"^([=\-~^\"'+])\1{2,200}\n[^\n]{1,200}\n\1{3,200}$", re.MULTILINE)
_RST_UNDERLINE = re.compile(r"^\w[^\n]{2,200}\n([~^\"'*+])\1{2,200}$", re.MULTILINE)
_MARKDOWN = (
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(
        r"\[[^\[\]\n]{0,200}\]\((?:https?://|mailto:|[./#]|[\w-]{1,60}[./])[^()\s]{0,300}\)"
    ),
    re.compile(r"^\|?(?: ?:?-{3,40}:? ?\|){1,40}", re.MULTILINE),
    re.compile(r"^\w[^\n]{2,200}\n(?:={3,200}|-{3,200})$", re.MULTILINE),
    re.compile(r"(?<!\S)\*\*[^\s*][^*\n]{0,200}\*\*(?!\w)"),
    re.compile(r"^> \S", re.MULTILINE),
    re.compile(r"^[-*] \[[ xX]\] ", re.MULTILINE),
)
_CODE_START = ("#!", "//", "/*", '"""', "<?php", "'use strict'", '"use strict"')
_CODE = re.compile(
    r"^(?:(?:from \S{1,80} )?import [\w{(*]|#include [<\"]|def \w{1,80}\(|class \w{1,80}[(:{ ]"
    r"|(?:package|using) [\w.]{1,80};)",
    re.MULTILINE,
)
_QUOTED_CODE = ("```", "~~~", "\\begin{", "#+begin", "#+BEGIN")
_SAMPLE = 16 * 1024


def writing(text: str) -> str | None:
    """Return tex, org, rst or md when at least two marks of it stand there, else None."""
    sample = text[:_SAMPLE].replace("\r\n", "\n")
    if _is_code(sample):
        return None
    if _LATEX.search(sample):
        return "tex"
    if _ORG.search(sample):
        return "org"
    if _RST_TITLE.search(sample) or _marks(sample, _RST_MARKS) or _marks(sample, _RST_UNDERLINE):
        return "rst"
    return "md" if sum(bool(mark.search(sample)) for mark in _MARKDOWN) >= 2 else None


def _is_code(sample: str) -> bool:
    """Whether it is a program: its comments look like headings, its indices like links."""
    if sample.startswith(_CODE_START):
        return True
    return bool(_CODE.search(sample)) and not any(mark in sample for mark in _QUOTED_CODE)


def _marks(sample: str, mark: re.Pattern[str]) -> bool:
    """Whether a mark stands there more than once."""
    first = mark.search(sample)
    return bool(first and mark.search(sample, first.end()))
