"""docs/formats.md is what the tables say."""

from pathlib import Path

from app.formats import catalogue, paper

DOCS = Path(__file__).parents[3] / "docs" / "formats.md"


def test_the_docs_are_current() -> None:
    built_in = [family for family in catalogue.families() if family.convert.startswith("worker.")]
    assert DOCS.read_text() == paper.page(built_in), "run: make docs"


def test_every_pair_and_every_option_is_told() -> None:
    text = DOCS.read_text()
    for family in catalogue.families():
        if family.convert.startswith("worker."):
            section = text.split(f"## {family.kind.capitalize()}\n")[1].split("\n## ")[0]
            assert all(f"`{name}`" in section for name in family.options.model_fields)
            for source, target in family.pairs:
                [row] = [line for line in section.splitlines() if line.startswith(f"| `{source}` ")]
                assert target in row.replace("*", " ").replace(",", " ").split()
