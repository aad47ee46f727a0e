"""The services of operations, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from timbra.catalogs.current import CatalogsInForce
    from timbra.core.clock import Clock
    from timbra.core.metrics import MetricsRegistry
    from timbra.delivery.deliveries import AuthorityOutbox, Backlog
    from timbra.events.email import EmailOutbox
    from timbra.lists.fetch.fetch_state import FetchRecord
    from timbra.lists.health import ListHealth
    from timbra.lists.history import ImportRow
    from timbra.lists.importer import ListImporter
    from timbra.lists.published import PublishedLists
    from timbra.lists.refresh import ListRefresh
    from timbra.lists.sources.part_names import ListKind
    from timbra.operations.clock_discipline import ClockDiscipline
    from timbra.operations.health import HealthChecks, ServerHealth
    from timbra.rejections.log import RejectionLog
    from timbra.rejections.store import RejectionStore
    from timbra.stamps.usage import UsageCounter


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Facts about one process.

    Attributes:
        dialect: dialect of the database, as SQLAlchemy names it.
        started_at: wall time.
    """

    catalogs: CatalogsInForce
    dialect: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class OperationsServices:
    """Operation of the server: health, outboxes, rejection log, usage and the SAT's lists.

    Attributes:
        health: returns the body of `GET /health`.
        list_ages: returns the age of each list, by its name.
        backlog: returns the pending deliveries of both outboxes.
        list_refresh: returns the refresh of the lists from their sources.
        fetch_records: returns what the last query of each source found.
        list_history: returns the newest imports of lists, see `timbra.lists.history.list_history`.
        build_info: returns environment and version of the SAT's data.
        total_metrics: returns the sum over all workers.
        rejection_days: retention of the rejection log.
        database_clock: returns how far the clock is ahead of that of the database; None without one to compare with.
        wall, fiscal: wall time and fiscal time.
    """

    health_checks: HealthChecks
    health: Callable[[], ServerHealth]
    list_ages: Callable[[], Mapping[str, timedelta]]
    backlog: Callable[[], Backlog]
    outbox: AuthorityOutbox
    email_outbox: EmailOutbox
    rejections: RejectionLog
    rejection_store: RejectionStore
    usage: UsageCounter
    lists: PublishedLists
    list_importer: Callable[[Sequence[str]], ListImporter]
    list_refresh: Callable[[], ListRefresh]
    list_health: ListHealth
    fetch_records: Callable[[], Mapping[ListKind, FetchRecord]]
    list_history: Callable[[Sequence[str], int], Sequence[ImportRow]]
    clock_discipline: ClockDiscipline
    build_info: Callable[[], Mapping[str, str]]
    total_metrics: Callable[[], MetricsRegistry]
    rejection_days: int
    server_info: Callable[[], ServerInfo]
    database_clock: Callable[[], timedelta | None]
    wall: Clock
    fiscal: Clock
