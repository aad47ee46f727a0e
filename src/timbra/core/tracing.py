"""Spans of requests, deliveries and calls of other services. Without a tracer nothing is recorded.

`timbra.web.server.otlp` has the tracer that sends spans by OTLP.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, Protocol

SpanKind = Literal["server", "client", "internal"]
Value = str | int | bool


class Span(Protocol):
    """A part of a trace that has begun."""

    @property
    def traceparent(self) -> str:
        """The header with which this span is the parent of another one."""
        ...

    def set(self, name: str, value: Value) -> None:
        """Add an attribute."""
        ...

    def rename(self, name: str) -> None:
        """Change the name, which is known only after the routing of a request."""
        ...

    def end(self, error: str = "") -> None:
        """End the span. `error`: Why it failed; empty for a success."""
        ...


class Tracer(Protocol):
    """Begins spans."""

    def begin(self, name: str, kind: SpanKind, parent: str) -> Span:
        """Begin a span.

        Args:
            name: Its name.
            kind: Whether a request is answered, sent, or neither.
            parent: `traceparent` of its parent; empty for the first span of a trace.
        """
        ...


_tracers: list[Tracer] = []
_current: ContextVar[str] = ContextVar("traceparent", default="")


def use_tracer(tracer: Tracer | None) -> None:
    """Record the spans of this process by a tracer; no longer when it is None."""
    _tracers[:] = [] if tracer is None else [tracer]


def begin_request(traceparent: str) -> Span | None:
    """Begin the span of a request, which becomes the parent of what follows in this context; None without a tracer."""
    if not _tracers:
        return None
    found = _tracers[0].begin("request", "server", traceparent)
    _current.set(found.traceparent)
    return found


@contextmanager
def span(name: str, kind: SpanKind = "client", parent: str = "", **attributes: Value) -> Iterator[Span | None]:
    """Record the block as a span; an exception is its error, and is raised.

    Args:
        name: Its name.
        parent: `traceparent` of its parent; that of the context when empty.
        attributes: With `_` for `.` in their names.

    Yields:
        The span; None without a tracer.
    """
    if not _tracers:
        yield None
        return
    found = _tracers[0].begin(name, kind, parent or _current.get())
    for key, value in attributes.items():
        found.set(key.replace("_", "."), value)
    token = _current.set(found.traceparent)
    try:
        yield found
    except BaseException as error:
        found.end(str(error) or type(error).__name__)
        raise
    else:
        found.end()
    finally:
        _current.reset(token)
