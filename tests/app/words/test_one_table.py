"""The table is the only place of words: none stands elsewhere, none is missing, none is unused."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from jinja2 import Environment

from app import timeline
from app.api import assets, documents, pages, sentences
from app.api.ops import look
from app.diagnosis.finding import State
from app.diagnosis.whole import KEYS
from app.words import ENGLISH

TEMPLATES = sorted(pages.TEMPLATES.glob("*.html"))
SCRIPTS = sorted(assets.FOLDER.glob("*.js"))
MODULES = [Path(str(module.__file__)) for module in (sentences, pages, documents, timeline)]

LISTENERS = {*get_args(get_type_hints(timeline.Voice)["listener"])}
# What the operator's page makes of a worker, in SQL.
ALIVE = {*re.findall(r'"(live|silent|lost)"', Path(look.__file__).read_text())}

LITERAL = re.compile(r"""["'`]([a-z_]+)\.(\w+)["'`]""")
ASKED = re.compile(r"""\b(?:say|listed|entryOf)\(\s*["'`](\w+)\.(\w+)["'`]""")
# `groups.${name}`, f"groups.{name}" and "groups." ~ name: any of the group may be meant.
PUT_TOGETHER = re.compile(r"""["'`]([a-z_]+)\.(?:\$?\{|["'] ~)""")
FILES = {"css", "html", "js", "svg"}

COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
# A text in quotes that begins like a sentence and goes on like one.
SENTENCE = re.compile(r"""["'`][^"'`\n]*\b[A-Z][a-z]+ [a-z]+[^"'`\n]*["'`]""")
# A word alone, which is a button or a state, unless it is the name of a header.
WORD = re.compile(r"""["'`]([A-Z][a-z]+)["'`]""")
HEADERS = {"Accept", "Location", "Prefer", "Range", "Vary"}

COMMAND = "rowmill why 4711"  # as it is typed
SPOKEN = {"alt", "aria-description", "aria-label", "label", "placeholder", "title"}


def test_every_word_that_is_asked_for_is_there_and_every_one_is_asked_for() -> None:
    text = "\n".join(path.read_text() for path in (*TEMPLATES, *SCRIPTS, *MODULES))
    named = {found for found in LITERAL.findall(text) if found[1] not in FILES}
    groups = set(PUT_TOGETHER.findall(text))
    keys = {(group, name) for group, entries in ENGLISH.table.items() for name in entries}
    assert {one for one in named if one[0] in ENGLISH.table} - keys == set()
    assert {*ASKED.findall(text)} - keys == set()
    unused = {one for one in keys - named if one[0] not in groups}
    assert {group for group, _ in unused} == {"language"}


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("checks", {*KEYS}),
        ("states", {*get_args(State), *ALIVE}),
        ("groups", {*pages.GROUPS, "others"}),
        ("sources", {*pages.GROUPS}),
        ("again", LISTENERS),
        ("unoffered", LISTENERS),
        ("handed_over", LISTENERS),
        ("behind", LISTENERS),
        ("span", {"day", "hour", "minute", "second", "moment"}),
    ],
)
def test_what_a_name_is_put_together_of_is_in_its_group(group: str, names: set[str]) -> None:
    assert ENGLISH.table[group].keys() == names


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_words_of_its_own(path: Path) -> None:
    assert [*_spoken(path.read_text())] == []


@pytest.mark.parametrize(
    "text",
    [
        "<p>Hello</p>",
        '<a aria-label="Hello {{ name }}"></a>',
        '{{ "Hello" if true }}',
        '{{ "not now" }}',
        "{% macro one() %}hello{% endmacro %}",
    ],
)
def test_a_word_in_a_template_is_found(text: str) -> None:
    assert [*_spoken(text)] != []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_has_no_sentences_of_its_own(path: Path) -> None:
    text = COMMENT.sub("", path.read_text())
    assert SENTENCE.findall(text) == []
    assert {*WORD.findall(text)} <= HEADERS


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_what_writes_for_the_pages_has_no_sentences_of_its_own(path: Path) -> None:
    texts = [*_texts(ast.parse(path.read_text()))]
    assert [text for text in texts if re.search("[A-Za-z] [a-z]", text)] == []
    assert {text for text in texts if re.fullmatch("[A-Z][a-z]+", text)} <= HEADERS


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.said += [value for name, value in attrs if value and name in SPOKEN]


def _spoken(template: str) -> Iterator[str]:
    """Yield words that a template says itself, in its markup or in its expressions."""
    tokens = [*Environment(autoescape=True).lex(template)]
    markup = "".join(value for _, kind, value in tokens if kind == "data")
    page = _Page()
    page.feed(re.sub(r"<(/?)(?=[ >])", r"<\1b", markup))  # a tag whose name is an expression
    for text in page.said:
        yield from re.findall(r"[^\W\d_]+", text.replace("Rowmill", ""))
    for text in (ast.literal_eval(value) for _, kind, value in tokens if kind == "string"):
        if text != COMMAND and re.search(r"[A-Z][a-z]|[a-z] [a-z]", text):
            yield text


def _texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in a module that are no docstrings, nor describe a field of the API."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Field"
        ):
            node.keywords.clear()
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(value=None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
