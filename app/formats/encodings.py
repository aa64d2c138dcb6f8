"""Names of encodings that people may give, and what Python calls them."""

from typing import Any

# Only what turns bytes into text: Python's "encodings" zip, rot13 or unicode_escape do not.
_CODECS = {
    "utf-8": "utf-8",
    "utf-16": "utf-16",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1252": "cp1252",
    "windows-1253": "cp1253",
    "windows-1254": "cp1254",
    "windows-1255": "cp1255",
    "windows-1256": "cp1256",
    "windows-1257": "cp1257",
    "windows-1258": "cp1258",
    "windows-874": "cp874",
    "iso-8859-1": "latin-1",
    "iso-8859-2": "iso8859-2",
    "iso-8859-5": "iso8859-5",
    "iso-8859-7": "iso8859-7",
    "iso-8859-9": "iso8859-9",
    "iso-8859-15": "iso8859-15",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "cp437": "cp437",
    "cp850": "cp850",
    "cp866": "cp866",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "euc-jp": "euc-jp",
    "iso-2022-jp": "iso2022-jp",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
}
_ALIASES = {
    "utf8": "utf-8",
    "utf16": "utf-16",
    "ascii": "windows-1252",  # as browsers read both
    "us-ascii": "windows-1252",
    "latin1": "windows-1252",
    "latin-1": "windows-1252",
    "latin9": "iso-8859-15",
    "ansi": "windows-1252",
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "sjis": "shift_jis",
    "shift-jis": "shift_jis",
    "windows-31j": "shift_jis",
    "x-sjis": "shift_jis",
    "x-mac-roman": "macintosh",
}

NAMES = tuple(_CODECS)


def named(given: Any) -> Any:
    """Return the name in NAMES that a text means ("Latin1", "CP1252"), or what was given."""
    if not isinstance(given, str):
        return given
    text = given.strip().lower()
    if text.startswith("cp125"):
        text = f"windows-{text[2:]}"
    text = _ALIASES.get(text, text)
    return text if text in _CODECS else given


def codec(name: str) -> str:
    """Return what Python calls one of NAMES."""
    return _CODECS[name]
