"""Documents that ask for files beside them, and documents that would be programs."""

MARKER = "MARKER-7F3A"
BESIDE = {
    "secret.txt": MARKER.encode(),
    "secret.csv": f"{MARKER},b\n".encode(),
    "secret.tex": MARKER.encode(),
    "secret.sty": rf"\newcommand{{\secret}}{{{MARKER}}}".encode(),
    "secret.svg": f'<svg xmlns="http://www.w3.org/2000/svg"><text>{MARKER}</text></svg>'.encode(),
    "secret.html": f"<p>{MARKER}</p>".encode(),
    "secret.css": f"/* {MARKER} */".encode(),
}
ASKING = {
    "rst include": ("rst", "before\n\n.. include:: {0}.txt\n\nafter\n"),
    "rst literal include": ("rst", "before\n\n.. include:: {0}.txt\n   :literal:\n\nafter\n"),
    "rst table": ("rst", "before\n\n.. csv-table:: t\n   :file: {0}.csv\n\nafter\n"),
    "rst raw": ("rst", "before\n\n.. raw:: html\n   :file: {0}.html\n\nafter\n"),
    "rst figure": ("rst", "before\n\n.. figure:: {0}.svg\n\nafter\n"),
    "tex input": (
        "tex",
        (
            r"\documentclass{{article}}\begin{{document}}before \input{{{0}.tex}}"
            r" \include{{{0}}} after\end{{document}}"
        ),
    ),
    "tex package": (
        "tex",
        (
            r"\documentclass{{article}}\usepackage{{{0}}}\begin{{document}}before "
            r"\secret{{}} after\end{{document}}"
        ),
    ),
    "tex listing": (
        "tex",
        (
            r"\documentclass{{article}}\begin{{document}}before "
            r"\lstinputlisting{{{0}.txt}} \verbatiminput{{{0}.txt}} "
            r"\includegraphics{{{0}.svg}} after\end{{document}}"
        ),
    ),
    "org include": ("org", 'before\n\n#+INCLUDE: "{0}.txt"\n#+SETUPFILE: {0}.txt\n\nafter\n'),
    "org picture": ("org", "before\n\n[[file:{0}.svg]]\n\nafter\n"),
    "md picture": ("md", 'before ![x]({0}.svg) <img src="{0}.svg"> after\n'),
    "md frame": ("md", 'before\n\n<iframe src="{0}.html"></iframe>\n\nafter\n'),
    "md metadata": (
        "md",
        (
            "---\ncss: {0}.css\ncover-image: {0}.svg\nbibliography: {0}.txt\n"
            "include-before: {0}.txt\ntemplate: {0}.txt\n---\nbefore after\n"
        ),
    ),
    "html": (
        "html",
        (
            '<head><link rel=stylesheet href="{0}.css"></head><body>before '
            '<img src="{0}.svg"><iframe src="{0}.html"></iframe>'
            '<object data="{0}.svg"></object><embed src="{0}.svg">'
            '<video poster="{0}.svg"></video> after</body>'
        ),
    ),
    "ipynb": (
        "ipynb",
        (
            '{{"cells": [{{"cell_type": "markdown", "metadata": {{}}, "source": '
            '"before ![x]({0}.svg) after"}}], "metadata": {{}}, "nbformat": 4, '
            '"nbformat_minor": 2}}'
        ),
    ),
}

CODE = '#read("secret.txt")#panic("ran")'
PROGRAMS = {
    "md raw block": ("md", "before\n\n```{{=typst}}\n{0}\n```\n\nafter\n"),
    "md raw inline": ("md", "before `{0}`{{=typst}} after\n"),
    "md attribute": (
        "md",
        (
            "before\n\n::: {{typst:text:fill='panic(1)'}}\nin\n:::\n\n"
            "[x]{{typst:text:fill='read(\"secret.txt\")'}} after\n"
        ),
    ),
    "md header": (
        "md",
        (
            "---\nheader-includes: |\n  ```{{=typst}}\n  {0}\n  ```\n"
            "fontsize: panic(1)\nlang: 'x\", panic(1), y: \"'\npapersize: 'x\"'\n"
            "keywords: ['x\", panic(1)']\nlinestretch: panic(1)\n---\nbefore after\n"
        ),
    ),
    "md title": (
        "md",
        "---\ntitle: '{0}'\nauthor: '{0}'\ndate: '{0}'\nabstract: '{0}'\n---\nbefore after\n",
    ),
    "md text": ("md", 'before \\#read("secret.txt") {0} after\n'),
    "md formula": ("md", "before ${0}$ $\\text{{{0}}}$ after\n"),
    "md link": ("md", 'before [x](<")#panic(1)>) ![x](<")#panic(1).png>) after\n'),
    "md code": (
        "md",
        "before\n\n````{{.py .```#panic(1)}}\n```\n{0}\n````\n\n``` ` {0} ``` after\n",
    ),
    "html class": (
        "html",
        (
            "<p>before</p><pre class='```````#panic(1)'><code>x</code></pre>"
            "<h1 id='x\")#panic(1)'>h</h1><p style='x' width='panic(1)'>"
            "<img width='panic(1)' src='a.png'>after</p>"
        ),
    ),
    "html attribute": (
        "html",
        (
            "<p>before</p><table data-typst:fill='panic(1)' typst:fill='panic(1)'>"
            "<tr><td typst:fill='panic(1)' data-typst:fill='panic(1)'>x</td></tr>"
            "</table><span typst:text:fill='panic(1)'>y</span><p>after</p>"
        ),
    ),
    "org export": (
        "org",
        (
            "before\n\n#+BEGIN_EXPORT typst\n{0}\n#+END_EXPORT\n\n@@typst:{0}@@\n\n"
            "#+typst: {0}\nafter\n"
        ),
    ),
    "rst raw": (
        "rst",
        (
            ".. role:: raw-typst(raw)\n   :format: typst\n\nbefore\n\n.. raw:: typst\n\n"
            "   {0}\n\n:raw-typst:`{0}` after\n"
        ),
    ),
    "tex": (
        "tex",
        (
            r"\documentclass{{article}}\begin{{document}}before \cite{{a}} \ref{{b}} "
            r"\begin{{typst}}{0}\end{{typst}} after\end{{document}}"
        ),
    ),
    "ipynb raw": (
        "ipynb",
        (
            '{{"cells": [{{"cell_type": "raw", "metadata": {{"format": "text/typst",'
            ' "raw_mimetype": "text/typst"}}, "source": "#panic(1)"}}, {{"cell_type":'
            ' "markdown", "metadata": {{}}, "source": "before `#panic(1)`{{=typst}} '
            'after"}}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 2}}'
        ),
    ),
}
