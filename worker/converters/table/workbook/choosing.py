"""Which sheets of a workbook are converted."""

from worker.converters.refusal import Refusal
from worker.converters.table.request import Request
from worker.converters.table.workbook.sheet import Tab

_MOST_NAMED = 30


def chosen(tabs: list[Tab], request: Request) -> list[Tab]:
    """Return the sheets that the options ask for, or the first that can be seen."""
    if not tabs:
        raise Refusal("corrupt_input", "The workbook has no sheet with a table.")
    wish = request.wish.sheet
    found = tabs if wish == "all" else [_one(tabs, wish)]
    request.facts["sheets"] = [tab.name for tab in tabs[:_MOST_NAMED]]
    request.facts["sheet"] = wish if wish == "all" else found[0].name
    if wish is None and len(tabs) > 1:
        request.note(
            f"The workbook has {len(tabs)} sheets; this is {found[0].name!r}. "
            "Choose another with the option sheet, or all."
        )
    return found


def _one(tabs: list[Tab], wish: str | None) -> Tab:
    if wish is None:
        return next((tab for tab in tabs if not tab.is_hidden), tabs[0])
    for tab in tabs:
        if tab.name == wish:
            return tab
    if wish.isdecimal() and 1 <= int(wish) <= len(tabs):
        return tabs[int(wish) - 1]
    names = ", ".join(repr(tab.name) for tab in tabs[:_MOST_NAMED])
    raise Refusal("bad_options", f"The workbook has no sheet {wish!r}; its sheets are {names}.")
