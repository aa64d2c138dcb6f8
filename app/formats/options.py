"""What options of a conversion have in common: each refusal is a whole sentence."""

from typing import Any, ClassVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

OURS = frozenset({"option", "options"})  # the types of errors whose messages are our sentences


def optional(schema: dict[str, Any]) -> None:
    """Drop the default null from a field's JSON Schema: it only says that it may be left out."""
    schema.pop("default", None)


class Options(BaseModel):
    """The options of one conversion; every family extends this, an unknown name is refused.

    Everything may be left out, and an empty text counts as so. `sentences` says for a field what
    its value must be ("width must be a whole number"), `subject` what the options are of; the
    fields in `secret` live in a job's row until the job ends, and in no answer, event or log.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    sentences: ClassVar[dict[str, str]] = {}
    subject: ClassVar[str] = "this conversion"
    secret: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _leave_out_what_is_empty(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            raise PydanticCustomError("options", "The options must be an object of names.")
        for name in given:
            if name not in cls.model_fields:
                known = ", ".join(cls.model_fields) or "none"
                raise refusal(
                    f"{_shown(name)} is not an option of {cls.subject}. The options are {known}."
                )
        return {name: value for name, value in given.items() if value not in ("", None)}

    @field_validator("*", mode="wrap")
    @classmethod
    def _say_it_in_a_sentence(
        cls, given: Any, handler: ValidatorFunctionWrapHandler, info: Any
    ) -> Any:
        sentence = cls.sentences.get(info.field_name)
        annotation = cls.model_fields[info.field_name].annotation
        is_yes_or_no = bool in (annotation, *get_args(annotation))
        try:
            if not isinstance(given, bool) or is_yes_or_no:  # True would pass for 1
                return handler(given)
        except ValidationError:
            if sentence is None:
                raise
        shown = "" if info.field_name in cls.secret else f", not {_shown(given)}"
        raise refusal(f"{sentence or info.field_name + ' must not be true or false'}{shown}.")


def refusal(sentence: str) -> PydanticCustomError:
    """Return what a validator raises so that a person reads this very sentence."""
    return PydanticCustomError("option", "{sentence}", {"sentence": sentence})


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:57]}..."
