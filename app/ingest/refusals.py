"""Why a body is not taken: one exception for each reason, which the API maps to an answer."""


class Refusal(Exception):
    """The body is refused, and nothing of it is kept."""


class BadLength(Refusal):
    """Content-Length is not a whole number."""


class TooLarge(Refusal):
    """The file is larger than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the file is larger than {limit} bytes")
        self.limit = limit


class NoRoom(Refusal):
    """The disk has no room for the file; `size` is None when nobody knows how large it is."""

    def __init__(self, size: int | None = None) -> None:
        super().__init__("no room on the disk" if size is None else f"no room for {size} bytes")
        self.size = size


class StorageAway(Refusal):
    """The storage does not answer, or cannot be read: nobody knows whether there is room."""


class EncodedBody(Refusal):
    """The body has a Content-Encoding; Rowmill takes files as they are."""

    def __init__(self, encoding: str) -> None:
        super().__init__(f"Content-Encoding is {encoding!r}")
        self.encoding = encoding


class BodyTooSlow(Refusal):
    """Nothing, or next to nothing, came for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the body came too slowly for {seconds:g} s")
        self.seconds = seconds


class ClientGone(Refusal):
    """The client hung up before the body was complete; nobody is there to be answered."""


class BadMultipart(Refusal):
    """The form is broken or asks for too much; `reason` is a clause that a client can read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NoFile(Refusal):
    """The form has no file in it."""


class EmptyFile(Refusal):
    """The file has no bytes."""
