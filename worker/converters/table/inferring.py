"""Finds columns of text that hold only numbers, dates, or true and false, and makes them that."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import polars as pl

from worker.converters.table.request import Request
from worker.converters.table.table import FrameTable, Schema, Table

_MOST_TOLD = 60

# Nothing that would come out as another value is taken: 00123, +49, 1E5 and long numbers stay.
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
_DECIMAL = r"^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]+)$"
_MOST_DIGITS = 15
_BOOLEAN = r"^(?i:true|false)$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"


def _short(text: pl.Expr) -> pl.Expr:
    """Read a number if a number of eight bytes keeps all its digits."""
    digits = text.str.replace_all(r"^-?0*\.?0*|\.", "").str.len_chars()
    return pl.when(digits <= _MOST_DIGITS).then(text.cast(pl.Float64, strict=False))


@dataclass(frozen=True)
class _Guess:
    """A type: how it is called, which texts it may be, how it is read and written again."""

    title: str
    pattern: str
    dtype: pl.DataType
    read: Callable[[pl.Expr], pl.Expr]
    write: Callable[[pl.Expr], pl.Expr] = lambda value: value.cast(pl.String)


_GUESSES = (
    _Guess("whole number", _WHOLE, pl.Int64(), lambda text: text.cast(pl.Int64, strict=False)),
    _Guess("number", _DECIMAL, pl.Float64(), _short),
    _Guess("true or false", _BOOLEAN, pl.Boolean(), lambda text: text.str.to_lowercase() == "true"),
    _Guess("date", _DATE, pl.Date(), lambda text: text.str.to_date("%Y-%m-%d", strict=False)),
    _Guess(
        "date and time",
        _MOMENT,
        pl.Datetime("us"),
        lambda text: text.str.replace(" ", "T").str.to_datetime(
            "%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False
        ),
        lambda value: value.dt.strftime("%Y-%m-%dT%H:%M:%S%.f"),
    ),
)


@dataclass
class _Seen:
    """What is known of one column: which guesses still hold, and what spoke against others."""

    guesses: list[_Guess] = field(default_factory=lambda: list(_GUESSES))
    values: int = 0
    empty: int = 0
    rewritten: dict[str, int] = field(default_factory=dict)
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)
    against: str = ""
    _fewest: int = 0

    def see(self, column: pl.Series) -> None:
        texts = column.drop_nulls()
        texts = texts.filter(texts != "")
        self.empty += len(column) - len(texts)
        self.values += len(texts)
        if len(texts) and self.guesses:
            self._fewest = len(texts) + 1
            self.guesses = [guess for guess in self.guesses if self._holds(guess, texts)]

    def _holds(self, guess: _Guess, texts: pl.Series) -> bool:
        frame = texts.alias("text").to_frame()
        text = pl.col("text")
        fits = frame.with_columns(read=guess.read(text), fits=text.str.contains(guess.pattern))
        wrong = fits.filter(~pl.col("fits") | pl.col("read").is_null())
        if wrong.height:
            if wrong.height < self._fewest:  # the guess that came closest says most
                self._fewest, self.against = wrong.height, str(wrong["text"][0])[:60]
            return False
        written = fits.select("text", written=guess.write(pl.col("read")))
        changed = written.filter(pl.col("text") != pl.col("written"))
        self.rewritten[guess.title] = self.rewritten.get(guess.title, 0) + changed.height
        if changed.height:
            self.examples.setdefault(guess.title, changed.row(0))
        return True

    @property
    def found(self) -> _Guess | None:
        return self.guesses[0] if self.guesses and self.values else None


class Inferred(FrameTable):
    """A table whose columns of text have become what all their values are."""

    def __init__(self, request: Request, table: Table) -> None:
        self._table = table
        self.names, self.has_names = table.names, table.has_names
        texts = [name for name, dtype in table.schema.items() if dtype == pl.String()]
        seen = {name: _Seen() for name in texts}
        for frame in table.frames():
            for name, one in seen.items():
                one.see(frame[name])
        self._found = {name: one.found for name, one in seen.items()}
        self.rows = table.rows
        _report(request, seen)

    @property
    def schema(self) -> Schema:
        found = {name: guess.dtype for name, guess in self._found.items() if guess is not None}
        return {**self._table.schema, **found}

    def frames(self) -> Iterator[pl.DataFrame]:
        changes = [
            pl.when(pl.col(name) != "").then(guess.read(pl.col(name))).alias(name)
            for name, guess in self._found.items()
            if guess is not None
        ]
        for frame in self._table.frames():
            yield frame.with_columns(changes)


def _report(request: Request, seen: dict[str, _Seen]) -> None:
    """Tell of each column what it became and which of its values are now written otherwise."""
    told = list(seen.items())[:_MOST_TOLD]
    request.facts["types"] = {
        name[:100]: _became(one, one.found) for name, one in told if one.found is not None
    }
    request.facts["kept_as_text"] = {
        name[:100]: one.against for name, one in told if one.found is None
    }


def _became(seen: _Seen, guess: _Guess) -> dict[str, object]:
    became: dict[str, object] = {"type": guess.title, "values": seen.values, "empty": seen.empty}
    if rewritten := seen.rewritten.get(guess.title):
        before, after = seen.examples[guess.title]
        became |= {"rewritten": rewritten, "example": f"{before} is now {after}"}
    return became
