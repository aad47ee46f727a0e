"""Construction of the request inspector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from timbra.container import Bindings, Container
from timbra.core.environments import ENVIRONMENTS
from timbra.database.build import opened_database
from timbra.database.state_version import STATE_AREA
from timbra.inspector.client_behavior import ClientFinding, recent_findings
from timbra.inspector.live_feed import LiveFeed
from timbra.inspector.recorder import CallRecorder
from timbra.inspector.store import ApiCallStore
from timbra.settings import Settings
from timbra.web.ports import call_recorder
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob


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


def records_calls(settings: Settings) -> bool:
    """Whether the server records the calls of accounts."""
    return settings.inspector == "on" or (
        settings.inspector == "auto" and ENVIRONMENTS[settings.environment].is_sandbox
    )


def inspector_services(container: Container) -> InspectorServices:
    """Build the recorded calls, their recorder and the live views."""
    settings, database, wall = container.settings, container.get(opened_database), container.wall
    store = ApiCallStore(database)
    feed = LiveFeed(lambda: store.known_version)
    recorder = CallRecorder(
        store,
        wall,
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
        client_findings=lambda account_id: recent_findings(store, account_id, wall.now()),
    )


def _recorder(container: Container) -> CallRecorder | None:
    return container.get(inspector_services).recorder


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    """Return the job that wakes live views, and the one that writes recorded calls unless the inspector is off."""
    inspector = container.get(inspector_services)
    # The version that the views wait for is read with those of all caches; to compare it needs no thread.
    views = PeriodicJob("live views", 0.5, inspector.feed.notify, in_thread=False, idle_seconds=1)
    recorder = inspector.recorder
    return [views] if recorder is None else [views, PeriodicJob("calls", 0.5, recorder.flush, idle_seconds=10)]


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    return [once_in_cluster(container, "expire calls", 60, container.get(inspector_services).expire)]


def _flush(container: Container) -> None:
    recorder = container.get(inspector_services).recorder
    if recorder is not None:
        recorder.flush()


def _stop(container: Container) -> None:
    container.get(inspector_services).feed.stop()


SERVICES = {InspectorServices: inspector_services}
JOBS = FeatureJobs(worker=_worker_jobs, delivery=_delivery_jobs, flush=_flush, stop=_stop)
BINDINGS: Bindings = {call_recorder: _recorder}
