"""The outcome of an attempt as it lies beside its result until it is recorded: JSON, no secrets."""

import hashlib
import json
from typing import Any
from uuid import UUID

from app.failures import CATALOGUE
from app.queue import Claimed
from worker.outcome import Converted, Refused
from worker.registry import own_version
from worker.report import Report

MOST_BYTES = 1024**2  # a cell can say an eighth of that
_MADE = ("size", "sha256", "crc32", "format", "media_type")


class Unusable(Exception):
    """What an earlier attempt left cannot be adopted; the text says why, for operators."""


def written(report: Report) -> str:
    """Return what is to be kept of a report that is Converted or Refused."""
    told: dict[str, Any] = {"of": _identity(report.job, report.job.lease_id)}
    match report.outcome, report.result:
        case Converted(facts), dict(result):
            told |= {"converted": {name: result[name] for name in _MADE}, "facts": facts}
        case Refused(code, detail, log), None:
            told |= {"refused": {"code": code, "detail": detail, "log": log}}
            told |= {"by": _who(report.job)}
    return json.dumps(told)


def understood(content: bytes, job: Claimed, lease: UUID) -> tuple[Converted | Refused, Any]:
    """Return the outcome that an earlier lease of this job had, and what it said of its result.

    Raise Unusable for a file that was torn, that speaks of another job, or that refuses what
    another version or family may be able to convert. Nothing in it names a file.
    """
    told = _parsed(content)
    if told.get("of") != _identity(job, lease):
        raise Unusable("it is of another job, or was asked for something else")
    match told:
        case {"converted": {"format": made, **rest}, "facts": dict(facts)} if made in (
            job.payload["to"],
            "zip",
        ):
            return Converted(facts), {"format": made, **rest}
        case {"refused": {"code": str(code), "detail": str() | None as detail, "log": str(log)}}:
            if code in CATALOGUE and told.get("by") == _who(job):
                return Refused(code, detail, log), None
    raise Unusable("it has no outcome that this version knows")


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"no JSON: {error}") from error
    if not isinstance(told, dict):
        raise Unusable("no object")
    return told


def _identity(job: Claimed, lease: UUID) -> dict[str, Any]:
    return {
        "job": job.job_id,
        "upload": str(job.upload_id),
        "number": job.number,
        "lease": str(lease),
        "asked": _asked(job.payload),
    }


def _who(job: Claimed) -> dict[str, str]:
    """Return what says no: a sweep may give a job that waits to another family."""
    return {"kind": job.kind, "version": own_version()}


def _asked(payload: dict[str, Any]) -> str:
    """Return a digest of what a job was asked for.

    Of secrets it has the names alone: a digest of a password could be guessed at. A job's
    secrets never change; they only go when it ends, and then the names go too.
    """
    plain = {name: value for name, value in payload.items() if name != "secrets"}
    text = json.dumps([plain, sorted(payload.get("secrets") or {})], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
