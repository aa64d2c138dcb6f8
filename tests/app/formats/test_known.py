"""The table of formats: unique names, fit for a path, a header and a list."""

import re
from collections import Counter

from app.formats.known import IMAGES, KNOWN, MEDIA, NEVER, PLAYLISTS


def test_every_name_stands_once() -> None:
    assert max(Counter(known.name for known in KNOWN).values()) == 1


def test_names_and_extensions_are_fit_for_a_path() -> None:
    for known in KNOWN:
        for word in (known.name, *known.extensions):
            assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,19}", word), known


def test_media_types_are_fit_for_a_header() -> None:
    for known in KNOWN:
        assert re.fullmatch(r"(image|audio|video|text|font|application)/[\w.+-]+", known.media_type)


def test_a_result_gets_an_extension_that_its_format_owns() -> None:
    nameless = {"heif", "raw", "visio", "encrypted-office", "ole", "iwork", "elf"}
    nameless |= {"rough-text"}
    for known in KNOWN:
        assert known.name in known.extensions or known.name in nameless, known


def test_only_pictures_sound_films_and_plain_text_are_shown_inline() -> None:
    shown = {known.name for known in KNOWN if known.inline}
    assert shown <= {known.name for known in (*IMAGES, *MEDIA)} | {"txt"}
    assert not shown & {"svg", "html", "pdf", "xml"}


def test_playlists_are_never_converted() -> None:
    assert {playlist.name for playlist in PLAYLISTS} == NEVER
    assert {"m3u8", "ffconcat", "sdp"} <= NEVER
