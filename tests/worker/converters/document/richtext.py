r"""Rich Text as programs of many countries write it: letters in bytes of their code pages."""


def hexed(text: str, codec: str) -> str:
    r"""Return a text as \'hh, one for each of its bytes."""
    return "".join(f"\\'{byte:02x}" for byte in text.encode(codec))


def rich(body: str, *, head: str = r"\ansi\ansicpg1252", fonts: str = "") -> bytes:
    """Return a document of one paragraph, whose bytes beyond ASCII are as in Latin-1."""
    table = rf"{{\fonttbl{fonts}}}" if fonts else ""
    return rf"{{\rtf1{head}{table}\pard {body}\par}}".encode("latin-1")


def font(number: int, charset: int, more: str = "") -> str:
    return rf"{{\f{number}\fnil\fcharset{charset}{more} Arial;}}"
