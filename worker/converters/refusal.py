"""How a conversion says that this file can never be converted so."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from app.formats.options import OURS, Options
from worker.outcome import Refused

Wish = TypeVar("Wish", bound=Options)
_LONGEST_LOG = 2000


class Refusal(Exception):
    """Ends a conversion; `code` is in the catalogue of failures, `detail` is for the person.

    `detail` is a sentence of ours, always. What a program printed is given as `log`; what a
    library raised is known from `raise … from …`. Both are for operators.
    """

    def __init__(self, code: str, detail: str, *, log: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self._log = log[-_LONGEST_LOG:]

    @property
    def outcome(self) -> Refused:
        """The same as the outcome of the conversion that it ends."""
        return Refused(self.code, self.detail, self._log or _said(self.__cause__))


def wish_of(options: Mapping[str, Any], kind: type[Wish]) -> Wish:
    """Read the options of a job, which another version of this service may have written."""
    try:
        return kind.model_validate(options)
    except ValidationError as error:
        ours = [one["msg"] for one in error.errors() if one["type"] in OURS]
    # Not from the error: it shows every value that was given, a password among them.
    raise Refusal("bad_options", " ".join(ours) or "The options do not fit this conversion.")


def _said(cause: BaseException | None) -> str:
    if cause is None or isinstance(cause, Refusal):
        return ""
    return f"{type(cause).__name__}: {cause}"[:_LONGEST_LOG]
