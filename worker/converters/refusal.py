"""How a conversion says that this file can never be converted so."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from app.formats.options import Options
from worker.outcome import Refused

Wish = TypeVar("Wish", bound=Options)


class Refusal(Exception):
    """Ends a conversion; `code` is in the catalogue of failures, `detail` is for the person."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail

    @property
    def outcome(self) -> Refused:
        """The same as the outcome of the conversion that it ends."""
        return Refused(self.code, self.detail)


def wish_of(options: Mapping[str, Any], kind: type[Wish]) -> Wish:
    """Read the options of a job, which another version of this service may have written."""
    try:
        return kind.model_validate(options)
    except ValidationError as error:
        raise Refusal("bad_options", " ".join(one["msg"] for one in error.errors())) from error
