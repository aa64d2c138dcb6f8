"""Which kind of column single values make: one they all fit without losing anything, or text."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

import polars as pl

from worker.converters.table.cells import Cell, Written, as_text

_LARGEST = 2**63 - 1
_EXACT = 2**53


class Kind:
    """What has been seen in one column."""

    def __init__(self) -> None:
        self._types: set[type] = set()
        self._largest = 0
        self._is_exact = True

    def see(self, values: Sequence[Cell]) -> None:
        found = set(map(type, values))
        self._types |= found
        if int in found:
            whole = [abs(value) for value in values if type(value) is int]
            self._largest = max(self._largest, *whole)
        if Written in found and self._is_exact:
            self._is_exact = all(v.is_exact for v in values if type(v) is Written)

    @property
    def dtype(self) -> pl.DataType:
        """Return the type that holds every value exactly; text where none does."""
        types = self._types - {type(None)}
        if types == {bool}:
            return pl.Boolean()
        if types == {int}:
            return pl.Int64() if self._largest <= _LARGEST else pl.String()
        if types and types <= {int, float, Written}:
            return pl.Float64() if self._is_exact and self._largest <= _EXACT else pl.String()
        if types and types <= {date, datetime}:
            return pl.Date() if types == {date} else pl.Datetime("us")
        if types == {time}:
            return pl.Time()
        return pl.Duration("us") if types == {timedelta} else pl.String()

    @property
    def is_nested(self) -> bool:
        return bool(self._types & {list, dict})

    @property
    def is_mixed(self) -> bool:
        """Whether it is a column of text only because its values have no other type in common."""
        return self.dtype == pl.String() and not self._types <= {str, type(None)}

    def fitted(self, values: Sequence[Cell]) -> list[Cell]:
        """Return the values as a column of this kind takes them."""
        match self.dtype:
            case pl.String():
                return [None if value is None else as_text(value) for value in values]
            case pl.Float64():
                return [None if value is None else float(value) for value in values]
            case pl.Datetime():
                return [_moment(value) for value in values]
            case _:
                return list(values)


def _moment(value: date | None) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    return datetime.combine(value, time())
