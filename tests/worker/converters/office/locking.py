"""Puts documents under a password, as Office 2007 and as OpenDocument 1.2 do."""

import base64
import hashlib
import struct
import zlib
from collections.abc import Mapping

_FREE, _END, _MAP, _NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
_TURNS = 50_000
_SALT = b"salt of 16 bytes"


def locked(content: bytes, password: str) -> bytes:
    """Lock an OOXML document ([MS-OFFCRYPTO] 2.3.4, 2.3.6) of 4 KiB at least, see compound()."""
    salt, verifier = _SALT, b"verifier 16 long"
    key = _key(password, salt)
    header = struct.pack("<8I", 0x24, 0, 0x660E, 0x8004, 128, 0x18, 0, 0)
    header += "Microsoft Enhanced RSA and AES Cryptographic Provider\0".encode("utf-16-le")
    checked = hashlib.sha1(verifier).digest().ljust(32, b"\0")
    info = struct.pack("<HHII", 3, 2, 0x24, len(header)) + header
    info += struct.pack("<I", 16) + salt + _encrypted(verifier, key)
    info += struct.pack("<I", 20) + _encrypted(checked, key)
    padded = content + bytes(-len(content) % 16)
    package = struct.pack("<Q", len(content)) + _encrypted(padded, key)
    return compound({"EncryptedPackage": package, "EncryptionInfo": info})


def locked_parts(parts: Mapping[str, str | bytes], password: str) -> dict[str, str | bytes]:
    """Lock the parts of an OpenDocument file (ODF 1.2 part 3, 4.8)."""
    manifest, made = str(parts["META-INF/manifest.xml"]), dict(parts)
    for name in ("content.xml", "styles.xml"):
        plain = str(parts[name]).encode()
        packed, start = _deflated(plain), hashlib.sha256(password.encode()).digest()
        key = hashlib.pbkdf2_hmac("sha1", start, _SALT, 1, 16)
        made[name] = _chained(packed, key)
        manifest = manifest.replace(
            f'full-path="{name}" manifest:media-type="text/xml"/>',
            f'full-path="{name}" manifest:media-type="text/xml" manifest:size="{len(plain)}">'
            f"{_described(packed)}</manifest:file-entry>",
        )
    return made | {"META-INF/manifest.xml": manifest}


def _described(packed: bytes) -> str:
    space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    checksum = base64.b64encode(hashlib.sha256(packed[:1024]).digest()).decode()
    salt = base64.b64encode(_SALT).decode()
    return (
        f'<manifest:encryption-data manifest:checksum-type="{space}#sha256-1k" '
        f'manifest:checksum="{checksum}"><manifest:algorithm manifest:algorithm-name='
        f'"http://www.w3.org/2001/04/xmlenc#aes128-cbc" manifest:initialisation-vector="{salt}"/>'
        "<manifest:start-key-generation manifest:start-key-generation-name="
        '"http://www.w3.org/2000/09/xmldsig#sha256" manifest:key-size="32"/>'
        '<manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="16" '
        f'manifest:iteration-count="1" manifest:salt="{salt}"/></manifest:encryption-data>'
    )


def _deflated(plain: bytes) -> bytes:
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packing.compress(plain) + packing.flush()


def _chained(data: bytes, key: bytes) -> bytes:
    """Encrypt in CBC mode, filled up as XML Encryption says (5.2.2)."""
    missing = 16 - len(data) % 16
    padded = data + bytes(missing - 1) + bytes([missing])
    before, made = _SALT, b""
    for at in range(0, len(padded), 16):
        before = _encrypted(_xor(padded[at : at + 16], before), key)
        made += before
    return made


