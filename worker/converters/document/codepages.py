"""Says which codecs are meant by the numbers of code pages and of fonts' character sets."""

WESTERN = "cp1252"

# What Windows calls by a number; Python calls some of them otherwise, and lacks others.
_NAMED = {
    0: WESTERN,  # "the usual one"
    708: "iso8859-6",
    819: "latin-1",
    936: "gb18030",
    1361: "johab",
    10000: "mac-roman",
    10001: "cp932",
    10002: "cp950",
    10003: "cp949",
    10004: "mac-arabic",
    10006: "mac-greek",
    10007: "mac-cyrillic",
    10008: "gb18030",
    10029: "mac-latin2",
    10079: "mac-iceland",
    10081: "mac-turkish",
    20866: "koi8-r",
    21866: "koi8-u",
    54936: "gb18030",
    65001: "utf-8",
}
_AS_NUMBERED = (
    *(437, 720, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874),
    *(932, 949, 950, *range(1250, 1259)),
)
_CODECS = {**_NAMED, **{number: f"cp{number}" for number in _AS_NUMBERED}}

# Rich Text Format 1.9.1, "Font Table". Signs (2) are no letters of any page.
_PAGES = {
    0: 1252,
    2: 1252,
    77: 10000,
    78: 10001,
    79: 10003,
    80: 10008,
    81: 10002,
    84: 10004,
    85: 10006,
    86: 10081,
    88: 10029,
    89: 10007,
    128: 932,
    129: 949,
    130: 1361,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
    186: 1257,
    204: 1251,
    222: 874,
    238: 1250,
    254: 437,
    255: 850,
}


class CodePages:
    """Those of one document: its own, and those of its fonts by their numbers.

    `unknown` collects the numbers of pages that text is written in and nobody here can read.
    """

    def __init__(self) -> None:
        self.unknown: set[int] = set()
        self._own = 1252
        self._fonts: dict[int, int] = {}

    def own(self, page: int) -> None:
        self._own = page

    def font(self, font: int, *, page: int) -> None:
        self._fonts[font] = page

    def font_of(self, font: int, *, charset: int) -> None:
        """Note the page that a font's character set means; of others the document's own holds."""
        if charset in _PAGES:
            self._fonts[font] = _PAGES[charset]

    def usual_codec(self, font: int | None) -> str:
        """Return the codec where no font is named but this one is usual.

        There programs that know no more than to call it Western write in the document's own page.
        """
        told = self.codec(font)
        return self.codec(None) if told == WESTERN else told

    def codec(self, font: int | None) -> str:
        """Return what Python calls the page that holds for text in this font."""
        page = self._own if font is None else self._fonts.get(font, self._own)
        if page not in _CODECS:
            self.unknown.add(page)
        return _CODECS.get(page, WESTERN)
