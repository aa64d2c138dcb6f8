"""The sentences that refuse a file, as the source of the converters has them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import worker.converters
from app.failures import CATALOGUE

SOURCE = Path(worker.converters.__file__).parent
# A number, the name of a format or of a part: nobody else's sentence, which has other signs too.
_INSERTED = r"[\w .,/×-]{0,80}?"  # noqa: RUF001 - the sign that sizes are told with
_PRINTED = {"stdout", "stderr", "msg", "args"}
_HARMLESS = {"encoding"}  # of an error: the name of one
_OURS = {"Broken", "BadArchive", "Refusal"}  # exceptions whose text is a sentence of ours


def is_ours(detail: str | None) -> bool:
    """Whether a detail is a sentence that stands in the converters, with its gaps filled in."""
    return detail is not None and _sentences().fullmatch(detail) is not None


def quotations() -> Iterator[str]:
    """Yield each place where a refusal shows what a library raised or a program printed."""
    makers = {"Refusal", "Refused", "BadArchive"} | _makers()
    for path, tree in _trees():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                caught = set(_caught(function))
                for call in _calls(function, makers):
                    if any(_quotes(part, caught) for part in _told(call)):
                        yield f"{path.relative_to(SOURCE)}:{call.lineno}"


@cache
def _sentences() -> re.Pattern[str]:
    known = [re.escape(failure.sentence) for failure in CATALOGUE.values()]
    written = [_pattern(text) for _, tree in _trees() for text in ast.walk(tree) if _ends(text)]
    return re.compile("|".join([*known, *written]))


def _ends(text: ast.AST) -> bool:
    last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
    return isinstance(last, ast.Constant) and str(last.value).endswith(".")


def _pattern(text: ast.AST) -> str:
    if isinstance(text, ast.JoinedStr):
        return "".join(map(_pattern, text.values))
    if isinstance(text, ast.Constant):
        return re.escape(str(text.value))
    own = (part.value for part in ast.walk(text) if isinstance(part, ast.Constant))
    choices = [re.escape(words) for words in own if isinstance(words, str)]
    return f"(?:{'|'.join([*choices, _INSERTED])})"


@cache
def _trees() -> tuple[tuple[Path, ast.Module], ...]:
    return tuple((path, ast.parse(path.read_text())) for path in sorted(SOURCE.rglob("*.py")))


def _makers() -> set[str]:
    """Return the functions that make a refusal of what they are given."""
    functions = (one for _, tree in _trees() for one in ast.walk(tree))
    return {
        one.name
        for one in functions
        if isinstance(one, ast.FunctionDef)
        and isinstance(one.returns, ast.Name)
        and one.returns.id in ("Refusal", "BadArchive")
    }


def _caught(function: ast.FunctionDef) -> Iterator[str]:
    for handler in ast.walk(function):
        if isinstance(handler, ast.ExceptHandler) and handler.name is not None:
            kinds = {
                one.attr if isinstance(one, ast.Attribute) else one.id for one in _kinds(handler)
            }
            if not kinds <= _OURS:
                yield handler.name


def _kinds(handler: ast.ExceptHandler) -> Iterator[ast.Name | ast.Attribute]:
    wanted = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return (one for one in wanted if isinstance(one, ast.Name | ast.Attribute))


def _calls(function: ast.FunctionDef, makers: set[str]) -> Iterator[ast.Call]:
    for call in ast.walk(function):
        if isinstance(call, ast.Call):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in makers:
                yield call


def _told(call: ast.Call) -> Iterator[ast.AST]:
    """Yield what a person may get to read: no `log`, and no error that is only judged."""
    yield from (part for part in call.args if not isinstance(part, ast.Name))
    yield from (one.value for one in call.keywords if one.arg != "log")


def _quotes(part: ast.AST, caught: set[str]) -> bool:
    if isinstance(part, ast.Attribute):
        if part.attr in _HARMLESS:
            return False
        return part.attr in _PRINTED or _quotes(part.value, caught)
    if isinstance(part, ast.Name):
        return part.id in caught
    return any(_quotes(one, caught) for one in ast.iter_child_nodes(part))
