"""The nightly refresh of the simulated lists, for whoever runs periodic jobs."""

from __future__ import annotations

from typing import Protocol

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.refresh")


class Lists(Protocol):
    """Lists that know by themselves when a fiscal midnight has passed; of several workers one publishes."""

    @property
    def lists_version(self) -> str: ...

    def refresh_if_due(self) -> bool: ...


def refresh_lists(lists: Lists) -> bool:
    """Publishes what was pending once 00:00 central Mexico has passed in fiscal time, however the clock got there.

    Look-ups do the same by themselves; this is for nights without requests. No I/O while there is nothing to do.
    """
    published = lists.refresh_if_due()
    if published:
        log.info("lists published", version=lists.lists_version)
    return published
