"""Why a conversion failed: one catalogue of codes, each with a sentence and a remedy."""

from dataclasses import dataclass
from typing import Any

DETAIL_LIMIT = 1000


@dataclass(frozen=True)
class Failure:
    """What a person reads: `sentence` says what happened, `hint` what to do about it."""

    sentence: str
    hint: str


CATALOGUE: dict[str, Failure] = {
    "corrupt_input": Failure(
        "The file is damaged or incomplete.",
        "Open it on your own device; if it works there, save it again and upload that copy.",
    ),
    "unsupported_content": Failure(
        "The file has something in it that this conversion cannot handle.",
        "Choose another target format, or save the file in a more common form first.",
    ),
    "too_many_pixels": Failure(
        "A picture has more pixels than this service converts.",
        "Make the picture smaller, or ask the operator to raise ROWMILL_MAX_PIXELS.",
    ),
    "password_required": Failure(
        "The file is locked with a password.",
        "Send it again with the option password where there is one, or save a copy without one.",
    ),
    "password_wrong": Failure(
        "The password does not open the file.",
        "Send it again with the right password.",
    ),
    "too_many_pages": Failure(
        "The document has more pages than this service converts.",
        "Choose a range of pages, or ask the operator to raise ROWMILL_MAX_PAGES.",
    ),
    "too_many_rows": Failure(
        "The table has more rows than this conversion can hold.",
        "Choose a target format that holds more, such as csv or parquet, or split the table.",
    ),
    "too_many_columns": Failure(
        "The table has more columns than this conversion can hold.",
        "Choose a target format that holds more, such as csv or parquet, or split the table.",
    ),
    "cell_too_long": Failure(
        "A cell of the table is longer than the target format can hold.",
        "Choose another target format such as csv or parquet.",
    ),
    "too_long": Failure(
        "The recording is longer than this service converts.",
        "Choose a part with start and duration, or ask the operator to raise "
        "ROWMILL_MAX_MEDIA_SECONDS.",
    ),
    "inflates_too_much": Failure(
        "The file unpacks to more than this service allows.",
        "Make the document smaller, or ask the operator to raise the limit that is named.",
    ),
    "no_audio_stream": Failure(
        "The file has no sound that could be converted.",
        "Choose a video or image format, or check the recording on your own device.",
    ),
    "no_video_stream": Failure(
        "The file has no picture that could be converted.",
        "Choose a sound format instead.",
    ),
    "no_text": Failure(
        "The document has no text: it is a scan, or empty.",
        "For a scan, choose png or jpg, or let another program recognise its text first; "
        "for another document, look whether it is the file that you meant: it is empty.",
    ),
    "encoding_unknown": Failure(
        "The text of the file is in an encoding that could not be told.",
        "Name it in the option encoding, or save the file as UTF-8.",
    ),
    "bad_options": Failure(
        "The options do not fit this conversion.",
        "Look at the options in /formats and try again.",
    ),
    "output_empty": Failure(
        "The conversion ended without a usable result.",
        "Try again; if it happens again, choose another target format.",
    ),
    "result_too_large": Failure(
        "The result would be larger than this service stores.",
        "Choose smaller dimensions or another target format.",
    ),
    "time_limit": Failure(
        "The conversion took longer than this service allows.",
        "Make the file smaller, or ask the operator to raise ROWMILL_TIME_LIMIT_SECONDS.",
    ),
    "stalled": Failure(
        "The conversion stopped making progress.",
        "Try again; if it happens again, the file is likely damaged.",
    ),
    "memory_limit": Failure(
        "The conversion needed more memory than this service allows.",
        "Make the file smaller, or ask the operator to raise ROWMILL_MEMORY_LIMIT_BYTES.",
    ),
    "machine_memory": Failure(
        "The machine ran out of memory while it converted the file.",
        "Try again later; if it happens again, make the file smaller or tell the operator.",
    ),
    "converter_crashed": Failure(
        "The converter crashed on this file.",
        "Try again, or choose another target format.",
    ),
    "storage_unavailable": Failure(
        "The service could not read the file or store the result.",
        "Try again later; the operator finds the cause in the worker's log.",
    ),
    "source_missing": Failure(
        "The uploaded file is no longer in the storage.",
        "Upload the file again, and tell the operator: this should not happen.",
    ),
    "worker_lost": Failure(
        "The machine that converted this file was lost several times in a row.",
        "Try again later; if it happens again, this file may be what brings the machine down.",
    ),
}


def failure(code: str, detail: str | None = None) -> dict[str, Any]:
    """Return the error object of a job: its code, one sentence and a hint, cleaned for a row."""
    known = CATALOGUE[code]
    return {"code": code, "detail": clean(detail or known.sentence), "hint": known.hint}


def clean(text: str, limit: int = DETAIL_LIMIT) -> str:
    """Return text that PostgreSQL, JSON and a terminal all accept, cut to a limit.

    Control characters (a NUL among them) and lone surrogates become spaces.
    """
    printable = (" " if _is_unsafe(character) else character for character in text[: limit * 4])
    return " ".join("".join(printable).split())[:limit]


def _is_unsafe(character: str) -> bool:
    point = ord(character)
    return point < 32 or 127 <= point < 160 or 0xD800 <= point < 0xE000
