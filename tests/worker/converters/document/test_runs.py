"""A conversion has as many processes for pandoc as it may need, and seldom more."""

from app.formats.catalogue import families
from app.formats.document import DOCUMENT
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.reader import text_of


def test_no_pair_needs_more_than_its_family_says() -> None:
    for family in families():
        for source, target in family.pairs:
            needs = family.needs_of(source, target)
            assert needs.programs <= family.needs.programs
            assert (needs.reads, needs.unix_sockets) == (
                family.needs.reads,
                family.needs.unix_sockets,
            )


def test_most_pairs_of_documents_run_one_program() -> None:
    runs = [DOCUMENT.needs_of(*pair).programs for pair in DOCUMENT.pairs]
    assert runs.count(1) > len(runs) / 2
    assert DOCUMENT.needs_of("md", "docx").programs == 1
    assert max(runs) == DOCUMENT.needs.programs


def test_what_takes_the_most_runs_has_them(converting: Converting) -> None:
    """A table of another file ends the first, a label that typst does not know the second."""
    table = ".. csv-table:: t\n   :file: elsewhere.csv\n"
    code = "`to code <#code>`__\n\n.. code-block::\n   :name: code\n\n   code\n"

    result = converting(f"before\n\n{table}\n{code}\n", "rst", "pdf")

    assert "before" in text_of(result.content, "pdf")
    assert result.notes.startswith("Formulas stand as text")
