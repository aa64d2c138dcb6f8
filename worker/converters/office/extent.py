"""Whether a workbook fits into what it shall become: LibreOffice leaves out the rest, silently."""

from dataclasses import dataclass

from app.formats.office import SHEETS
from worker.converters.office.refusal import title
from worker.converters.refusal import Refusal


@dataclass(frozen=True)
class Room:
    """How many rows and columns a sheet may have, and how many letters a cell, if that is bounded.

    Letters are counted as these programs do it: in UTF-16.
    """

    rows: int = 1_048_576  # of LibreOffice itself, since 7.4
    columns: int = 16_384
    letters: int | None = None


NARROW = {"xls": Room(65_536, 256, 32_767), "xlsx": Room(letters=32_767)}
_ADVICE = {
    "xls": "Choose xlsx or ods instead, or split the table.",
    "xlsx": "Choose csv instead, or split the table.",
}


def room_of(target_format: str) -> Room:
    return NARROW.get(target_format, Room())


@dataclass
class Extent:
    """The last row and column that hold something, counted from 1, and the letters of the longest.

    Of all sheets, and only as far as anybody had to look.
    """

    rows: int = 0
    columns: int = 0
    letters: int = 0

    def reach(self, row: int, column: int) -> None:
        self.rows = max(self.rows, row)
        self.columns = max(self.columns, column)

    def check(self, target_format: str) -> None:
        """Raise Refusal if LibreOffice would leave out a part."""
        room = room_of(target_format)
        sheet = f"a sheet of the {title(target_format) if target_format in SHEETS else 'workbook'}"
        advice = _ADVICE.get(target_format, "Choose csv instead, or split the table.")
        if self.rows > room.rows:
            raise Refusal(
                "too_many_rows",
                f"A sheet has something in row {self.rows:,}; {sheet} ends with row "
                f"{room.rows:,}. {advice}",
            )
        if self.columns > room.columns:
            raise Refusal(
                "too_many_columns",
                f"A sheet has something in column {self.columns:,}; {sheet} ends with column "
                f"{room.columns:,}. {advice}",
            )
        if room.letters is not None and self.letters > room.letters:
            raise Refusal(
                "cell_too_long",
                f"A cell has a text of {self.letters:,} characters; a cell of the "
                f"{title(target_format)} holds {room.letters:,}. Choose ods or csv instead.",
            )
