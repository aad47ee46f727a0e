"""Logs on standard error: JSON lines, or text on a terminal; with the request id where there is one."""

from __future__ import annotations

import logging
import sys

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(level: str) -> None:
    """Sets up structlog and the standard library's logging alike. level: a key of LEVELS."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    for_people = sys.stderr.isatty()
    structlog.configure(
        processors=[*shared, structlog.dev.ConsoleRenderer() if for_people else _json],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _json],
        )
    )
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), handlers=[handler], force=True)


def _json(_logger: WrappedLogger, _method: str, line: EventDict) -> str:
    return orjson.dumps(line, default=str).decode("utf-8")
