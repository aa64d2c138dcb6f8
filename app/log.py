"""Named events with fields, one JSON object a line, on standard error."""

import io
import logging
import sys
from contextlib import suppress
from functools import partial
from typing import Any, TextIO, cast

import structlog


def configure(*, level: str = "info", service: str = "rowmill") -> None:
    """Send every log line of this process to standard error as JSON, other libraries' too."""
    shared: list[Any] = [
        partial(_name_service, service),
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.StackInfoRenderer(),
        # Without local variables: one of them may be the database URL.
        structlog.processors.ExceptionRenderer(
            structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        ),
    ]
    # JSON with ASCII only: a name from outside can forge neither a line nor a colour.
    render = structlog.processors.JSONRenderer(ensure_ascii=True, default=str)
    lines = _Lines(sys.stderr)
    structlog.configure(
        processors=[*shared, render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(file=cast(TextIO, lines)),
        cache_logger_on_first_use=True,
    )
    _adopt_other_libraries(level, [*shared, render], lines)


class _Lines(io.TextIOBase):
    """A stream that may lie on a full disk, or lead to nobody: what it does not take is lost.

    A line of the log must never cost the request or the job that it tells of.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def _name_service(service: str, _logger: Any, _method: str, event: Any) -> Any:
    return {**event, "service": service}


def _adopt_other_libraries(level: str, processors: list[Any], lines: _Lines) -> None:
    handler = logging.StreamHandler(lines)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *processors]
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(logging.WARNING, logging.getLevelName(level.upper())))


def get_logger() -> structlog.typing.FilteringBoundLogger:
    """Return the logger: `log.info("upload.stored", upload=id, size=size)`."""
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger()
    return logger
