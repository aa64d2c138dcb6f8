"""One small document in every format, written by hand: what pandoc reads is not what it wrote."""

import base64
import json

from tests.worker.converters.document import packages
from tests.worker.converters.document.words import CELLS, HEADING, NOTE, WORDS, png

_BODY = f"{WORDS}, then bold."


def data_uri(content: bytes | None = None, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(png() if content is None else content).decode()}"


MD = f"""# {HEADING}

{WORDS}, then **bold**.[^1] And $x^2 + y$.

| one | two |
|-----|-----|
| {CELLS[0]} | {CELLS[1]} |

![the picture]({data_uri()})

[^1]: {NOTE}
"""

HTML = f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>t</title></head><body>
<h1>{HEADING}</h1><p>{WORDS}, then <b>bold</b>. ({NOTE})</p>
<table><tr><th>one</th><th>two</th></tr><tr><td>{CELLS[0]}</td><td>{CELLS[1]}</td></tr></table>
<p><img alt="the picture" src="{data_uri()}"></p></body></html>
"""

RST = f"""=====
title
=====

{HEADING}
===========

{WORDS}, then **bold**. [1]_ And :math:`x^2 + y`.

Second
======

=========  ==========
one        two
=========  ==========
{CELLS[0]}  {CELLS[1]}
=========  ==========

.. [1] {NOTE}
"""

ORG = f"""#+TITLE: t
* {HEADING}
{WORDS}, then *bold*.[fn:1] And $x^2 + y$.

| one | two |
|-----+-----|
| {CELLS[0]} | {CELLS[1]} |

[fn:1] {NOTE}
"""

TEX = rf"""\documentclass{{article}}
\begin{{document}}
\section{{{HEADING}}}
{WORDS}, then \textbf{{bold}}.\footnote{{{NOTE}}} And $x^2 + y$.

\begin{{tabular}}{{ll}}
one & two \\
{CELLS[0]} & {CELLS[1]} \\
\end{{tabular}}
\end{{document}}
"""

IPYNB = json.dumps(
    {
        "cells": [
            {
                "cell_type": "markdown",
                "id": "a",
                "metadata": {},
                "source": f"# {HEADING}\n\n{_BODY} ({NOTE}) And $x^2 + y$.\n\n"
                f"| one | two |\n|---|---|\n| {CELLS[0]} | {CELLS[1]} |\n",
            },
            {
                "cell_type": "code",
                "id": "b",
                "execution_count": 1,
                "metadata": {},
                "source": ["draw()"],
                "outputs": [
                    {
                        "output_type": "display_data",
                        "metadata": {},
                        "data": {"image/png": base64.b64encode(png()).decode()},
                    }
                ],
            },
        ],
        "metadata": {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
)


def _rtf_text(text: str) -> str:
    return "".join(one if one.isascii() else f"\\u{ord(one)}\\'3f" for one in text)


RTF = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}"
    r"{\stylesheet{\s1 heading 1;}}"
    rf"{{\pard\s1\outlinelevel0 {HEADING}\par}}"
    rf"{{\pard {_rtf_text(WORDS)}, then {{\b bold}}.{{\footnote {NOTE}}}\par}}"
    rf"\trowd\cellx2000\cellx4000\pard\intbl {CELLS[0]}\cell {CELLS[1]}\cell\row\pard"
    rf"{{\pard {{\pict\pngblip\picw12\pich8 {png().hex()}}}\par}}"
    "}"
)

TXT = f"{HEADING}\n\n{WORDS}, then bold.\n({NOTE})\n\n{CELLS[0]}     {CELLS[1]}\n"

SAMPLES: dict[str, bytes] = {
    "md": MD.encode(),
    "html": HTML.encode(),
    "docx": packages.docx(),
    "odt": packages.odt(),
    "epub": packages.epub(),
    "rst": RST.encode(),
    "org": ORG.encode(),
    "tex": TEX.encode(),
    "ipynb": IPYNB.encode(),
    "rtf": RTF.encode(),
    "txt": TXT.encode(),
}
ILLUSTRATED = ("md", "html", "docx", "odt", "epub", "ipynb", "rtf")
WITH_FORMULA = ("md", "docx", "rst", "org", "tex", "ipynb")
