"""The names of stored files: made from ids that Rowmill gave, never from what a client sent."""

import re
from typing import Literal
from uuid import UUID

Area = Literal["objects", "results", "incoming"]

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_SOURCE = re.compile(rf"objects/(?P<shard>[0-9a-f]{{2}})/(?P<upload>{_UUID})", re.ASCII)
_RESULT = re.compile(
    rf"results/(?P<shard>[0-9a-f]{{2}})/(?P<upload>{_UUID})-(?P<number>[1-9][0-9]{{0,8}})-(?P<lease>{_UUID})",
    re.ASCII,
)
_OUTCOME = ".json"
_INCOMING = re.compile(rf"incoming/(?P<upload>{_UUID})\.part", re.ASCII)


class ForeignKey(ValueError):
    """A key that no function of this file made; it never becomes a path."""


def source_key(upload_id: UUID) -> str:
    return f"objects/{_shard(upload_id)}/{upload_id}"


def result_key(upload_id: UUID, number: int, lease_id: UUID) -> str:
    return f"results/{_shard(upload_id)}/{upload_id}-{number}-{lease_id}"


def outcome_key(upload_id: UUID, number: int, lease_id: UUID) -> str:
    """Return the key of what is kept about an attempt until it is recorded, beside its result."""
    return result_key(upload_id, number, lease_id) + _OUTCOME


def results_folder(upload_id: UUID) -> tuple[str, str]:
    """Return the folder of an upload's results and outcomes, and how all their names begin."""
    return f"results/{_shard(upload_id)}", f"{upload_id}-"


def incoming_key(upload_id: UUID) -> str:
    return f"incoming/{upload_id}.part"


def parse_source_key(key: str) -> UUID | None:
    found = _SOURCE.fullmatch(key)
    return UUID(found["upload"]) if found and _is_home(found) else None


def parse_result_key(key: str) -> tuple[UUID, int, UUID] | None:
    found = _RESULT.fullmatch(key)
    if not found or not _is_home(found):
        return None
    return UUID(found["upload"]), int(found["number"]), UUID(found["lease"])


def parse_outcome_key(key: str) -> tuple[UUID, int, UUID] | None:
    return parse_result_key(key.removesuffix(_OUTCOME)) if key.endswith(_OUTCOME) else None


def parse_incoming_key(key: str) -> UUID | None:
    found = _INCOMING.fullmatch(key)
    return UUID(found["upload"]) if found else None


def is_key(key: str) -> bool:
    parsers = (parse_source_key, parse_result_key, parse_outcome_key, parse_incoming_key)
    return any(parse(key) is not None for parse in parsers)


def _shard(upload_id: UUID) -> str:
    return upload_id.hex[:2]  # 256 folders keep each one short


def _is_home(found: re.Match[str]) -> bool:
    return found["upload"].startswith(found["shard"])
