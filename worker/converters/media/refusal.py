"""How a conversion says that this recording can never be converted so."""

from app.formats.known import MEDIA

TITLES = {known.name: known.title for known in MEDIA} | {"gif": "GIF image"}


class Refusal(Exception):
    """Ends a conversion; `code` is in the catalogue of failures, `detail` is for the person."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def damaged(source_format: str) -> Refusal:
    """Return the refusal of a recording that cannot be decoded."""
    return Refusal("corrupt_input", f"The {TITLES[source_format]} is damaged or incomplete.")


def foreign(source_format: str) -> Refusal:
    """Return the refusal of bytes that do not even begin as they should."""
    return Refusal(
        "corrupt_input", f"The file is damaged, or it is no {TITLES[source_format]} at all."
    )
