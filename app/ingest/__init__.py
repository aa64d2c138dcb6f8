"""The body of a request becomes a durable file in `incoming`, or leaves no trace."""

from app.ingest.dock import Dock
from app.ingest.farewell import Farewell
from app.ingest.headers import is_form
from app.ingest.limits import Limits
from app.ingest.multipart import receive_multipart
from app.ingest.raw import receive_raw
from app.ingest.received import Gate, Glimpse, Received
from app.ingest.refusals import (
    BadLength,
    BadMultipart,
    BodyTooSlow,
    ClientGone,
    EmptyFile,
    EncodedBody,
    NoFile,
    NoRoom,
    Refusal,
    TooLarge,
)

__all__ = [
    "BadLength",
    "BadMultipart",
    "BodyTooSlow",
    "ClientGone",
    "Dock",
    "EmptyFile",
    "EncodedBody",
    "Farewell",
    "Gate",
    "Glimpse",
    "Limits",
    "NoFile",
    "NoRoom",
    "Received",
    "Refusal",
    "TooLarge",
    "is_form",
    "receive_multipart",
    "receive_raw",
]
