"""Log output on standard error: JSON lines, or text on a terminal; with the request id during a request."""

from __future__ import annotations

import logging
import sys

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from timbra.text import storable

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(level: str, form: str = "auto") -> None:
    """Configure structlog and the logging of the standard library in the same way.

    Args:
        level: A key of `LEVELS`; the minimum level. Libraries log at least at the level "warning".
        form: "json", "text", or "auto", which is text on a terminal and JSON elsewhere.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    on_terminal = sys.stderr.isatty()
    as_text = form == "text" or (form == "auto" and on_terminal)
    # ConsoleRenderer renders tracebacks.
    renderer: list[Processor] = [structlog.dev.ConsoleRenderer(colors=on_terminal)] if as_text else [_json]
    structlog.configure(
        processors=[*shared, *renderer],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        )
    )
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), handlers=[handler], force=True)


def _json(_logger: WrappedLogger, _method: str, line: EventDict) -> str:
    try:
        return orjson.dumps(line, default=str).decode("utf-8")
    except orjson.JSONEncodeError:
        # A lone surrogate from a client cannot be encoded in UTF-8.
        cleaned = {storable(str(name)): storable(str(value)) for name, value in line.items()}
        return orjson.dumps(cleaned).decode("utf-8")
