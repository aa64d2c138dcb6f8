"""What a look at a document found that a person should be told, or that explains a failure."""

from dataclasses import dataclass


@dataclass
class Seen:
    """`elsewhere` counts pictures and parts that lie outside of the file.

    `locked` says that nothing can be read without a password.
    """

    elsewhere: int = 0
    macros: bool = False
    locked: bool = False

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
