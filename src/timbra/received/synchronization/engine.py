"""The download of a taxpayer's documents: plans requests and does what is due.

All steps are idempotent and durable: a process that ends anywhere is followed by another one, which does the rest. Only
one process works for a taxpayer at a time, under a lease.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.received.synchronization.calls import BulkCalls, SyncBlockedError
from timbra.received.synchronization.downloads import PackageWork
from timbra.received.synchronization.models import (
    BulkPackageState,
    BulkRequestState,
    SyncState,
    TaxpayerSync,
    Values,
)
from timbra.received.synchronization.periods import last_closed, months, new_periods, oldest
from timbra.received.synchronization.requests import RequestWork
from timbra.received.synchronization.store import SyncRepository

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.received")

REFRESHED: Final = timedelta(days=548)
"""Age of the documents whose metadata is asked for again: they may be cancelled until the annual return."""


@dataclass(frozen=True, slots=True)
class Synchronizer:
    """Does what is due for one taxpayer of an account.

    Attributes:
        fiscal: Fiscal time, whose day ends the periods.
    """

    repository: SyncRepository
    calls: BulkCalls
    requests: RequestWork
    packages: PackageWork
    fiscal: Clock

    def run(self, account_id: int, rfc: str, is_stopped: Callable[[], bool] = lambda: False) -> datetime | None:
        """Do all that is due for a taxpayer.

        Args:
            is_stopped: Whether to return after the present step.

        Returns:
            When something is due again; None while nothing is.
        """
        self.calls.forget_clients()
        syncs = self._active(account_id, rfc)
        self._recover(syncs)
        while syncs and not is_stopped():
            try:
                self._plan(syncs)
                if not self._step([sync.id for sync in syncs]):
                    break
            except SyncBlockedError as error:
                self._block(account_id, rfc, str(error))
            syncs = self._active(account_id, rfc)
        due = self.repository.next_due([sync.id for sync in syncs])
        resumed = [sync.resume_at for sync in self.repository.syncs(account_id, rfc)]
        return min((at for at in (due, *resumed) if at is not None), default=None)

    def _active(self, account_id: int, rfc: str) -> list[TaxpayerSync]:
        """Return the sides to work for; blocked ones are active again after their pause."""
        now, syncs = self.calls.wall.now(), self.repository.syncs(account_id, rfc)
        if any(sync.resume_at is not None and sync.resume_at <= now for sync in syncs):
            values: Values = {"state": SyncState.ACTIVE, "reason": "", "resume_at": None}
            with self.repository.write() as connection:
                self.repository.change_sync(connection, account_id, rfc, values)
            syncs = self.repository.syncs(account_id, rfc)
        return [sync for sync in syncs if sync.state is SyncState.ACTIVE]

    def _block(self, account_id: int, rfc: str, reason: str) -> None:
        resume_at = self.calls.wall.now() + self.calls.pacing.blocked
        values: Values = {"state": SyncState.BLOCKED, "reason": reason, "resume_at": resume_at}
        with self.repository.write() as connection:
            self.repository.change_sync(connection, account_id, rfc, values)
            self.calls.audit.record(connection, "received.blocked", account_id, rfc, {"reason": reason})
        log.warning("synchronization blocked", rfc=rfc, reason=reason)

    def _recover(self, syncs: Sequence[TaxpayerSync]) -> None:
        """Continue what a process left that ended: requests without their answer, requests whose packages are done."""
        numbers = [sync.id for sync in syncs]
        for request in self.repository.in_state(numbers, BulkRequestState.SENDING):
            self.requests.replace(request, "El proceso terminó antes de recibir la respuesta.")
        for request in self.repository.in_state(numbers, BulkRequestState.READY):
            self.packages.end(request)
        self.packages.sweep()

    def _plan(self, syncs: Sequence[TaxpayerSync]) -> None:
        """Ask for the metadata of days that ended since, and of past periods again."""
        now, today = self.calls.wall.now(), self.fiscal.now().astimezone(CENTRAL_MEXICO).date()
        until = last_closed(today)
        for sync in syncs:
            since = max(sync.since, oldest(today))
            periods = new_periods(since, sync.planned_until, until)
            values: Values = {"planned_until": until} if periods else {}
            if sync.refreshed_at is None or now - sync.refreshed_at >= self.calls.pacing.refresh:
                values["refreshed_at"] = now
                if sync.refreshed_at is not None and sync.planned_until is not None:
                    periods += months(max(since, until - REFRESHED), min(sync.planned_until, until))
            if values:
                with self.repository.write() as connection:
                    for period in periods:
                        self.requests.ask(connection, sync, period, {}, is_metadata=True)
                    self.repository.change_side(connection, sync.id, values)

    def _step(self, syncs: Sequence[int]) -> bool:
        """Do the most urgent work; return whether there was any."""
        repository, now = self.repository, self.calls.wall.now()
        if stored := repository.next_package(syncs, BulkPackageState.STORED, now):
            self.packages.unpack(stored)
        elif package := repository.next_package(syncs, BulkPackageState.WAITING, now):
            self.packages.download(package)
        elif waiting := repository.next_request(syncs, BulkRequestState.WAITING, now):
            self.requests.verify(waiting)
        elif repository.count_waiting(syncs) < self.calls.pacing.open_requests and (
            planned := repository.next_request(syncs, BulkRequestState.PLANNED, now)
        ):
            self.requests.send(planned)
        else:
            return False
        return True
