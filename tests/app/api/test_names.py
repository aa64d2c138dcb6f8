"""Names from outside go in by every door and come out of Content-Disposition harmless."""

import random
import re
from urllib.parse import quote, unquote

from app.api.disposition import content_disposition
from tests.app.api.conftest import PNG, Service

TELLING = [
    "../../etc/passwd",
    "..\\..\\windows\\system32\\x.png",
    "/absolute/x.png",
    'quote".png',
    "new\r\nSet-Cookie: a=b.png",
    "nul\x00byte.png",
    "CON",
    "aux.png",
    "COM1.tar.gz",
    "\u202egnp.exe",
    "\u2066left\u2069.png",
    "zero\u200bwidth.png",
    "e\u0301clair.png",
    "😀😀.png",
    "日本語の写真.heic",
    "صورة.png",
    "%2e%2e%2fx.png",
    "a;b=c.png",
    "x" * 300 + ".png",
    "é" * 255 + ".png",
    " .hidden",
    "-rf",
    ".",
    "..",
    "/",
    "\\",
    "\x1b[31mred.png",
    "<script>alert(1)</script>.svg",
    "a\u2028b\u2029c.png",
    "tab\there.png",
    "back\\slash.png",
    "100%.png",
    "name.png:stream",
    "🏳️‍🌈.png",
]


def hostile_names(count: int = 200) -> list[str]:
    """The telling ones, then random mixtures of what has gone wrong somewhere."""
    dice = random.Random(1)
    bits = ['"', "'", "\\", "/", "\r", "\n", "\0", "\x7f", "\x85", "%", ";", "*", "é", "\u202e"]
    bits += ["字", "😀", "a", " ", ".", "..", "\ufeff", "\u0301", "=", "<", "\x1b", "CON", ".png"]
    mixed = ["".join(dice.choices(bits, k=dice.randint(1, 40))) for _ in range(count)]
    return [*TELLING, *mixed][:count]


def assert_harmless(name: str) -> None:
    assert name
    assert len(name.encode()) <= 255
    assert not re.search(
        r"[\x00-\x1f\x7f-\x9f/\\\u200b\u202a-\u202e\u2066-\u2069\u2028\u2029]", name
    )


def test_two_hundred_hostile_names_go_in_through_every_door_and_come_out(service: Service) -> None:
    service.hire()
    service.client.headers["Accept"] = "application/json"
    for index, name in enumerate(hostile_names()):
        match index % 3:
            case 0:
                answer = service.client.post("/uploads", content=PNG, params={"name": name})
            case 1:
                answer = service.client.post("/uploads", files={"file": (name or "x", PNG)})
            case _:
                path = quote(name, safe="").replace(".", "%2E")  # or the client resolves ".."
                answer = service.client.put(f"/uploads/{path}", content=PNG)
        assert answer.status_code == 202, (name, answer.text)
        assert_harmless(answer.json()["name"])
        service.convert()
        result = service.client.get(answer.json()["links"]["self"] + "/result")
        assert result.status_code == 200
        header = result.headers["content-disposition"]
        found = re.fullmatch(
            r"attachment; filename=\"([ -~]+)\"; filename\*=UTF-8''([!-~]+)", header
        )
        assert found, header
        assert not re.search(r'["\\%]', found[1])
        assert_harmless(unquote(found[2], errors="strict"))
        assert unquote(found[2]).endswith(".webp")


def test_a_name_is_given_back_in_both_forms() -> None:
    assert content_disposition("Übersicht 1.png") == (
        "attachment; filename=\"Ubersicht 1.png\"; filename*=UTF-8''%C3%9Cbersicht%201.png"
    )


def test_a_name_that_has_no_ascii_still_has_a_fallback() -> None:
    header = content_disposition("日本.png")
    assert 'filename="__.png"' in header
    assert header.endswith("%E6%97%A5%E6%9C%AC.png")


def test_a_header_never_breaks_out_of_its_quotes() -> None:
    header = content_disposition('a"; filename="b\r\nX: y\\%41.html')
    assert header.count('"') == 2
    assert "\r" not in header
    assert "\n" not in header
