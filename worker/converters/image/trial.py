"""What this installation can really do, found out by converting tiny pictures."""

import base64
import json
from pathlib import Path
from typing import Any

from app.formats.image import IMAGE
from worker.converters.image.conversion import convert
from worker.converters.trying import reason_against
from worker.outcome import Converted

Report = dict[str, str | None]

# Of each format that is only read, and that nothing here could write for the trial.
_SAMPLES = {
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>',
    "pnm": b"P6 1 1 255 abc",
    "psd": b"8BPS\0\1" + bytes(6) + b"\0\3\0\0\0\1\0\0\0\1\0\x08\0\3" + bytes(17),
    "qoi": base64.b64decode("cW9pZgAAAAgAAAAIAwH+yB4o/cAAAAAAAAAAAQ=="),
    "tga": base64.b64decode(
        "AAAKAAAAAAAAAAAACAAIABgAhygeyIcoHsiHKB7IhygeyIcoHsiHKB7IhygeyIcoHsgAAAAAAAAAAFRSVUVWSVNJT04t"
        "WEZJTEUuAA=="
    ),
    "jp2": base64.b64decode(
        "/0//UQAvAAAAAAAIAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAADBwEBBwEBBwEB/1IADAAAAAEAAAQEAAH/XAAE"
        "QED/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjT/kAAKAAAAAABIAAH/k8+0SBQAXKNlXbAAAwkI"
        "1QoYSEv/f8+0SBFQVK/9oYgAAAAYSEWYQMJCX8+0NBFQVKKDVigAAAAwkJf/2Q=="
    ),
    "heic": base64.b64decode(
        "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAXxtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA"
        "AAAAACJpbG9jAAAAAERAAAEAAQAAAAABoAABAAAAAAAAACYAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAA"
        "AA5waXRtAAAAAAABAAAA/GlwcnAAAADcaXBjbwAAAHVodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNw"
        "AAADAJAAAAMAAAMAHroCQGEAAQApQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqrprm4CGgwIAAAAyAAAADAIRiAAEABkQBwXPB"
        "iQAAABNjb2xybmNseAABAA0ABoAAAAAUaXNwZQAAAAAAAABAAAAAQAAAAChjbGFwAAAACAAAAAEAAAAIAAAAAf///8gAAAAC"
        "////yAAAAAIAAAAQcGl4aQAAAAADCAgIAAAAGGlwbWEAAAAAAAAAAQABBYECAwWEAAAALm1kYXQAAAAiKAGvBBITTOD46cJo"
        "P9k3+apWCI8n7asr40mfd7EYkqn/oA=="
    ),
}


def trial(_source: Path, target: Path, **_contract: Any) -> Converted:
    """Run in a cell like any conversion; tell of each pair None, or why it cannot be done.

    Called as `convert` is; the source is not read. The answer stands in the facts and, as
    JSON, in the target: {"pairs": {"png": {"webp": null, …}, …}}.
    """
    pairs = try_pairs(target.parent)
    target.write_text(json.dumps(pairs), encoding="utf-8")
    return Converted({"pairs": pairs})


def try_pairs(folder: Path) -> dict[str, Report]:
    """Write every target once and read every source once, in files named `trial.*` here."""
    for name, content in _SAMPLES.items():
        (folder / f"trial.{name}").write_bytes(content)
    writes = {target: _reason(folder, "svg", target) for target in IMAGE.targets}
    reads = {source: writes.get(source) or _reason(folder, source, "png") for source in _readable()}
    for made in folder.glob("trial.*"):
        made.unlink()
    return {
        source: {target: reads[source] or writes[target] for target in IMAGE.targets}
        for source in IMAGE.sources
    }


def _readable() -> list[str]:
    return sorted(IMAGE.sources, key=lambda source: source == "png")  # it is overwritten meanwhile


def _reason(folder: Path, source: str, target: str) -> str | None:
    why = reason_against(convert, folder / f"trial.{source}", folder / f"trial.{target}")
    return f"{source} to {target}: {why}" if why is not None else None
