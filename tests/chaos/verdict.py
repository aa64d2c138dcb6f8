"""Judges a chaos run by the answers that clients got and by the files: nothing else is believed."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx

from tests.chaos import cargo
from tests.chaos.ledger import Look, Sent, look

FAULTS = ("lost", "doubled", "invented", "contradicted")
FINAL = frozenset({"ready", "failed", "cancelled", "expired", "deleted"})


@dataclass
class Verdict:
    """Each list of FAULTS holds a sentence for each fault; all of them should be empty.

    `lost` was promised and is not there, `doubled` is there twice, `invented` was never sent,
    `contradicted` are answers of which one must have been untrue. `recovered` has the names of
    files that are there although their clients never had an answer, which is no fault.
    """

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    contradicted: list[str] = field(default_factory=list)
    recovered: list[str] = field(default_factory=list)

    @property
    def faults(self) -> dict[str, list[str]]:
        return {kind: said for kind in FAULTS if (said := getattr(self, kind))}


def judge(sent: Sequence[Sent], data: Path, client: httpx.Client) -> Verdict:
    """Ask about everything once more, in peace, and compare."""
    verdict = Verdict()
    stored = _stored(data)
    for one in sent:
        _judge_answers(one, verdict)
        _judge_end(one, verdict, client)
        there = stored.pop(cargo.digest(one.number), [])
        known = {path.rpartition("/")[2] for path in one.paths}
        if there and not known:
            verdict.recovered.append(one.name)
        if len(there) > 1:
            verdict.doubled.append(f"{one.name} is there as {', '.join(sorted(there))}")
        if known - set(there) and not one.delete_asked:
            verdict.lost.append(f"{one.name}: there is no file for {known}")
    verdict.invented += [f"nobody sent {names}" for names in stored.values()]
    return verdict


def _stored(data: Path) -> dict[str, list[str]]:
    """Return the uploads whose files are there, by what is in them."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in (data / "objects").rglob("*"):
        if file.is_file():
            found[hashlib.sha256(file.read_bytes()).hexdigest()].append(file.name)
    return found


def _judge_answers(one: Sent, verdict: Verdict) -> None:
    if len(one.paths) > 1:
        verdict.contradicted.append(f"{one.name} was promised at {sorted(one.paths)}")
    if one.given_up:
        verdict.lost.append(f"{one.name}: no answer came, however long its client insisted")
    verdict.contradicted += [f"{one.name} ({one.door}): {said}" for said in one.strange]
    verdict.contradicted += [f"{one.name}: {said}" for said in _backwards(one.looks)]


def _backwards(looks: Sequence[Look]) -> Iterator[str]:
    for before, after in pairwise(looks):
        new_attempt = _attempts(after) > _attempts(before)
        if before.status in FINAL and before.status != after.status:
            yield f"it was {before.status}, and then {after.status}"
        elif _attempts(after) < _attempts(before):
            yield f"its attempts were {_attempts(before)}, and then {_attempts(after)}"
        elif after.progress < before.progress and not new_attempt:
            yield f"it fell from {before} to {after}"
        elif before.sha256 is not None and before.sha256 != after.sha256:
            yield f"its result changed from {before.sha256} to {after.sha256}"


def _attempts(look: Look) -> int:
    return look.attempt + look.interruptions


def _judge_end(one: Sent, verdict: Verdict, client: httpx.Client) -> None:
    if one.path is None:
        return
    answer = client.get(one.path)
    if one.delete_done:
        if answer.status_code != 410:
            verdict.contradicted.append(f"{one.name} was deleted and is {answer.status_code}")
        return
    if one.delete_asked and answer.status_code == 410:
        return
    if answer.status_code != 200:
        verdict.lost.append(f"{one.name}: {answer.status_code} {answer.text[:500]}")
        return
    document = answer.json()
    end = [*one.looks[-1:], look(document)]
    verdict.contradicted += [f"{one.name}, in the end: {said}" for said in _backwards(end)]
    if document["status"] != "ready":
        verdict.lost.append(f"{one.name}: {answer.text[:500]}")
    else:
        _judge_result(one, document, verdict, client)


def _judge_result(
    one: Sent, document: dict[str, Any], verdict: Verdict, client: httpx.Client
) -> None:
    if document["sha256"] != cargo.digest(one.number) or document["name"] != one.name:
        verdict.contradicted.append(f"{one.path} was {one.name} and is {document['name']}")
    result = client.get(document["links"]["result"])
    promised = document["jobs"][0]["result"]["sha256"]
    if hashlib.sha256(result.content).hexdigest() != promised:
        verdict.contradicted.append(f"{one.name}: the result is not the one that was recorded")
    if not cargo.is_made_from(one.number, one.target, result.content):
        verdict.lost.append(f"{one.name}: the result is not made from it")