def compound(streams: dict[str, bytes]) -> bytes:
    """Return a compound file ([MS-CFB]); each stream lies in sectors of its own.

    One of less than 4 KiB is filled up: the format would have it lie elsewhere.
    """
    tables, entries, body = [_MAP], [_entry("Root Entry", 5, _END, 0, child=1)], b""
    directory = -(-(len(streams) + 1) // 4)
    tables += [*range(2, directory + 1), _END]
    for number, (name, content) in enumerate(streams.items(), start=1):
        long = content.ljust(4096, b"\0")
        count = -(-len(long) // 512)
        start = len(tables)
        tables += [*range(start + 1, start + count), _END]
        right = number + 1 if number < len(streams) else _NONE
        entries.append(_entry(name, 2, start, len(long), right=right))
        body += long.ljust(512 * count, b"\0")
    assert len(tables) <= 128
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    head += struct.pack(
        "<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, _END, 0, _END, 0
    )
    head += struct.pack("<109I", 0, *[_FREE] * 108)
    table = struct.pack("<128I", *tables, *[_FREE] * (128 - len(tables)))
    return head + table + b"".join(entries).ljust(512 * directory, b"\0") + body


def _entry(
    name: str, kind: int, start: int, size: int, *, right: int = _NONE, child: int = _NONE
) -> bytes:
    text = (name + "\0").encode("utf-16-le")
    links = struct.pack("<III", _NONE, right, child)
    head = text.ljust(64, b"\0") + struct.pack("<HBB", len(text), kind, 1) + links
    return head + bytes(36) + struct.pack("<IQ", start, size)


def _key(password: str, salt: bytes) -> bytes:
    turned = hashlib.sha1(salt + password.encode("utf-16-le")).digest()
    for turn in range(_TURNS):
        turned = hashlib.sha1(struct.pack("<I", turn) + turned).digest()
    last = hashlib.sha1(turned + bytes(4)).digest().ljust(64, b"\0")
    return hashlib.sha1(bytes(one ^ 0x36 for one in last)).digest()[:16]


def _encrypted(data: bytes, key: bytes) -> bytes:
    """AES-128 block by block (FIPS 197), slow and only for a few kilobytes."""
    keys = _round_keys(key)
    blocks = (data[at : at + 16] for at in range(0, len(data), 16))
    return b"".join(_block(block, keys) for block in blocks)


def _block(block: bytes, keys: list[bytes]) -> bytes:
    state = _xor(block, keys[0])
    for turn in range(1, 11):
        state = bytes(_BOX[state[(at + 4 * (at % 4)) % 16]] for at in range(16))
        if turn < 10:
            state = b"".join(_mixed(state[at : at + 4]) for at in range(0, 16, 4))
        state = _xor(state, keys[turn])
    return state


def _mixed(column: bytes) -> bytes:
    return bytes(
        _times(2, column[at])
        ^ _times(3, column[(at + 1) % 4])
        ^ column[(at + 2) % 4]
        ^ column[(at + 3) % 4]
        for at in range(4)
    )


def _round_keys(key: bytes) -> list[bytes]:
    words = [key[at : at + 4] for at in range(0, 16, 4)]
    constant = 1
    for at in range(4, 44):
        word = words[at - 1]
        if at % 4 == 0:
            word = bytes(_BOX[one] for one in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _times(2, constant)
        words.append(_xor(words[at - 4], word))
    return [b"".join(words[at : at + 4]) for at in range(0, 44, 4)]


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _times(one: int, other: int) -> int:
    """Multiply in the field of FIPS 197, 4.2."""
    product = 0
    while one:
        product ^= other if one & 1 else 0
        other = other << 1 ^ (0x11B if other & 0x80 else 0)
        one >>= 1
    return product


def _box() -> bytes:
    inverses = [0] + [next(b for b in range(1, 256) if _times(a, b) == 1) for a in range(1, 256)]
    return bytes(_turned(inverse) for inverse in inverses)


def _turned(inverse: int) -> int:
    turned = inverse
    for bits in range(1, 5):
        turned ^= (inverse << bits | inverse >> (8 - bits)) & 0xFF
    return turned ^ 0x63


_BOX = _box()
