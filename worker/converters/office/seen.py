"""What a look at a document found that a person should be told, or that explains a failure."""

from dataclasses import dataclass, field
from enum import StrEnum


class Unprinted(StrEnum):
    """What is in a document and not in the PDF of it, as a whole sentence."""

    SHEETS = "Some sheets are hidden; they are not in the PDF."
    SLIDES = "Some slides are hidden; they are not in the PDF."
    SPEAKER_NOTES = "The slides have notes for the speaker; they are not in the PDF."


@dataclass
class Seen:
    """`elsewhere` counts pictures and parts that lie outside of the file.

    `locked` says that nothing can be read without a password, nor seen; `stale` that the file asks
    for its formulas to be worked out anew; `grids` that a form has a table of a database's records.
    """

    elsewhere: int = 0
    macros: bool = False
    locked: bool = False
    formulas: bool = False
    comments: bool = False
    stale: bool = False
    grids: bool = False
    unprinted: set[Unprinted] = field(default_factory=set)

    @property
    def notes(self) -> list[str]:
        """Whole sentences about what is not in the result."""
        notes = []
        if self.elsewhere:
            notes.append(
                "The document shows things that lie elsewhere, on a disk or in the web; "
                "they were not fetched and may be missing."
            )
        if self.macros:
            notes.append("The document has macros; they were not run.")
        return notes

    @property
    def notes_on_pdf(self) -> list[str]:
        """Whole sentences about what a PDF lacks, or has in another way."""
        notes = [str(sentence) for sentence in sorted(self.unprinted)]
        if self.comments:
            notes.append(
                "The comments of the document are notes in the PDF, which not every program shows."
            )
        return notes
