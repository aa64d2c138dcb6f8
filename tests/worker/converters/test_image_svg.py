"""Drawings are drawn in the size of the result, and reach nothing outside themselves."""

import base64
from pathlib import Path

import pytest

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import corners, near, pixel

FLAG = [samples.RED, samples.GREEN, samples.BLUE, samples.YELLOW]


def test_a_drawing_is_drawn_again_and_not_blown_up(converting: Converting) -> None:
    """An edge between two colours stays one pixel sharp however large the result is."""
    image = converting(samples.svg(width=60, height=40), "svg", "png", width=600).image

    assert image.size == (600, 400)
    assert near(pixel(image, 0.49, 0.2)[:3], samples.RED, within=3)
    assert near(pixel(image, 0.51, 0.2)[:3], samples.GREEN, within=3)


def test_an_inch_has_ninety_six_pixels(converting: Converting) -> None:
    assert converting(samples.svg(width="2in", height="1in"), "svg", "png").image.size == (192, 96)


@pytest.mark.parametrize("size", [{}, {"width": 60}])
def test_cover_and_pad_work_on_drawings(converting: Converting, size: dict[str, int]) -> None:
    image = converting(samples.svg(), "svg", "png", height=60, fit="cover", **size).image

    assert near(corners(image), FLAG)


@pytest.mark.parametrize(
    "reference",
    [
        "{name}",
        "./{name}",
        "{folder}/{name}",
        "file://{folder}/{name}",
        "http://127.0.0.1:9/{name}",
    ],
)
@pytest.mark.parametrize("element", ["image", "use", "css", "include"])
def test_nothing_outside_is_loaded(
    converting: Converting, tmp_path: Path, reference: str, element: str
) -> None:
    (tmp_path / "secret.png").write_bytes(samples.encoded(samples.flag(), "png"))
    (tmp_path / "secret.svg").write_bytes(samples.svg(f'<g id="a">{samples.FLAG}</g>'))
    (tmp_path / "secret.css").write_text("rect{fill:rgb(230,20,20)}")
    names = {
        "image": "secret.png",
        "use": "secret.svg",
        "css": "secret.css",
        "include": "secret.svg",
    }
    url = reference.format(folder=tmp_path, name=names[element])
    hostile = {
        "image": f'<image xlink:href="{url}" href="{url}" width="96" height="64"/>',
        "use": f'<use xlink:href="{url}#a" href="{url}#a"/>',
        "css": f'<style>@import url("{url}"); rect{{}}</style><rect width="0" height="0"/>',
        "include": f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{url}"/>',
    }[element]

    image = converting(samples.svg(hostile), "svg", "png").image

    assert all(pixel(image, across, 0.25)[3] == 0 for across in (0.25, 0.75))


def test_a_picture_inside_the_drawing_is_drawn(converting: Converting) -> None:
    inner = base64.b64encode(samples.encoded(samples.flag(), "png")).decode()
    content = samples.svg(f'<image href="data:image/png;base64,{inner}" width="96" height="64"/>')

    assert near(corners(converting(content, "svg", "png").image), FLAG)


def test_an_entity_cannot_read_a_file(converting: Converting, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text('<rect width="96" height="64" fill="red"/>')
    content = f'<!DOCTYPE svg [<!ENTITY x SYSTEM "file://{secret}">]>'.encode() + samples.svg("&x;")

    result = converting(content, "svg", "png")

    if result.path.exists():
        assert pixel(result.image, 0.5, 0.5)[3] == 0
    else:
        assert result.refused.code == "corrupt_input"


def test_entities_that_multiply_are_refused(converting: Converting) -> None:
    laughs = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)
    )
    content = f"<!DOCTYPE svg [{laughs}]>".encode() + samples.svg("<text>&a9;</text>")

    assert converting(content, "svg", "png").refused.code == "corrupt_input"


@pytest.mark.corpus
def test_a_real_drawing_is_drawn(converting: Converting, corpus: Path) -> None:
    image = converting(corpus / "real-svg.svg", "svg", "png").image

    assert image.size == (1600, 1600)
    alpha = image.convert("RGBA").getchannel("A").getextrema()
    assert alpha == (0, 255)
