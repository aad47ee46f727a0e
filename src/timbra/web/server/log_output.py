"""Log output on standard error: JSON lines, or text on a terminal, with the node, the process and the request.

A thread writes the lines (`timbra.web.server.log_queue`).
"""

from __future__ import annotations

import atexit
import logging
import socket
import sys

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from timbra.core.text import storable
from timbra.web.server.log_queue import LogQueue

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


_queue: LogQueue | None = None
_process = {"node": "", "worker": ""}
"""The names of the node and of this process, which every line has."""


def configure(level: str, form: str = "auto", node: str = "") -> None:
    """Configure structlog and the logging of the standard library in the same way.

    Args:
        level: A key of `LEVELS`; the minimum level. Libraries log at least at the level "warning".
        form: "json", "text", or "auto", which is text on a terminal and JSON elsewhere.
        node: The name of the node; the name of the machine when empty.
    """
    _process["node"] = node or socket.gethostname()
    global _queue
    flush()
    if _queue is None:
        atexit.register(flush)
    queue = _queue = LogQueue(sys.stderr)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        _add_process,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    on_terminal = sys.stderr.isatty()
    as_text = form == "text" or (form == "auto" and on_terminal)
    console = structlog.dev.ConsoleRenderer(colors=on_terminal, exception_formatter=structlog.dev.plain_traceback)
    renderer: list[Processor] = [console] if as_text else [_json]
    structlog.configure(
        processors=[*shared, *renderer],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: _QueueLogger(queue),
        cache_logger_on_first_use=True,
    )
    handler = _QueueHandler(queue)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        )
    )
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), handlers=[handler], force=True)


def name_process(worker: str) -> None:
    """Name this process in its log lines: a worker by its number, or another process of the server by its work."""
    _process["worker"] = worker


def flush() -> None:
    """Wait until all lines are written, for a few seconds at most; a process calls this at its end."""
    if _queue is not None:
        _queue.flush()


class _QueueLogger:
    """What structlog calls with a rendered line, by its level."""

    def __init__(self, queue: LogQueue) -> None:
        self._queue = queue

    def info(self, line: str) -> None:
        self._queue.put(line + "\n")

    debug = warning = warn = msg = log = info

    def error(self, line: str) -> None:
        self._queue.put_urgent(line + "\n")

    exception = critical = fatal = failure = err = error


class _QueueHandler(logging.Handler):
    """Queues the lines of the standard library's loggers."""

    def __init__(self, queue: LogQueue) -> None:
        super().__init__()
        self._queue = queue

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a line; see `logging.Handler.emit`."""
        try:
            put = self._queue.put_urgent if record.levelno >= logging.ERROR else self._queue.put
            put(self.format(record) + "\n")
        except Exception:
            self.handleError(record)


def _add_process(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    line["node"] = _process["node"]
    if _process["worker"]:
        line["worker"] = _process["worker"]
    return line


def _json(_logger: WrappedLogger, _method: str, line: EventDict) -> str:
    try:
        return orjson.dumps(line, default=str).decode("utf-8")
    except orjson.JSONEncodeError:
        # A lone surrogate from a client cannot be encoded in UTF-8.
        cleaned = {storable(str(name)): storable(str(value)) for name, value in line.items()}
        return orjson.dumps(cleaned).decode("utf-8")
