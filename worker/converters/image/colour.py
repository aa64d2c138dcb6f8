"""Colours that every target shows alike: sRGB or grey, or another space with its profile."""

from dataclasses import replace

import pyvips

from worker.converters.image.picture import Picture, Request
from worker.converters.image.refusal import TITLES
from worker.converters.refusal import Refusal

PROFILE = "icc-profile-data"
CARRY_PROFILE = frozenset({"jpg", "png", "webp", "avif", "tiff", "pdf"})
CARRY_GREY = frozenset({"jpg", "png", "tiff", "pdf"})
CARRY_16_BIT = frozenset({"png", "tiff", "avif"})
AVIF_BITS = 10  # 12 needs a decoder that few have

_FEWER_BITS = {"webp": 8, "avif": AVIF_BITS, "pdf": 8, "bmp": 8, "ico": 8}
_PLAIN = frozenset({"srgb", "rgb16", "b-w", "grey16"})
_CHANNELS = {b"RGB ": 3, b"GRAY": 1, b"CMYK": 4}


def manage(picture: Picture, request: Request) -> Picture:
    """Return the picture in a colour space and a depth that the target can carry."""
    picture = _without_extra_bands(replace(picture, image=_named(picture.image)))
    picture = _with_usable_profile(picture)
    picture = _in_plain_space(picture, request)
    picture = picture.noting(*_rounded_off(picture.image, request))
    image = picture.image
    if image.format == "ushort" and request.target_format not in CARRY_16_BIT:
        image = image.colourspace("srgb" if image.interpretation == "rgb16" else "b-w")
    if _is_grey(image) and _needs_colour(request):
        image = image.colourspace("rgb16" if image.format == "ushort" else "srgb")
    return replace(picture, image=image)


def _named(image: pyvips.Image) -> pyvips.Image:
    """Return the image with an interpretation; refuse samples whose range nobody states."""
    if image.format == "uint":  # from 0 to all that fits into 32 bits, as with 8 and 16
        space = "cmyk" if image.interpretation == "cmyk" else "multiband"
        image = (image >> 16).cast("ushort").copy(interpretation=space)
    if image.interpretation in {"multiband", "rgb", "matrix"}:
        grey, wide = image.bands <= 2, image.format == "ushort"
        name = ("grey16" if wide else "b-w") if grey else ("rgb16" if wide else "srgb")
        image = image.copy(interpretation=name)
    if image.interpretation in _PLAIN and image.format not in {"uchar", "ushort"}:
        raise Refusal(
            "unsupported_content",
            f"The pixels are stored as numbers of the type {image.format}, for which no range of "
            "brightness is defined. Save the image with 8 or 16 bits for each channel first.",
        )
    return image


def _without_extra_bands(picture: Picture) -> Picture:
    image = picture.image
    colours = {"b-w": 1, "grey16": 1, "cmyk": 4}.get(image.interpretation, 3)
    if image.bands <= colours + 1:
        return picture
    kept = image.extract_band(0, n=colours)
    return replace(picture, image=kept).noting("Channels besides the colours were left out.")


def _with_usable_profile(picture: Picture) -> Picture:
    image = picture.image
    if not image.get_typeof(PROFILE):
        return picture
    profile = bytes(image.get(PROFILE))
    colours = image.bands - (1 if image.hasalpha() else 0)
    if profile[36:40] == b"acsp" and _CHANNELS.get(profile[16:20]) == colours:
        return picture
    plain = replace(picture, image=_without_profile(image))
    return plain.noting("The colour profile does not fit the picture and was left out.")


def _in_plain_space(picture: Picture, request: Request) -> Picture:
    image = picture.image
    if image.interpretation == "cmyk":
        return replace(picture, image=_to_srgb(image, input_profile="cmyk"))
    if image.interpretation not in _PLAIN:
        return replace(picture, image=_without_profile(image.colourspace("srgb")))
    if not image.get_typeof(PROFILE):
        return picture
    carried = request.target_format in CARRY_PROFILE
    if carried and not (_is_grey(image) and _needs_colour(request)):
        return picture
    try:
        return replace(picture, image=_to_srgb(image))
    except pyvips.Error:
        plain = replace(picture, image=_without_profile(image))
        return plain.noting("The colour profile could not be read and was left out.")


def _rounded_off(image: pyvips.Image, request: Request) -> list[str]:
    bits = _FEWER_BITS.get(request.target_format)
    if not request.wish.lossless or image.format != "ushort" or not bits:
        return []
    title = TITLES[request.target_format]
    return [f"{title} keeps {bits} bits of each channel here: what was finer was rounded off."]


def _to_srgb(image: pyvips.Image, **fallback: str) -> pyvips.Image:
    depth = 16 if image.format == "ushort" else 8
    return _without_profile(image.icc_transform("srgb", embedded=True, depth=depth, **fallback))


def _without_profile(image: pyvips.Image) -> pyvips.Image:
    """Return the image as plain sRGB or grey, which is what a file without a profile means."""
    image = image.copy()
    if image.get_typeof(PROFILE):
        image.remove(PROFILE)
    return image


def _is_grey(image: pyvips.Image) -> bool:
    return image.interpretation in {"b-w", "grey16"}


def _needs_colour(request: Request) -> bool:
    background = request.wish.background or "#ffffff"
    coloured = len({background[1:3], background[3:5], background[5:7]}) > 1
    return coloured or request.target_format not in CARRY_GREY
