"""Reads a part of a packed XML document as a stream; no declarations, so no entity bombs."""

import zipfile
from collections.abc import Callable, Iterator
from xml.parsers import expat

from worker.converters.refusal import Refusal

_CHUNK = 128 * 1024
_LARGEST_CELL = 64 * 1024**2

Attributes = dict[str, str]


class Reader:
    """Handles the elements of one document; names come without their prefix.

    `has_prefixes` tells that names with several prefixes matter; else only those with that of
    the root do.
    """

    has_prefixes = False

    def start(self, name: str, attributes: Attributes) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


def parse(
    package: zipfile.ZipFile,
    part: str,
    reader: Reader,
    tell: Callable[[float], None] = lambda _done: None,
) -> Iterator[None]:
    """Feed a part to the reader, and yield after each piece, so that it can be emptied.

    What the parser finds wrong is raised as a refusal.
    """
    parser = _parser(reader)
    try:
        size = max(1, package.getinfo(part).file_size)
        done = 0
        with package.open(part) as stream:
            while data := stream.read(_CHUNK):
                parser.Parse(data, False)
                done += len(data)
                tell(done / size)
                yield
            parser.Parse(b"", True)
        yield
    except (expat.ExpatError, zipfile.BadZipFile, KeyError, EOFError, NotImplementedError) as error:
        raise broken(f"its part {part} cannot be read") from error


def read_all(package: zipfile.ZipFile, part: str, reader: Reader) -> None:
    for _ in parse(package, part, reader):
        pass


def broken(how: str) -> Refusal:
    return Refusal("corrupt_input", f"The workbook is damaged or incomplete: {how}.")


def attribute(attributes: Attributes, name: str) -> str | None:
    """Return an attribute whatever its prefix is."""
    if name in attributes:
        return attributes[name]
    return next((v for key, v in attributes.items() if key.rpartition(":")[2] == name), None)


def _parser(reader: Reader) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_declarations
    parser.CharacterDataHandler = reader.text
    plain: dict[str, str] = {}

    def local(name: str) -> str:
        found = plain.get(name)
        if found is None:
            found = plain[name] = name.rpartition(":")[2]
        return found

    def start(name: str, attributes: Attributes) -> None:
        reader.start(local(name), attributes)

    def end(name: str) -> None:
        reader.end(local(name))

    def first(name: str, attributes: Attributes) -> None:
        """Save a call for each element if the document gives its own names no prefix."""
        has_prefixes = reader.has_prefixes or ":" in name
        parser.StartElementHandler = start if has_prefixes else reader.start
        parser.EndElementHandler = end if has_prefixes else reader.end
        start(name, attributes)

    parser.StartElementHandler = first
    return parser


def _refuse_declarations(*_declared: object) -> None:
    raise broken("it declares what no workbook declares")
