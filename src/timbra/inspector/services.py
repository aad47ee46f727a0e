"""The services of the request inspector, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.inspector.client_behavior import ClientFinding
    from timbra.inspector.live_feed import LiveFeed
    from timbra.inspector.recorder import CallRecorder
    from timbra.inspector.store import ApiCallStore


@dataclass(frozen=True, slots=True)
class InspectorServices:
    """The request inspector: recorded calls of each account.

    Attributes:
        recorder: records the calls of this worker; None while the inspector is switched off.
        feed: live views of this worker.
        days: retention of recorded calls.
        rows: newest calls of each account that are kept.
        expire: deletes calls beyond the retention, also those of a time when the inspector was on.
        client_findings: returns what the client of an account did wrong in its newest calls.
    """

    calls: ApiCallStore
    recorder: CallRecorder | None
    feed: LiveFeed
    days: int
    rows: int
    expire: Callable[[], None]
    client_findings: Callable[[int], Sequence[ClientFinding]]
