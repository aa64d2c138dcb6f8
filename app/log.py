"""Named events with fields, one JSON object a line, on standard error."""

import logging
import sys
from functools import partial
from typing import Any

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
    structlog.configure(
        processors=[*shared, render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    _adopt_other_libraries(level, [*shared, render])


def _name_service(service: str, _logger: Any, _method: str, event: Any) -> Any:
    return {**event, "service": service}


def _adopt_other_libraries(level: str, processors: list[Any]) -> None:
    handler = logging.StreamHandler(sys.stderr)
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
