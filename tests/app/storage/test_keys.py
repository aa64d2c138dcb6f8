"""Keys come from ids; whatever else looks like one is refused."""

from uuid import UUID, uuid4

import pytest

from app.storage import keys

UPLOAD = UUID("ab3f0c51-0000-4000-8000-000000000001")
LEASE = UUID("12345678-0000-4000-8000-000000000002")
SOURCE = f"objects/ab/{UPLOAD}"
RESULT = f"results/ab/{UPLOAD}-7-{LEASE}"
OUTCOME = f"{RESULT}.json"
INCOMING = f"incoming/{UPLOAD}.part"


def test_keys_are_made_from_ids() -> None:
    assert keys.source_key(UPLOAD) == SOURCE
    assert keys.result_key(UPLOAD, 7, LEASE) == RESULT
    assert keys.outcome_key(UPLOAD, 7, LEASE) == OUTCOME
    assert keys.incoming_key(UPLOAD) == INCOMING


def test_every_key_can_be_read_back() -> None:
    upload, lease = uuid4(), uuid4()
    assert keys.parse_source_key(keys.source_key(upload)) == upload
    assert keys.parse_result_key(keys.result_key(upload, 12, lease)) == (upload, 12, lease)
    assert keys.parse_outcome_key(keys.outcome_key(upload, 12, lease)) == (upload, 12, lease)
    assert keys.parse_incoming_key(keys.incoming_key(upload)) == upload
    for key in (SOURCE, RESULT, OUTCOME, INCOMING):
        assert keys.is_key(key)
    assert keys.parse_outcome_key(RESULT) is None
    assert keys.parse_result_key(OUTCOME) is None


@pytest.mark.parametrize(
    "foreign",
    [
        "",
        "house",
        "objects",
        f"objects/{UPLOAD}",
        f"objects/ac/{UPLOAD}",
        f"objects/ab/../ab/{UPLOAD}",
        f"/objects/ab/{UPLOAD}",
        f"objects/ab/{UPLOAD}/",
        f"objects/ab/{UPLOAD}\n",
        f"objects/ab/{str(UPLOAD).upper()}",
        f"objects/ab/{UPLOAD.hex}",
        f"results/ab/{UPLOAD}-0-{LEASE}",
        f"results/ab/{UPLOAD}-٣-{LEASE}",
        f"results/ab/{UPLOAD}--{LEASE}",
        f"results/ac/{UPLOAD}-7-{LEASE}",
        f"results/ac/{UPLOAD}-7-{LEASE}.json",
        f"results/ab/{UPLOAD}-7-{LEASE}.json.json",
        f"results/ab/{UPLOAD}-7-../{LEASE}.json",
        f"trash/objects-{UPLOAD}",
        f"incoming/../objects/ab/{UPLOAD}",
        f"incoming/{UPLOAD}",
        "objects/ab/../../etc/passwd",
    ],
)
def test_what_no_function_made_is_not_a_key(foreign: str) -> None:
    assert not keys.is_key(foreign)
