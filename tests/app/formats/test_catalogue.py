"""The catalogue: what converts to what, and which family may join."""

import os
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from app.formats import catalogue
from app.formats.assembly import BadFamily, Candidate, Catalogue, assemble
from app.formats.family import Family, Format, Options
from app.formats.image import IMAGE
from app.formats.plugins import GROUP, loaded

NAP = Format("nap", "nap", "application/x-nap", ("nap",))
MISFIT = Family(
    kind="misfit",
    convert="somewhere.else:convert",
    sources=("png", "jpg"),
    targets=("nap",),
    options=Options,
    default_targets={},
    formats=(NAP,),
)


def test_a_photo_has_targets_and_a_default() -> None:
    assert catalogue.families()[0] is IMAGE
    assert catalogue.default_target("heic") == "jpg"
    assert "webp" in catalogue.targets_of("heic")
    assert catalogue.families_for("heic", "webp") == (IMAGE,)
    assert catalogue.families_for("webp", "heic") == ()
    assert catalogue.family_of_kind("image") is IMAGE
    assert catalogue.family_of_kind("unheard-of") is None


def test_what_nothing_converts_still_has_a_name() -> None:
    described = catalogue.format_named("djvu")
    assert described is not None
    assert described.title == "DjVu document"
    assert catalogue.targets_of("djvu") == []
    assert catalogue.default_target("djvu") is None
    assert catalogue.format_named("unheard-of") is None


def test_every_format_with_a_target_has_a_default_that_works() -> None:
    for family in catalogue.families():
        for source in family.sources:
            target = catalogue.default_target(source)
            assert target is None or catalogue.families_for(source, target)
    assert all(catalogue.default_target(source) for source in IMAGE.sources)


def test_the_catalogue_is_put_together_once_and_cannot_be_changed() -> None:
    assert catalogue.families() is catalogue.families()
    with pytest.raises(TypeError):
        catalogue.known_formats()["nap"] = NAP  # type: ignore[index]


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("photo.HEIC", "heic"),
        ("a.b.jpeg", "jpg"),
        ("a.tif", "tiff"),
        ("a.jsonl", "ndjson"),
        ("a.ogg", "ogg"),
        ("a.docx", "docx"),
        ("a.heif", "heic"),
        ("png", None),
        ("a.", None),
        ("a.unheard", None),
        ("", None),
    ],
)
def test_an_extension_stands_for_a_format(filename: str, expected: str | None) -> None:
    assert catalogue.format_of_name(filename) == expected


@pytest.mark.parametrize(
    ("filename", "name", "agrees"),
    [
        ("photo.jpeg", "jpg", True),
        ("photo.png", "jpg", False),
        ("photo", "jpg", True),
        ("photo.v2", "jpg", True),
        ("table.feather", "arrow", True),
        ("sound.ogg", "opus", True),
        ("secret.docx", "encrypted-office", True),
        ("notes.txt", "md", True),
        ("page.txt", "html", True),
        ("list.txt", "m3u8", False),
    ],
)
def test_a_name_that_claims_another_format_disagrees(
    filename: str, name: str, agrees: bool
) -> None:
    assert catalogue.name_agrees(filename, name) is agrees


@pytest.mark.parametrize(
    ("recognised", "filename", "settled"),
    [
        ("txt", "notes.md", "md"),
        ("txt", "one-column.csv", "csv"),
        ("md", "notes.rst", "rst"),
        ("csv", "export.txt", "csv"),
        ("json", "one-line.jsonl", "ndjson"),
        ("txt", "broken.json", "json"),
        ("html", "page.md", "html"),
        ("txt", "photo.png", "txt"),
        ("txt", "photo.svg", "txt"),
        ("jpg", "notes.md", "jpg"),
        ("m3u8", "notes.txt", "m3u8"),
        (None, "notes.md", None),
        ("txt", "notes", "txt"),
        ("zip", "letter.docx", "docx"),
        ("zip", "letter.DOCM", "docx"),
        ("zip", "novel.epub", "epub"),
        ("zip", "book.xls", "zip"),
        ("zip", "photos.zip", "zip"),
        ("zip", "notes.md", "zip"),
        ("ole", "book.xls", "xls"),
        ("ole", "book.xlsx", "encrypted-office"),
        ("ole", "plan.vsd", "ole"),
        ("docx", "letter.odt", "docx"),
        ("rough-text", "notes.txt", "rough-text"),
        ("rough-text", "table.csv", "csv"),
    ],
)
def test_a_name_decides_where_bytes_cannot_and_nowhere_else(
    recognised: str | None, filename: str, settled: str | None
) -> None:
    assert catalogue.settled_format(recognised, filename) == settled


def test_a_stranger_joins_behind_the_built_in() -> None:
    both = _assembled(IMAGE, MISFIT)
    assert [family.kind for family in both.families] == ["image", "misfit"]
    assert both.by_pair["png", "nap"] == (MISFIT,)
    assert both.formats["nap"] is NAP


