"""Tells whether an OpenDocument or EPUB file is locked, from what it says beside its content."""

import zipfile
from pathlib import Path

_MOST = 4 * 1024**2
_FONTS_ONLY = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")


def is_locked(source: Path) -> bool:
    """Whether a password or a reader's key is needed; the file must have been checked before.

    OpenDocument 1.3 part 2, 4.8.3 marks each encrypted part in the manifest; EPUB 3.3, 4.2.6.3.2
    lists them in a file of its own, which may also name fonts that are only made useless.
    """
    with zipfile.ZipFile(source) as archive:
        if b"encryption-data" in _member(archive, "META-INF/manifest.xml"):
            return True
        encrypted = _member(archive, "META-INF/encryption.xml")
    parts = encrypted.count(b"EncryptedData>") // 2
    return parts > sum(encrypted.count(algorithm) for algorithm in _FONTS_ONLY)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as member:
            return member.read(_MOST)
    except KeyError:
        return b""
