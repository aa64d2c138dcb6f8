"""The one catalogue of what HTTP clients can do wrong, or find out of order (RFC 9457)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.failures import clean

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Entry:
    """`title` never changes for a code; `hint` says what to do about it."""

    status: int
    title: str
    hint: str


CATALOGUE: dict[str, Entry] = {
    "bad_request": Entry(
        400, "The request cannot be understood.", "Compare it with the examples in /docs."
    ),
    "bad_length": Entry(
        400, "Content-Length is not a whole number.", "Send the true length, or send in chunks."
    ),
    "bad_form": Entry(
        400,
        "The multipart form is broken.",
        "Send one field named file, and fields such as to with short texts.",
    ),
    "no_file": Entry(
        400, "The form has no file in it.", "Choose a file and send it in the field named file."
    ),
    "bad_key": Entry(
        400,
        "The Idempotency-Key is not one.",
        "Send 22 to 255 characters that nobody can guess, such as a random UUID.",
    ),
    "bad_upload_header": Entry(
        400,
        "A header of the upload cannot be understood.",
        "docs/uploads.md says what each header holds.",
    ),
    "upload_interrupted": Entry(
        400,
        "Another request has taken over from this one.",
        "Nothing that had come is lost: HEAD tells the offset. Let one request send at a time.",
    ),
    "not_the_operator": Entry(
        401,
        "This page is for the operator.",
        "Send Authorization: Bearer with ROWMILL_OPS_TOKEN, or open /ops?token=… once.",
    ),
    "cross_site": Entry(
        403,
        "Another site's page must not do this.",
        "Use the page of this service, or a program that is not a browser.",
    ),
    "not_yours": Entry(
        403,
        "The upload is not yours to change.",
        "Use the browser that sent it, or send the manage token of the answer that made it: "
        "Authorization: Bearer ….",
    ),
    "final_upload": Entry(
        403,
        "An upload that is made of others takes no bytes of its own.",
        "Send them to the uploads that it is made of.",
    ),
    "not_found": Entry(404, "There is nothing here.", "The paths are listed in /docs."),
    "upload_unknown": Entry(
        404,
        "There is no such upload.",
        "Compare the address with the one that the upload was answered with.",
    ),
    "job_unknown": Entry(
        404, "The upload has no such job.", "The upload's document lists its jobs by number."
    ),
    "no_results": Entry(
        404,
        "There is no result to put into a zip.",
        "Wait until a conversion is ready. A zip of all has what this browser has sent.",
    ),
    "method_not_allowed": Entry(
        405, "This address does not take this method.", "The Allow header lists those it takes."
    ),
    "body_too_slow": Entry(
        408, "The body came too slowly.", "Send it again over a steadier connection."
    ),
    "not_ready": Entry(
        409,
        "There is no result yet.",
        "Look at the upload's document until its status is ready.",
    ),
    "conversion_failed": Entry(
        409,
        "There is no result: the conversion failed.",
        "The job's error says why; POST …/jobs/{number}/again tries once more.",
    ),
    "conversion_cancelled": Entry(
        409,
        "There is no result: the conversion was cancelled.",
        "POST …/jobs/{number}/again starts it once more.",
    ),
    "still_receiving": Entry(
        409, "The file has not come completely yet.", "Finish the upload first."
    ),
    "job_not_ended": Entry(
        409,
        "The job has not failed and was not cancelled.",
        "Only a failed or cancelled job can be tried again; POST …/jobs adds another one.",
    ),
    "already_ended": Entry(
        409, "There is nothing left to cancel.", "DELETE removes the upload and its results."
    ),
    "too_many_jobs": Entry(
        409, "The upload has as many jobs as one upload may have.", "Upload the file once more."
    ),
    "wrong_offset": Entry(
        409,
        "The bytes do not go on where the upload stands.",
        "Go on from Upload-Offset.",
    ),
    "parts_missing": Entry(
        409,
        "Not all that the upload is made of has come.",
        "Finish every part first, then join them.",
    ),
    "key_in_use": Entry(
        409,
        "A request with the same Idempotency-Key is still running.",
        "Wait for its answer, or ask again in a moment.",
    ),
    "deleted": Entry(410, "The upload was deleted.", "Upload the file again."),
    "expired": Entry(
        410, "The upload's time is over and its files are gone.", "Upload the file again."
    ),
    "upload_lost": Entry(
        410,
        "What had come of the file is lost.",
        "Upload the file again.",
    ),
    "result_gone": Entry(
        410,
        "The result is no longer in the storage.",
        "Convert the file again, or upload it again.",
    ),
    "wrong_tus_version": Entry(
        412,
        "The request does not say Tus-Resumable: 1.0.0.",
        "Send that header; Tus-Version lists what is spoken here.",
    ),
    "too_large": Entry(
        413,
        "The body is too large.",
        "Send a smaller file, or ask the operator to raise ROWMILL_MAX_UPLOAD_BYTES.",
    ),
    "beyond_length": Entry(
        413,
        "More bytes came than the upload was said to have.",
        "What fits is kept. Upload the file again if its length was wrong.",
    ),
    "unknown_format": Entry(
        415,
        "The bytes are of no format that this service knows.",
        "GET /formats lists what can be converted.",
    ),
    "unsupported_format": Entry(
        415,
        "Nothing here converts files of this format.",
        "GET /formats lists what can be converted.",
    ),
    "encoded_body": Entry(
        415, "The body has a Content-Encoding.", "Send the file as it is, without an encoding."
    ),
    "bad_media_type": Entry(
        415,
        "The body's media type is not understood here.",
        "Send application/json or application/x-www-form-urlencoded.",
    ),
    "range_not_satisfiable": Entry(
        416, "The range lies outside of the file.", "Content-Range tells the file's length."
    ),
    "empty_file": Entry(422, "The file has no bytes.", "Choose a file that has something in it."),
    "too_many_results": Entry(
        422,
        "There are more results than one zip takes.",
        "Choose some of the uploads: results.zip?upload=…&upload=….",
    ),
    "impossible_target": Entry(
        422, "The file cannot be converted to this.", "GET /formats lists every possible pair."
    ),
    "key_reused": Entry(
        422,
        "The Idempotency-Key was used for another upload.",
        "Make a new key for each file.",
    ),
    "bad_options": Entry(
        422,
        "The options do not fit the conversion.",
        "GET /formats has the JSON Schema of every conversion's options.",
    ),
    "upload_busy": Entry(
        423,
        "Another request holds the upload and does not let go.",
        "Try again in a second.",
    ),
    "too_many_open": Entry(
        429,
        "Too many uploads are unfinished.",
        "Finish some of them or delete them first; those that nobody goes on with end by "
        "themselves.",
    ),
    "internal": Entry(
        500, "Something went wrong here.", "Try again; if it stays so, tell the operator."
    ),
    "database_away": Entry(
        503,
        "The database does not answer.",
        "Try again in a moment. If you asked for a change, look first whether it was made.",
    ),
    "database_full": Entry(
        503,
        "The disk of the database is full.",
        "Nothing was recorded. Try again later, or tell the operator, who has to make room.",
    ),
    "database_read_only": Entry(
        503,
        "The database takes no changes now.",
        "Nothing was recorded. Try again in a moment: another server may be taking over.",
    ),
    "not_open": Entry(
        503, "The service is not set up to work yet.", "The operator finds the cause in /readyz."
    ),
    "storage_away": Entry(
        503, "The file could not be stored.", "Try again; the operator finds the cause in the log."
    ),
    "upload_stalled": Entry(
        503,
        "Nothing came for too long.",
        "What had come is kept: go on from Upload-Offset.",
    ),
    "ending": Entry(
        503,
        "The service is being restarted.",
        "What had come is kept: go on in a moment.",
    ),
    "not_recorded": Entry(
        503,
        "The file came whole, but could not be recorded in time.",
        "Look at the upload's address first; if there is nothing, send the file again.",
    ),
    "no_room": Entry(
        507, "The disk has no room for the file.", "Try again later, or tell the operator."
    ),
}


class Problem(Exception):
    """What ends a request early; it becomes problem+json, or a page for a browser.

    `detail` may repeat what a client sent: it is cleaned here.
    """

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        hint: str | None = None,
        headers: Mapping[str, str] | None = None,
        **extra: Any,
    ) -> None:
        entry = CATALOGUE[code]
        detail = clean(detail or entry.title)
        super().__init__(detail)
        self.code = code
        self.status = entry.status
        self.title = entry.title
        self.detail = detail
        self.hint = hint or entry.hint
        self.headers = {**_patience(entry.status), **(headers or {})}
        self.extra = extra

    @property
    def document(self) -> dict[str, Any]:
        """Return the members of RFC 9457 §3, then our own."""
        return {
            "type": f"urn:rowmill:error:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "hint": self.hint,
            **self.extra,
        }


def _patience(status: int) -> dict[str, str]:
    return {"Retry-After": "2"} if status == 503 else {}
