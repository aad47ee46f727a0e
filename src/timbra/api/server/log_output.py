"""Logs on standard error: JSON lines, or text for people; with the request id where there is one."""

from __future__ import annotations

import logging
import sys

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from timbra.text import storable

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(level: str, form: str = "auto") -> None:
    """Sets up structlog and the standard library's logging alike. level: a key of LEVELS.

    form: `json`, `text`, or `auto`, which is text on a terminal.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    on_terminal = sys.stderr.isatty()
    for_people = form == "text" or (form == "auto" and on_terminal)
    # A renderer for people shows tracebacks by itself.
    last: list[Processor] = [structlog.dev.ConsoleRenderer(colors=on_terminal)] if for_people else [_json]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), handlers=[handler], force=True)


def _json(_logger: WrappedLogger, _method: str, line: EventDict) -> str:
    try:
        return orjson.dumps(line, default=str).decode("utf-8")
    except orjson.JSONEncodeError:
        # A lone surrogate in what a client sent; a line must not be lost for it.
        cleaned = {storable(str(name)): storable(str(value)) for name, value in line.items()}
        return orjson.dumps(cleaned).decode("utf-8")
