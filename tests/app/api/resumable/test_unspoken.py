"""tus 1.0, what is not spoken here, and what clients send all the same."""

import base64

import pytest

from app.api import cors
from tests.app.api.conftest import PNG
from tests.app.api.resumable.conftest import ServeTus, Tus

# What a tus client in a browser reads, and what one sends, of whatever extension.
READ = {
    "Upload-Offset",
    "Location",
    "Upload-Length",
    "Tus-Version",
    "Tus-Resumable",
    "Tus-Max-Size",
    "Tus-Extension",
    "Tus-Checksum-Algorithm",
    "Upload-Metadata",
    "Upload-Defer-Length",
    "Upload-Concat",
    "Upload-Expires",
    "Upload-Complete",
    "Upload-Limit",
    "Retry-After",
}
SENT = {
    "Authorization",
    "X-Requested-With",
    "X-Request-ID",
    "X-HTTP-Method-Override",
    "Content-Type",
    "Upload-Length",
    "Upload-Offset",
    "Tus-Resumable",
    "Upload-Metadata",
    "Upload-Defer-Length",
    "Upload-Concat",
    "Upload-Checksum",
    "Upload-Complete",
    "Upload-Draft-Interop-Version",
    "Idempotency-Key",
}


def test_checksums_are_not_offered_and_one_that_comes_is_let_be(tus: Tus) -> None:
    told = tus.request("OPTIONS", "/uploads").headers
    assert "checksum" not in told["tus-extension"]
    assert "tus-checksum-algorithm" not in told
    path = tus.create(len(PNG))
    wrong = f"sha1 {base64.b64encode(bytes(20)).decode()}"
    assert tus.patch(path, PNG, at=0, Upload_Checksum=wrong).status_code == 204
    assert tus.service.document(path)["status"] == "converting"


def test_a_name_that_is_no_utf_8_is_shown_as_such_and_given_back_as_it_came(tus: Tus) -> None:
    name = base64.b64encode(b"b\xff\xfe.png").decode()
    sent = f"filename {name},x /////w=="
    path = tus.post(Upload_Length="5", Upload_Metadata=sent).headers["location"]
    assert tus.head(path).headers["upload-metadata"] == sent
    assert tus.service.document(path)["name"] == "b\ufffd\ufffd.png"


@pytest.mark.parametrize("name", ["a.png\r\nX-Forged: 1", "\u202egnp.exe", "../../passwd"])
def test_nothing_of_the_metadata_reaches_a_header_decoded(tus: Tus, name: str) -> None:
    path = tus.create(5, name=name)
    for answer in (tus.head(path), tus.service.client.get(path)):
        assert "x-forged" not in answer.headers
        assert name not in answer.headers.values()


def test_pages_of_other_sites_may_send_and_read_what_any_tus_client_does(
    serve_tus: ServeTus,
) -> None:
    tus = serve_tus(cors_origins=("https://app.example",))
    asked = {"Origin": "https://app.example", "Access_Control_Request_Method": "PATCH"}
    told = tus.request("OPTIONS", "/uploads", **asked).headers
    assert set(told["access-control-expose-headers"].split(", ")) >= READ
    assert set(told["access-control-allow-headers"].split(", ")) >= SENT
    assert told["access-control-max-age"] == "86400"
    assert "Origin" in told["vary"]
    unknown = tus.head("/uploads/nobody", Origin="https://app.example")
    assert unknown.headers["access-control-expose-headers"] == cors.EXPOSED
