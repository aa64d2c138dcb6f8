"""The shapes of the status document and of the list, as the API's description shows them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from app.states import Status, UploadStatus


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ErrorDocument(_Closed):
    """Why something failed: `code` for programs, `detail` and `hint` for people."""

    code: str
    detail: str
    hint: str


class ResultDocument(_Closed):
    """A file that was made, and where to fetch it."""

    href: str
    name: str
    size: int
    format: str
    media_type: str
    sha256: str
    facts: dict[str, Any]


class JobDocument(_Closed):
    """One conversion of the upload to one format."""

    number: int
    kind: str
    source: Annotated[str, Field(serialization_alias="from")]
    to: str
    options: dict[str, Any]
    status: Status
    progress: Annotated[float, Field(description="0 to 1; 1 only with success")]
    stage: str | None
    attempt: Annotated[int, Field(description="Attempts so far that count, the current included")]
    max_attempts: int
    interruptions: Annotated[int, Field(description="Times its worker was lost or shut down")]
    queue_position: Annotated[
        int | None, Field(description="Ready jobs of its kind before this one; 1000 and more: 1000")
    ]
    waiting_for: Annotated[str | None, Field(description="Why no worker takes it, in a sentence")]
    run_after: Annotated[datetime | None, Field(description="Not before then, while it is queued")]
    retry_reason: Annotated[
        ErrorDocument | None, Field(description="What ended the attempt before this one")
    ]
    error: Annotated[ErrorDocument | None, Field(description="Why it failed, once it has")]
    result: ResultDocument | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class LinksDocument(_Closed):
    """Paths on this host; `result` is the newest success."""

    self: str
    result: str | None


class UploadDocument(_Closed):
    """An upload and everything that was asked of it."""

    id: UUID
    name: str
    size: int | None
    received: int
    format: str | None
    media_type: str | None
    sha256: str | None
    name_says: Annotated[
        str | None, Field(description="The format that the name claims, when it is another")
    ]
    name_disagrees: Annotated[
        str | None, Field(description="A sentence, when the name claims another format")
    ]
    status: UploadStatus
    error: ErrorDocument | None
    jobs: list[JobDocument]
    counts: Annotated[dict[Status, int], Field(description="Jobs by status")]
    created_at: datetime
    completed_at: datetime | None
    expires_at: Annotated[
        datetime | None, Field(description="None while a job is queued or running")
    ]
    links: LinksDocument


class CreatedDocument(UploadDocument):
    """The document as the answer that makes an upload has it, and no other."""

    manage: Annotated[
        str,
        Field(
            description="Authorization: Bearer … with it may change the upload, as may its cookie"
        ),
    ]


class NextDocument(_Closed):
    """Path of the page of older uploads, if there are any."""

    next: str | None


class ListDocument(_Closed):
    """The uploads of one browser, newest first."""

    uploads: list[UploadDocument]
    links: NextDocument
