"""Sentences that refuse an office document."""

from app.formats.known import KNOWN
from worker.converters.refusal import Refusal

_TITLES = {known.name: known.title for known in KNOWN}


def title(name: str) -> str:
    """Return a format in the words of a person, such as "Word document"."""
    return _TITLES[name]


def damaged(source_format: str, how: str) -> Refusal:
    return Refusal("corrupt_input", f"The {title(source_format)} is damaged or incomplete: {how}.")


def foreign(source_format: str) -> Refusal:
    """Return the refusal of bytes that do not even begin as they should."""
    return Refusal(
        "corrupt_input", f"The file is damaged, or it is no {title(source_format)} at all."
    )


def locked() -> Refusal:
    return Refusal(
        "password_required",
        "The document is locked with a password: send it along in the option password.",
    )


def wrong_password() -> Refusal:
    return Refusal("password_wrong", "The password does not open the document.")
