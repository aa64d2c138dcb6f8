"""Small documents written on the spot: text, colours, forms, scans, locks, defects and bombs."""

import io
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import pikepdf
from PIL import Image

from tests import samples

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_USES_FONT = b"/Resources<</Font<</F 3 0 R>>>>"


def written(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """Return a file of these objects, of which the first is the catalogue."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, content in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        free = b"0000000000 65535 f \n"
        out += b"%010d 00000 n \n" % places[number] if number in places else free
    out += b"trailer\n<</Size %d/Root 1 0 R%b>>\n" % (size, trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<<%b/Length %d>>\nstream\n%b\nendstream" % (entries, len(content), content)


def shown(text: str, *, size: int = 20, at: tuple[int, int] = (10, 40)) -> bytes:
    """Return the instructions that print a text."""
    return b"BT /F %d Tf %d %d Td (%b) Tj ET" % (size, *at, text.encode("cp1252"))


def document(
    *contents: str | bytes,
    box: str = "0 0 200 100",
    page: bytes = b"",
    catalogue: bytes = b"",
    more: Mapping[int, bytes] | None = None,
) -> bytes:
    """Return a document with one page for each text, or for each text of drawing instructions.

    Objects 1 to 3 are its frame, a page and its content follow one another from 10 on; `more`
    are further objects that `page` and `catalogue` may speak of.
    """
    numbers = [10 + 2 * place for place in range(len(contents))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R%b>>" % catalogue,
        2: b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(numbers)),
        3: FONT,
    }
    for number, content in zip(numbers, contents, strict=True):
        body = content if isinstance(content, bytes) else shown(content)
        entries = b"/Type/Page/Parent 2 0 R/MediaBox[%b]" % box.encode()
        uses = b"" if b"/Resources" in page else _USES_FONT
        objects[number] = b"<<%b/Contents %d 0 R%b%b>>" % (entries, number + 1, uses, page)
        objects[number + 1] = stream(body)
    return written({**objects, **(more or {})})


def flag(page: bytes = b"") -> bytes:
    """Return red, green, blue and yellow in the corners, as one reads."""
    corners = ((samples.RED, 0, 50), (samples.GREEN, 100, 50), (samples.BLUE, 0, 0))
    parts = []
    for colour, left, bottom in (*corners, (samples.YELLOW, 100, 0)):
        red, green, blue = (part / 255 for part in colour)
        parts.append(f"{red:.4f} {green:.4f} {blue:.4f} rg {left} {bottom} 100 50 re f")
    return document(" ".join(parts).encode(), page=page)


def form(*, drawn: bool = True, catalogue: bytes = b"", flags: int = 4) -> bytes:
    """Return a form with a field filled in, a stamp and a comment on top of the page.

    The value of the field is drawn by the file itself, or left to the reader to draw.
    """
    more = {
        4: b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Lovelace)/Rect[60 70 190 95]"
        b"/DA(/F 12 Tf 0 g)/F %d%b>>" % (flags, b"/AP<</N 5 0 R>>" if drawn else b""),
        5: stream(
            b"/Tx BMC q BT /F 12 Tf 2 8 Td (Lovelace) Tj ET Q EMC",
            b"/Type/XObject/Subtype/Form/BBox[0 0 130 25]" + _USES_FONT,
        ),
        6: b"<</Type/Annot/Subtype/Stamp/Rect[10 10 190 60]/F %d/AP<</N 7 0 R>>>>" % flags,
        7: stream(
            b"0 0 1 rg 0 0 180 50 re f 1 g BT /F 20 Tf 20 15 Td (APPROVED) Tj ET",
            b"/Type/XObject/Subtype/Form/BBox[0 0 180 50]" + _USES_FONT,
        ),
    }
    more[8] = stream(b"<xdp/>")  # only for who speaks of it in `catalogue`
    fields = b"/AcroForm<</Fields[4 0 R]/DA(/F 12 Tf 0 g)/DR<</Font<</F 3 0 R>>>>%b>>" % catalogue
    name = shown("Name:", size=12, at=(10, 80))
    return document(name, page=b"/Annots[4 0 R 6 0 R]", catalogue=fields, more=more)


def picture_page(packed: bytes, entries: str, *, text: str = "") -> bytes:
    """Return a page that is one picture, with a text on top if there is one."""
    picture = b"/Type/XObject/Subtype/Image/BitsPerComponent 8" + entries.encode()
    return document(
        b"q 200 0 0 100 0 0 cm /P Do Q " + (shown(text) if text else b""),
        page=b"/Resources<</XObject<</P 5 0 R>>/Font<</F 3 0 R>>>>",
        more={5: stream(packed, picture)},
    )


def scan(*, text: str = "") -> bytes:
    """Return a page that is a photograph of the flag."""
    photo = samples.encoded(samples.flag((400, 200)), "jpg")
    jpeg = "/Width 400/Height 200/ColorSpace/DeviceRGB/Filter/DCTDecode"
    return picture_page(photo, jpeg, text=text)


def grey_picture(side: int) -> bytes:
    """Return a page that is one enormous picture of one grey, in a small file."""
    pack, row = zlib.compressobj(9), b"\x80" * side
    packed = b"".join(pack.compress(row) for _ in range(side)) + pack.flush()
    entries = f"/Width {side}/Height {side}/ColorSpace/DeviceGray/Filter/FlateDecode"
    return picture_page(packed, entries)


def groups(depth: int) -> bytes:
    """Return a page of 1000 points whose red lies in transparent groups inside one another."""
    through = b"/Resources<</XObject<</X %d 0 R>>/ExtGState<</G 4 0 R>>>>"
    shape = b"/Type/XObject/Subtype/Form/BBox[0 0 1000 1000]/Group<</S/Transparency/I true>>"
    more = {4: b"<</ca 0.9/BM/Multiply>>"}
    for number in range(100, 100 + depth - 1):
        more[number] = stream(b"/G gs /X Do", shape + through % (number + 1))
    more[100 + depth - 1] = stream(b"1 0 0 rg 0 0 1000 1000 re f", shape)
    return document(b"/G gs /X Do", box="0 0 1000 1000", page=through % 100, more=more)


def saved(content: bytes, **options: Any) -> bytes:
    """Return the document as qpdf writes it with these options."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        pdf.save(out, **options)
    return out.getvalue()


def locked(content: bytes, *, user: str = "", owner: str = "owner", level: int = 6) -> bytes:
    """Return the document encrypted, so that `user` opens it and `owner` may change it."""
    aes = level >= 4
    lock = pikepdf.Encryption(user=user, owner=owner, R=level, aes=aes, metadata=aes)  # type: ignore[arg-type]
    return saved(content, encryption=lock)


def cmyk_photo() -> bytes:
    out = io.BytesIO()
    Image.new("CMYK", (40, 20), (255, 0, 255, 0)).save(out, "JPEG", quality=95)
    return out.getvalue()


def doubled(content: bytes) -> bytes:
    """Return the document with its pages twice."""
    return joined(content, content)


def joined(*contents: bytes) -> bytes:
    """Return the first document with the pages of the others behind its own."""
    out = io.BytesIO()
    with ExitStack() as stack:
        first, *others = (stack.enter_context(pikepdf.open(io.BytesIO(one))) for one in contents)
        for other in others:
            first.pages.extend(other.pages)
        first.save(out)
    return out.getvalue()