def test_a_second_family_of_one_origin_stands_in_for_the_first() -> None:
    other = replace(MISFIT, kind="other", targets=("nap", "webp"))
    both = assemble([Candidate("one package", MISFIT), Candidate("one package", other)])
    assert both.by_pair["png", "nap"] == (MISFIT, other)
    assert both.by_pair["png", "webp"] == (other,)


def test_a_narrowed_source_becomes_what_stands_there_and_nothing_else() -> None:
    family = replace(MISFIT, targets=("nap", "webp"), narrowed={"jpg": ("webp",)})
    assert family.pairs == [("png", "nap"), ("png", "webp"), ("jpg", "webp")]
    assert family.targets_of("jpg") == ("webp",)
    assert family.targets_of("gif") == ()


def test_a_default_that_an_earlier_family_gave_stands() -> None:
    both = _assembled(IMAGE, replace(MISFIT, default_targets={"png": "nap"}))
    assert both.default_targets["png"] == IMAGE.default_targets["png"]


@pytest.mark.parametrize(
    ("stranger", "reason"),
    [
        (replace(MISFIT, kind="image"), "reuses the kind 'image' of package 0"),
        (replace(MISFIT, targets=("nap", "webp")), "offers png to webp, which package 0 does"),
        (replace(MISFIT, kind="No, this"), "has the kind 'No, this'"),
        (replace(MISFIT, convert="os.system"), "names its converter 'os.system'"),
        (replace(MISFIT, options=dict), "has options that do not extend"),  # type: ignore[arg-type]
        (replace(MISFIT, formats=()), "uses the format 'nap', which nobody describes"),
        (replace(MISFIT, sources=("m3u8",)), "uses 'm3u8', which is never converted"),
        (replace(MISFIT, targets=("sdp",)), "uses 'sdp', which is never converted"),
        (replace(MISFIT, default_targets={"png": "gif"}), "has the default png to gif"),
        (replace(MISFIT, narrowed={"gif": ("nap",)}), "narrows 'gif', which is none of its"),
        (replace(MISFIT, formats=(NAP, replace(NAP, name="../x"))), "describes the format '../x'"),
        (
            replace(MISFIT, formats=(replace(NAP, media_type="a/b\r\nc: d"),)),
            "describes the format",
        ),
        (
            replace(MISFIT, formats=(NAP, Format("png", "", "text/html", ()))),
            "describes 'png' anew, as 'text/html'",
        ),
        ("a text", "is not a Family but str"),
    ],
)
def test_a_family_that_does_not_fit_is_refused_by_name(stranger: Family, reason: str) -> None:
    with pytest.raises(BadFamily, match=f"of package 1 {reason}"):
        _assembled(IMAGE, stranger)


def test_entry_points_load_in_the_order_of_their_names() -> None:
    points = [_point("b"), _point("a"), _point("b")]
    assert [candidate.origin for candidate in loaded(points)] == [
        f"an unknown package (entry point {name} = {__name__}:MISFIT)" for name in ("a", "b")
    ]


@pytest.mark.parametrize("value", ["nowhere.at_all:FAMILY", f"{__name__}:NOTHING"])
def test_an_entry_point_that_cannot_be_loaded_is_named(value: str) -> None:
    with pytest.raises(BadFamily, match=r"entry point a = .* cannot be loaded: \w+Error"):
        loaded([EntryPoint("a", value, GROUP)])


PLUGIN = """
from app.formats.family import Family, Format, Options
FAMILY = Family(
    kind={kind!r}, convert="snore:convert", sources=("png",), targets=({target!r},),
    options=Options, default_targets={{}},
    formats=(Format("nap", "nap", "application/x-nap", ("nap",)),),
)
"""
ASK = """
from app.formats.catalogue import families, targets_of
print([family.kind for family in families()], targets_of("png"))
"""


def test_an_installed_package_brings_a_family(tmp_path: Path) -> None:
    answer = _ask_with_plugin(tmp_path, kind="snore", target="nap")
    assert answer.stdout.startswith("['image',")
    assert "'snore']" in answer.stdout
    assert "'nap'" in answer.stdout


def test_an_installed_package_cannot_take_a_pair_away(tmp_path: Path) -> None:
    answer = _ask_with_plugin(tmp_path, kind="snore", target="webp")
    assert answer.returncode != 0
    assert (
        "BadFamily: The converter family of snore (entry point snore = snore:FAMILY) "
        "offers png to webp, which Rowmill itself does already."
    ) in answer.stderr


def _assembled(*families: object) -> Catalogue:
    return assemble(
        Candidate(f"package {number}", family) for number, family in enumerate(families)
    )


def _point(name: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:MISFIT", GROUP)


def _ask_with_plugin(folder: Path, *, kind: str, target: str) -> subprocess.CompletedProcess[str]:
    (folder / "snore.py").write_text(PLUGIN.format(kind=kind, target=target))
    described = folder / "snore-0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: snore\nVersion: 0\n")
    (described / "entry_points.txt").write_text(f"[{GROUP}]\nsnore = snore:FAMILY\n")
    root = Path(catalogue.__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{root}"}
    return subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=False
    )
