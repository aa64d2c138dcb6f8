"""How the text of each variable becomes a value, and why it cannot."""

import re
from collections.abc import Callable
from pathlib import Path

from app.words import languages

_ORIGIN = re.compile(r"https?://[a-z0-9.\-\[\]:]+", re.ASCII)
_LARGEST = 2**60  # a result may be four times this, which the kernel and a bigint still hold
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/=]{16,}", re.ASCII)  # what fits into Authorization: Bearer


class BadSetting(Exception):
    """A variable has a value that Rowmill cannot or must not run with; the text names it."""


def as_number(least: float, most: float) -> Callable[[str, str], float]:
    def read(text: str, name: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise BadSetting(f"{name}={text!r} is not a number.") from None
        if not least <= value <= most:
            limit = f"{least:.10g} to {most:.10g}"
            raise BadSetting(f"{name}={text!r} is out of range: it must be {limit}.")
        return value

    return read


def as_whole(least: int, most: int = _LARGEST) -> Callable[[str, str], int]:
    def read(text: str, name: str) -> int:
        if not text.isascii() or not text.isdigit():
            raise BadSetting(f"{name}={text!r} is not a whole number.")
        if len(text) > 100 or not least <= int(text) <= most:  # int() reads 4,300 digits at most
            raise BadSetting(f"{name}={text!r} is out of range: it must be {least} to {most}.")
        return int(text)

    return read


def as_text(text: str, name: str) -> str:
    if not text.strip():
        raise BadSetting(f"{name} is empty: give it a value or leave it out.")
    return text.strip()


def as_folder(text: str, name: str) -> Path:
    return Path(as_text(text, name)).expanduser().absolute()


def as_database_url(text: str, name: str) -> str:
    url = as_text(text, name)
    scheme, _, rest = url.partition("://")
    if scheme in {"postgres", "postgresql"}:
        return f"postgresql+psycopg2://{rest}"
    if scheme != "postgresql+psycopg2":
        raise BadSetting(f"{name} must begin with postgresql:// (it begins with {scheme[:20]!r}).")
    return url


def as_kinds(text: str, name: str) -> dict[str, int | None]:
    kinds: dict[str, int | None] = {}
    for part in as_text(text, name).split(","):
        kind, colon, most = part.strip().partition(":")
        if not kind.isidentifier():
            raise BadSetting(f"{name}={text!r}: {part.strip()!r} is not a kind; try image,media:1.")
        kinds[kind] = as_whole(1, 1000)(most, name) if colon else None
    return kinds


def as_origins(text: str, name: str) -> tuple[str, ...]:
    if text.strip() == "none":
        return ()
    origins = tuple(part.strip().lower() for part in as_text(text, name).split(","))
    for origin in origins:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise BadSetting(
                f"{name}={text!r}: {origin!r} is not an origin; try https://app.example, several "
                "with commas between them, * for every site, or none."
            )
    return origins


def as_word(words: str, says: str) -> Callable[[str, str], str]:
    def read(text: str, name: str) -> str:
        if text not in words.split():
            raise BadSetting(f"{name}={text!r} must be {says}.")
        return text

    return read


def as_language(text: str, name: str) -> str:
    known = languages()
    if text not in known:
        raise BadSetting(
            f"{name}={text!r} is no language of the pages; there is {', '.join(known)}."
        )
    return text


def as_token(text: str, name: str) -> str | None:
    """Read a secret; unlike other values it is repeated nowhere."""
    if text.strip() == "none":
        return None
    if not _TOKEN.fullmatch(text.strip()):
        raise BadSetting(
            f"{name} must be at least 16 letters, digits or any of -._~+/= that nobody can guess, "
            "such as what openssl rand -hex 32 prints."
        )
    return text.strip()
