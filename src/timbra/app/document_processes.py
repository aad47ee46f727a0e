"""Child processes for documents and lists: their container, and the work that they run."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import lru_cache
from itertools import count
from traceback import format_exception
from typing import Any

from timbra.container import Container
from timbra.container.child import ProcessOutcome, child_runner
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.settings import Settings

YOUNG, ALL = 1, 2
"""Generations of the garbage collector up to which a collection goes."""
DOCUMENTS_PER_FULL_COLLECTION = 32
"""A collection of all objects visits those of the container too, which takes longer than a document of 256 KB."""


def run_in_child(settings: Settings, work: Callable[..., Any], *args: Any) -> ProcessOutcome:
    """Run work with the groups of services of the child's container, which stays open for the next work.

    Args:
        work: a module-level function.
        args: its arguments after the groups.
    """
    container = _container(settings)
    gc.disable()
    try:
        container.get(opened_database).poll()
        value, error = work(container.groups, *args), None
    except Exception as caught:  # raised again in the parent
        value, error = None, _without_origin(caught)
    state = container.metrics.state()
    container.metrics.counts.clear()
    container.metrics.histograms.clear()
    _collect_garbage()
    return ProcessOutcome(value, error, state)


def _without_origin(error: Exception) -> Exception:
    """Remove from an exception what pickling leaves out: its frames would keep the document until a full collection.

    An unexpected one keeps the text of its traceback, for the log of the parent.
    """
    if not isinstance(error, ServiceError | MemoryError):
        error.add_note("".join(format_exception(error)))
    error.__cause__ = error.__context__ = error.__traceback__ = None
    return error


def _collect_garbage() -> None:
    """Collect the cycles of the document; all its objects are young, because no other collection runs meanwhile."""
    gc.collect(ALL if next(_collections) % DOCUMENTS_PER_FULL_COLLECTION == 0 else YOUNG)


_collections = count(1)


@lru_cache(maxsize=1)
def _container(settings: Settings) -> Container:
    from timbra.app.keyless import keyless_bindings  # not for the parent, which does without some of these modules

    bindings = {**keyless_bindings(settings.environment), child_runner: lambda _: run_in_child}
    container = Container(settings, bindings=bindings)
    gc.freeze()
    return container
