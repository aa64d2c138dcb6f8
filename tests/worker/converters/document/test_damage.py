"""Damaged, locked, swollen and wrongly named documents end with the right code."""

import io
import zipfile

import pytest

from tests.worker.converters.document import packages
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import SAMPLES
from tests.worker.converters.document.packages import archive
from tests.worker.converters.document.reader import text_of
from tests.worker.converters.document.words import HEADING
from tests.worker.converters.test_packed import compound

PACKED = ("docx", "odt", "epub")
MIB = 1024**2


@pytest.mark.parametrize("source", PACKED)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_document_that_ends_early_is_damaged(
    converting: Converting, source: str, share: float
) -> None:
    whole = SAMPLES[source]

    refused = converting(whole[: int(len(whole) * share)], source, "html").refused

    assert refused.code == "corrupt_input"


@pytest.mark.parametrize("source", PACKED)
@pytest.mark.parametrize(
    "content", [b"", b"PK", b"not a document at all", SAMPLES["rtf"], bytes(range(256)) * 20]
)
def test_something_else_under_the_name_of_a_document_is_refused(
    converting: Converting, source: str, content: bytes
) -> None:
    assert converting(content, source, "html").refused.code == "corrupt_input"


@pytest.mark.parametrize("source", PACKED)
def test_an_archive_without_a_document_in_it_is_damaged(
    converting: Converting, source: str
) -> None:
    refused = converting(archive({"a.txt": "nothing"}), source, "html").refused

    assert refused.code == "corrupt_input"
    assert "input." not in str(refused.detail)


@pytest.mark.parametrize(
    ("source", "content"), [("rtf", "no rtf"), ("ipynb", "{"), ("ipynb", "[]")]
)
def test_text_that_is_not_what_it_is_called_is_refused(
    converting: Converting, source: str, content: str
) -> None:
    assert converting(content, source, "html").refused.code == "corrupt_input"


@pytest.mark.parametrize("source", PACKED)
def test_a_bomb_is_refused_before_pandoc_sees_it(converting: Converting, source: str) -> None:
    make = {"docx": packages.docx, "odt": packages.odt, "epub": packages.epub}[source]
    swollen = make({"zeros": b"\0" * 3 * MIB})

    refused = converting(swollen, source, "txt", limits={"max_inflated_bytes": 2 * MIB}).refused
    crowded = converting(SAMPLES[source], source, "txt", limits={"max_zip_entries": 3}).refused

    assert refused.code == "inflates_too_much"
    assert "2,097,152" in str(refused.detail)
    assert crowded.code == "inflates_too_much"


_ENTITIES = "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' if n else '<!ENTITY l0 "lololololol">'
    for n in range(12)
)


@pytest.mark.parametrize(
    ("source", "content"),
    [
        (
            "docx",
            packages.docx(
                {
                    "word/document.xml": f'<!DOCTYPE w:document [{_ENTITIES}]><w:document xmlns:w="http://'
                    'schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&l11;'
                    "</w:t></w:r></w:p></w:body></w:document>"
                }
            ),
        ),
        (
            "odt",
            packages.odt(
                {
                    "content.xml": f"<!DOCTYPE x [{_ENTITIES}]><office:document-content>&l11;"
                    "</office:document-content>"
                }
            ),
        ),
        (
            "epub",
            packages.epub(
                {"OEBPS/c.xhtml": f"<!DOCTYPE html [{_ENTITIES}]><html><body>&l11;</body></html>"}
            ),
        ),
    ],
)
def test_entities_that_multiply_end_within_the_limits(
    converting: Converting, source: str, content: bytes
) -> None:
    result = converting(content, source, "txt", cpu_seconds=20)

    code = getattr(result.outcome, "code", "converted")
    assert code in ("corrupt_input", "memory_limit", "converted"), result.outcome
    assert code != "converted" or len(result.content) < MIB


@pytest.mark.parametrize("source", PACKED)
def test_an_entity_that_names_a_file_brings_nothing(converting: Converting, source: str) -> None:
    entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "secret.txt"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    swap = {
        "docx": ("word/document.xml", packages.docx),
        "odt": ("content.xml", packages.odt),
        "epub": ("OEBPS/c.xhtml", packages.epub),
    }
    name, make = swap[source]
    with zipfile.ZipFile(io.BytesIO(SAMPLES[source])) as packed:
        text = packed.read(name).decode().partition("?>")[2]
    content = make({name: entity + text.replace("then", "&e;&f;")})

    result = converting(content, source, "txt", beside={"secret.txt": b"MARKER-1"})

    if getattr(result.outcome, "code", None) != "corrupt_input":
        assert "MARKER-1" not in text_of(result.content, "txt")
        assert "root:" not in text_of(result.content, "txt")


_LOCKED_ODT = """<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:\
manifest:1.0"><manifest:file-entry manifest:full-path="content.xml">
<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"""
_ENCRYPTION = """<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="{}"/>
</enc:EncryptedData></encryption>"""
_LOCKED_EPUB = _ENCRYPTION.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
_SCRAMBLED = _ENCRYPTION.format("http://www.idpf.org/2008/embedding")
LOCKED = [
    ("docx", compound("EncryptedPackage")),
    ("odt", packages.odt({"META-INF/manifest.xml": _LOCKED_ODT, "content.xml": bytes(256)})),
    ("epub", packages.epub({"META-INF/encryption.xml": _LOCKED_EPUB})),
]


@pytest.mark.parametrize(("source", "content"), LOCKED)
def test_a_locked_document_says_that_it_is_locked(
    converting: Converting, source: str, content: bytes
) -> None:
    refused = converting(content, source, "pdf").refused

    assert refused.code == "password_required"
    assert "save a copy without one" in str(refused.detail)


def test_a_book_with_scrambled_fonts_is_not_locked(converting: Converting) -> None:
    content = packages.epub({"META-INF/encryption.xml": _SCRAMBLED})

    assert HEADING in text_of(converting(content, "epub", "txt").content, "txt")


def test_macros_in_a_circle_end(converting: Converting) -> None:
    circle = (
        "\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\a\\a}\n\\begin{document}\\a\\end{document}"
    )

    refused = converting(circle, "tex", "html", cpu_seconds=20).refused

    assert refused.code in ("corrupt_input", "memory_limit")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("md", "[" * 20_000),
        ("md", ">" * 5_000 + "x"),
        ("md", "*a_ " * 1_500),
        ("html", "<div>" * 4_000 + "x"),
        ("html", "<b><i>" * 500 + "x"),
    ],
)
def test_nesting_without_end_ends(converting: Converting, source: str, text: str) -> None:
    result = converting(text, source, "txt", cpu_seconds=20)

    assert getattr(result.outcome, "code", "memory_limit") == "memory_limit", result.outcome


def test_too_much_time_is_told_as_that(converting: Converting) -> None:
    text = "".join(f"# {n}\n\n*a* [b](#{n})\n\n" for n in range(20_000))

    outcome = converting(text, "md", "docx", cpu_seconds=1).outcome

    assert getattr(outcome, "code", None) == "time_limit", outcome
