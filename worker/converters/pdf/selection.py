"""Which pages of a document are wanted, in which order, and how page numbers are put into words."""

from collections.abc import Iterable

from app.formats.pdf import Range, ranges
from worker.converters.limits import Limits
from worker.converters.refusal import Refusal

_MOST_SHOWN = 12


def chosen(pages: str | None, total: int, limits: Limits) -> list[int]:
    """Return the indices (from 0) of the wanted pages of `total`, each once, in their order."""
    if pages is None:
        _check(total, f"The document has {total:,} pages", limits)
        return list(range(total))
    wanted: dict[int, None] = {}
    for one in ranges(pages):
        first, last = _within(one, total)
        _check(last - first + 1, f"{last - first + 1:,} pages were chosen", limits)
        wanted.update(dict.fromkeys(range(first - 1, last)))
        _check(len(wanted), f"At least {len(wanted):,} pages were chosen", limits)
    return list(wanted)


def _within(one: Range, total: int) -> tuple[int, int]:
    first, last = one[0], one[1] or total
    if max(first, last) > total:
        beyond = first if first > total else last
        raise Refusal(
            "bad_options",
            f"The document has {counted(total)}, and the option pages asks for page {beyond}. "
            f"Choose from 1 to {total}.",
        )
    return first, last


def _check(count: int, what: str, limits: Limits) -> None:
    if count > limits.max_pages:
        raise Refusal(
            "too_many_pages",
            f"{what}; this service converts up to {limits.max_pages:,} at a time "
            f"(ROWMILL_MAX_PAGES). Choose fewer with the option pages, "
            f"such as 1-{limits.max_pages}.",
        )


def counted(count: int) -> str:
    """Return "1 page", "2 pages"."""
    return f"{count:,} page" if count == 1 else f"{count:,} pages"


def named(indices: Iterable[int]) -> str:
    """Return "page 4" or "pages 4, 7 and 9"; of very many, the first dozen."""
    numbers = [str(index + 1) for index in sorted(indices)]
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    if len(numbers) > _MOST_SHOWN:
        more = len(numbers) - _MOST_SHOWN
        return f"pages {', '.join(numbers[:_MOST_SHOWN])} and {more} more"
    return f"pages {', '.join(numbers[:-1])} and {numbers[-1]}"
