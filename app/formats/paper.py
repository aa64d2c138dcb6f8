"""Tells the tables of formats and options as a page for people: docs/formats.md."""

from collections.abc import Iterable, Iterator
from typing import Any

from app.formats import catalogue
from app.formats.family import Family

OPENING = """# What Rowmill converts

<!-- Written by `make docs` from the tables in app/formats; change those. -->

`GET /formats` says the same to programs, with the JSON Schema of all options, and which pairs a
worker that runs now can do. The bold target is what a file becomes when nobody asks for another.
Where two families can do a pair, the earlier one on this page does it if a worker offers it.
"""


def page(families: Iterable[Family]) -> str:
    """Return the page, in Markdown, for these families in their order."""
    return "\n".join([OPENING, *(line for family in families for line in _section(family))])


def _section(family: Family) -> Iterator[str]:
    yield f"## {family.kind.capitalize()}\n"
    if family.remark:
        yield f"{family.remark}\n"
    yield "| from | to |\n|---|---|"
    for source in family.sources:
        targets = ", ".join(_target(source, target) for target in family.targets_of(source))
        yield f"| {_titled(source)} | {targets} |"
    yield from _options(family)
    yield ""


def _target(source: str, target: str) -> str:
    return f"**{target}**" if catalogue.default_target(source) == target else target


def _titled(name: str) -> str:
    described = catalogue.format_named(name)
    return f"`{name}` {described.title}" if described else f"`{name}`"


def _options(family: Family) -> Iterator[str]:
    schema = family.options.model_json_schema()
    if not schema.get("properties"):
        return
    yield "\n| option | values | meaning |\n|---|---|---|"
    for name, described in schema["properties"].items():
        yield f"| `{name}` | {_values(described)} | {_meaning(described)} |"


def _meaning(described: dict[str, Any]) -> str:
    return str(described.get("description", described.get("title", ""))).replace("|", "\\|")


def _values(described: dict[str, Any]) -> str:
    default = described.get("default")
    told = f", else {_word(default)}" if default not in (None, "") else ""
    if "enum" in described:
        return ", ".join(_word(value) for value in described["enum"]) + told
    least, most = described.get("minimum"), described.get("maximum")
    if least is not None and most is not None:
        return f"{least} to {most}{told}"
    words = {"boolean": "true or false", "integer": "whole number", "string": "text"}
    return words.get(str(described.get("type")), "value") + told


def _word(value: Any) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    print(page(catalogue.families()), end="")  # noqa: T201 - `make docs` writes it to a file
