"""Construction of the request inspector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.core.environments import ENVIRONMENTS
from timbra.inspector.services import InspectorServices

if TYPE_CHECKING:
    from timbra.app.infrastructure import Infrastructure
    from timbra.settings import Settings


def records_calls(settings: Settings) -> bool:
    """Whether the server records the calls of accounts."""
    return settings.inspector == "on" or (
        settings.inspector == "auto" and ENVIRONMENTS[settings.environment].is_sandbox
    )


def inspector_services(infrastructure: Infrastructure) -> InspectorServices:
    """Return the recorded calls, their recorder and the live views."""
    from timbra.database.state_version import STATE_AREA
    from timbra.inspector.client_behavior import recent_findings
    from timbra.inspector.live_feed import LiveFeed
    from timbra.inspector.recorder import CallRecorder
    from timbra.inspector.store import ApiCallStore

    settings, database = infrastructure.settings, infrastructure.database
    store = ApiCallStore(database)
    feed = LiveFeed(lambda: store.known_version)
    recorder = CallRecorder(
        store,
        infrastructure.wall,
        days=settings.inspector_days,
        rows=settings.inspector_rows,
        max_body_bytes=settings.inspector_body_bytes,
        state_version=lambda: database.cache_version(STATE_AREA),
        known_state_version=lambda: database.known_cache_version(STATE_AREA),
        on_written=feed.notify,
    )
    return InspectorServices(
        calls=store,
        recorder=recorder if records_calls(settings) else None,
        feed=feed,
        days=settings.inspector_days,
        rows=settings.inspector_rows,
        expire=recorder.expire,
        client_findings=lambda account_id: recent_findings(store, account_id, infrastructure.wall.now()),
    )
