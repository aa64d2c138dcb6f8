"""HTML within Markdown becomes what it means, and Markdown stays free of it."""

import pytest

from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import data_uri
from tests.worker.converters.document.reader import pictures_in, text_of

README = f"""<h1 align="center">Name</h1>

Water is H<sub>2</sub>O, <b>bold <i>both</i></b> and<br>next.

<table><tr><td>left</td><td>right</td></tr></table>

<img src="{data_uri()}" width="20">

<details><summary>more</summary>hidden</details>
"""


@pytest.mark.parametrize("target", ["docx", "odt", "epub", "pdf", "rst", "org", "tex", "txt"])
def test_html_in_markdown_is_understood(converting: Converting, target: str) -> None:
    content = converting(README, "md", target).content

    said = text_of(content, target)
    for word in ("Name", "left", "right", "next", "more", "hidden"):
        assert word in said, said
    assert not any(tag in said for tag in ("<b>", "<sub>", "<td>", "<img", "<h1"))
    if target != "txt":
        assert pictures_in(content, target) == 1


def test_html_in_markdown_becomes_structure(converting: Converting) -> None:
    said = text_of(converting(README, "md", "tex").content, "tex")

    assert "H\\textsubscript{2}O" in said
    assert "\\textbf{bold \\emph{both}}" in said
    assert "left & right" in said


def test_html_stays_html_where_it_may(converting: Converting) -> None:
    assert b"<details>" in converting(README, "md", "html").content


def test_a_page_takes_in_its_pictures_and_nothing_that_is_only_called_so(
    converting: Converting,
) -> None:
    """A picture of that name, one beside the page and one outside of the folder are not there."""
    others = [f"media/{'a' * 40}.png", "media/a.png", f"../media/{'a' * 40}.png"]
    tags = "".join(f'<img src="{one}">\n' for one in others)

    page = converting(f"![one]({data_uri()})\n\n{tags}", "md", "html").content

    assert pictures_in(page, "html") == 1
    assert data_uri().encode() in page
    assert [one for one in others if f'src="{one}"'.encode() not in page] == []


def test_tags_without_an_end_take_no_long_time(converting: Converting) -> None:
    result = converting("<b>x " * 8_000, "md", "txt", cpu_seconds=6)

    assert result.content.count(b"x") == 8_000


def test_markdown_from_a_page_has_no_tags(converting: Converting) -> None:
    page = (
        '<div class="a"><p>one <span style="color:red">two</span> '
        '<a href="http://a.example/" target="_blank">three</a></p>'
        f'<figure><img src="{data_uri()}" width="10" alt="four"><figcaption>five</figcaption>'
        "</figure></div>"
    )

    said = text_of(converting(page, "html", "md").content, "md")

    assert "<" not in said
    assert "one two [three](http://a.example/)" in said
    assert "![four](media/" in said
    assert "five" in said
