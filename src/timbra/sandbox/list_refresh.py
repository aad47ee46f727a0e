"""The nightly refresh of the simulated lists, for the periodic jobs."""

from __future__ import annotations

from typing import Protocol

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.refresh")


class RefreshableLists(Protocol):
    """Lists that publish pending changes after a fiscal midnight; one of several workers does it."""

    @property
    def lists_version(self) -> str: ...

    def refresh_if_due(self) -> bool:
        """Publish pending changes if a fiscal midnight has passed, and return whether lists were published."""


def refresh_lists(lists: RefreshableLists) -> bool:
    """Publish pending changes when fiscal time has passed 00:00 of central Mexico, also after a moved clock.

    Look-ups do the same; the job is for nights without requests. No I/O while nothing is pending.

    Returns:
        Whether changes were published.
    """
    published = lists.refresh_if_due()
    if published:
        log.info("lists published", version=lists.lists_version)
    return published
