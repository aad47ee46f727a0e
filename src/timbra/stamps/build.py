"""Construction of the stored stamps."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.clock import Clock
from timbra.core.metrics import COMMIT_BATCH_SIZE, COMMIT_DURATION, STAMP_CLAIMS, MetricsRegistry
from timbra.database.build import opened_database
from timbra.database.database import Database
from timbra.stamps.port import (
    AlreadyStamped,
    BalanceExhausted,
    Claim,
    ConfirmationUsed,
    CustomIdTaken,
    Outcome,
    Stored,
)
from timbra.stamps.repository import DatabaseStamps

OUTCOME_LABELS: dict[type[Outcome], tuple[str]] = {
    Stored: ("stored",),
    AlreadyStamped: ("repeated",),
    CustomIdTaken: ("customid",),
    ConfirmationUsed: ("confirmation",),
    BalanceExhausted: ("exhausted",),
}


class MeteredStamps(DatabaseStamps):
    """`DatabaseStamps` that records the duration, the size and the outcomes of each batch."""

    def __init__(self, database: Database, fiscal: Clock, wall: Clock | None, metrics: MetricsRegistry) -> None:
        super().__init__(database, fiscal, wall)
        self._metrics = metrics

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        begun = perf_counter()
        outcomes = super().claim(claims)
        metrics = self._metrics
        metrics.observe(COMMIT_DURATION, (), perf_counter() - begun)
        metrics.observe(COMMIT_BATCH_SIZE, (), len(claims))
        for outcome in outcomes:
            metrics.count(STAMP_CLAIMS, OUTCOME_LABELS[type(outcome)])
        return outcomes


def database_stamps(container: Container) -> DatabaseStamps:
    """Build the repository of stamps."""
    stamps = MeteredStamps(
        container.get(opened_database), container.get(fiscal_clock), container.wall, container.metrics
    )
    container.closing.callback(stamps.close)
    return stamps
