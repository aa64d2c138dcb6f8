"""Of each output of a notebook one form is shown, the best that the target has."""

import json
from typing import Any

import pytest

from app.formats.document import DOCUMENT
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import SAMPLES
from tests.worker.converters.document.reader import text_of

TARGETS = DOCUMENT.targets_of("ipynb")
TABLE = "<style>td {}</style><div><table><tr><th>word</th></tr><tr><td>42</td></tr></table></div>"
PLAIN = "as plain text"
PLOT = "application/vnd.plotly.v1+json"


@pytest.mark.parametrize("target", TARGETS)
def test_a_table_is_shown_once(converting: Converting, target: str) -> None:
    said = text_of(converting(_notebook(html=TABLE, plain=PLAIN), "ipynb", target).content, target)

    assert said.count("42") == 1
    assert PLAIN not in said


@pytest.mark.parametrize("target", TARGETS)
def test_all_of_an_output_is_shown(converting: Converting, target: str) -> None:
    given = _notebook(html=f"<p>one</p>{TABLE}<p>three</p>", plain=PLAIN)

    said = text_of(converting(given, "ipynb", target).content, target)

    assert [word for word in ("one", "42", "three") if word not in said] == []


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"html"}))
def test_plain_text_is_shown_where_html_is_but_a_script(
    converting: Converting, target: str
) -> None:
    given = _notebook(html="<div><script>draw()</script></div>", plain=PLAIN)

    said = text_of(converting(given, "ipynb", target).content, target)

    assert PLAIN in said
    assert "draw()" not in said


@pytest.mark.parametrize("target", ["md", "rst", "org", "docx", "txt", "pdf"])
def test_a_picture_is_shown_rather_than_its_description(
    converting: Converting, target: str
) -> None:
    drawn = json.loads(SAMPLES["ipynb"])["cells"][1]["outputs"][0]["data"]["image/png"]
    given = _notebook(plot='{"one": "figure"}', png=drawn, plain=PLAIN)

    result = converting(given, "ipynb", target)

    assert result.facts["pictures"] == 1
    assert PLAIN not in text_of(result.content, target)
    assert "figure" not in text_of(result.content, target)


@pytest.mark.parametrize("target", TARGETS)
def test_colours_of_a_terminal_are_left_out(converting: Converting, target: str) -> None:
    failed = {"output_type": "error", "ename": "E", "evalue": "v"}
    given = _cell({**failed, "traceback": ["\x1b[0;31mE\x1b[0m: v", "\x1b[38;5;9mhere\x1b[K"]})

    said = text_of(converting(given, "ipynb", target).content, target)

    assert "here" in said
    assert "\x1b" not in said
    assert "[0" not in said
    assert "[K" not in said


@pytest.mark.parametrize("target", sorted({*TARGETS} - {"odt"}))  # there it is a part of its own
def test_a_formula_is_shown_as_one(converting: Converting, target: str) -> None:
    result = converting(_notebook(latex=r"$\displaystyle 42$", plain=PLAIN), "ipynb", target)

    said = text_of(result.content, target)
    assert "42" in said
    assert PLAIN not in said
    assert result.facts["notes"] == []


@pytest.mark.parametrize("target", ["docx", "md", "pdf", "tex"])
def test_words_of_latex_that_nobody_knows_are_there_to_be_read(
    converting: Converting, target: str
) -> None:
    said = text_of(converting(_notebook(latex=r"\strange"), "ipynb", target).content, target)

    assert r"\strange" in said


@pytest.mark.parametrize("target", ["docx", "html", "pdf"])
def test_a_text_in_markdown_is_shown(converting: Converting, target: str) -> None:
    code = "`#panic(1)`{=typst}"  # of the typesetter, if anybody took it for that

    result = converting(_notebook(markdown=f"one **two** {code}"), "ipynb", target)

    assert "one two" in text_of(result.content, target)
    assert result.facts["notes"] == []


@pytest.mark.parametrize(
    ("forms", "notes"),
    [
        ({"script": "draw()"}, ["An output of the notebook has no form that could be shown here"]),
        ({"html": "<script>draw()</script>"}, ["An output of the notebook has no form"]),
        ({"script": "draw()", "plain": PLAIN}, []),
        ({"plain": ""}, []),
    ],
)
def test_an_output_that_cannot_be_shown_is_told(
    converting: Converting, forms: dict[str, str], notes: list[str]
) -> None:
    told = converting(_notebook(**forms), "ipynb", "docx").facts["notes"]

    assert len(told) == len(notes)
    assert all(one.startswith(begin) for one, begin in zip(told, notes, strict=True))


def test_divisions_of_other_documents_keep_all_that_is_in_them(converting: Converting) -> None:
    page = '<div class="cell"><div class="output"><p>one</p><p>two</p></div></div>'

    assert converting(page, "html", "md").content.decode().split() == ["one", "two"]


def _notebook(**forms: str) -> str:
    names = {
        "html": "text/html",
        "plain": "text/plain",
        "png": "image/png",
        "plot": PLOT,
        "latex": "text/latex",
    }
    names |= {"markdown": "text/markdown", "script": "application/javascript"}
    data = {names[form]: content for form, content in forms.items()}
    return _cell({"output_type": "display_data", "metadata": {}, "data": data})


def _cell(output: dict[str, Any]) -> str:
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["run()"]}
    about = {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}}
    return json.dumps(
        {"cells": [{**cell, "outputs": [output]}], "metadata": about}
        | {"nbformat": 4, "nbformat_minor": 4}
    )
