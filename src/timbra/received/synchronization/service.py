"""What users do with synchronizations: start and stop them, and see their numbers; and the runs of a process."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import TracebackType
from typing import Final
from uuid import uuid4

import structlog
from sqlalchemy import Connection

from timbra.accounts.vault.efirma import EfirmaVault
from timbra.cfdi.rfc import is_rfc
from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.database.leases import Leases
from timbra.events.audit.audit import Audit
from timbra.received.synchronization.engine import Synchronizer
from timbra.received.synchronization.models import (
    BulkPackage,
    BulkRequestState,
    RequestReport,
    SyncReport,
    SyncState,
    TaxpayerSync,
    Values,
)
from timbra.received.synchronization.periods import SECOND, months
from timbra.received.synchronization.requests import RequestWork
from timbra.received.synchronization.store import SyncRepository

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.received")

RECEIVED, ISSUED = "received", "issued"
SIDES: Final = (RECEIVED, ISSUED)
SLICE_SECONDS: Final = 20.0
"""After which a run of the server goes on with the next taxpayer."""
LEASE_SECONDS: Final = 30.0
MAX_DAYS: Final = 6 * 366
EXPIRES_SOON: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class SyncService:
    """Synchronizations of the taxpayers of accounts.

    Attributes:
        fiscal: Fiscal time, whose day is today.
        kinds: Kinds of documents whose services are configured: `cfdi`, `retenciones`.
    """

    repository: SyncRepository
    requests: RequestWork
    efirmas: EfirmaVault
    audit: Audit
    wall: Clock
    fiscal: Clock
    kinds: tuple[str, ...]

    def start(
        self, account_id: int, rfc: str, since: date, sides: Iterable[str] = SIDES, kinds: Iterable[str] | None = None
    ) -> list[SyncReport]:
        """Start the synchronization of a taxpayer, or continue it.

        An earlier day adds the days before. Periods that were given up are asked for again.

        Args:
            since: First issue date.
            sides: `received` and `issued`.
            kinds: `cfdi` and `retenciones`; None for all that are configured.

        Raises:
            ServiceError: "TB4006" without addresses of the SAT, "efirma-unknown" without an e.firma of the RFC,
                "TB4005" for another value.
        """
        if not self.kinds:
            raise ServiceError("TB4006", "No están configuradas las direcciones de la descarga masiva del SAT.")
        rfc, begin = rfc.upper(), datetime.combine(since, datetime.min.time())
        wanted, chosen = tuple(self.kinds if kinds is None else kinds), tuple(sides)
        if not is_rfc(rfc) or not wanted or not chosen or {*wanted} - {*self.kinds} or {*chosen} - {*SIDES}:
            raise ServiceError("TB4005", f"RFC, lado ({', '.join(SIDES)}) o tipo ({', '.join(self.kinds)}).")
        self.efirmas.get(account_id, rfc)
        known = {(sync.kind, sync.is_issued): sync for sync in self.repository.syncs(account_id, rfc)}
        with self.repository.write() as connection:
            for kind in wanted:
                for side in chosen:
                    key: Values = {"account_id": account_id, "rfc": rfc, "kind": kind, "is_issued": side == ISSUED}
                    self.repository.start(connection, {**key, "since": begin, "created_at": self.wall.now()})
                    sync = known.get((kind, side == ISSUED))
                    if sync is None:
                        continue
                    self._ask_again(connection, sync)
                    if begin < sync.since:
                        for period in months(begin, sync.since - SECOND) if sync.planned_until else ():
                            self.requests.ask(connection, sync, period, {}, is_metadata=True)
                        self.repository.change_side(connection, sync.id, {"since": begin})
            body = {"since": since.isoformat(), "sides": list(chosen), "kinds": list(wanted)}
            self.audit.record(connection, "received.started", account_id, rfc, body)
        return self.reports(account_id, rfc)

    def resume(self, account_id: int, rfc: str) -> list[SyncReport]:
        """Continue the synchronization of a taxpayer; periods that were given up are asked for again.

        Raises:
            ServiceError: "TB4041" when there is none.
        """
        self._change(account_id, rfc, SyncState.ACTIVE, "received.started")
        return self.reports(account_id, rfc.upper())

    def stop(self, account_id: int, rfc: str) -> list[SyncReport]:
        """Stop the synchronization of a taxpayer; requests that wait at the SAT are continued by the next start.

        Raises:
            ServiceError: "TB4041" when there is none.
        """
        self._change(account_id, rfc, SyncState.STOPPED, "received.stopped")
        return self.reports(account_id, rfc.upper())

    def _change(self, account_id: int, rfc: str, state: SyncState, event: str) -> None:
        values: Values = {"state": state, "reason": "", "resume_at": None}
        syncs = self.repository.syncs(account_id, rfc.upper())
        with self.repository.write() as connection:
            if not self.repository.change_sync(connection, account_id, rfc.upper(), values):
                raise _unknown(rfc)
            for sync in syncs if state is SyncState.ACTIVE else ():
                self._ask_again(connection, sync)
            self.audit.record(connection, event, account_id, rfc.upper())

    def _ask_again(self, connection: Connection, sync: TaxpayerSync) -> None:
        for failed in self.repository.in_state([sync.id], BulkRequestState.FAILED):
            self.requests.ask_again(connection, sync, failed)

    def reports(self, account_id: int | None = None, rfc: str | None = None) -> list[SyncReport]:
        """Return the synchronizations with their numbers."""
        return self.repository.reports(account_id, rfc)

    def reports_of(self, account_id: int, rfc: str) -> list[SyncReport]:
        """Return the sides of a taxpayer. ServiceError: "TB4041" when nothing of it is downloaded."""
        found = self.reports(account_id, rfc.upper())
        if not found:
            raise _unknown(rfc)
        return found

    def problems(self) -> list[str]:
        """Return what an operator must see to, in Spanish: blocked taxpayers, given up periods, e.firma that expire."""
        found: list[str] = []
        syncs = self.repository.syncs() if self.kinds else []
        failed = self.repository.in_state([sync.id for sync in syncs], BulkRequestState.FAILED)
        for sync in syncs:
            name = f"Descarga de {sync.rfc} (cuenta {sync.account_id})"
            messages = [request.message for request in failed if request.sync_id == sync.id]
            if sync.state == SyncState.BLOCKED:
                found.append(f"{name}: detenida. {sync.reason}")
            elif messages:
                found.append(f"{name}: {len(messages)} periodos sin descargar. {messages[-1]}")
        for account_id, rfc in {(sync.account_id, sync.rfc) for sync in syncs}:
            stored = [each for each in self.efirmas.list_for(account_id) if each.rfc == rfc]
            found += [
                f"La e.firma de {rfc} (cuenta {account_id}) vence el {each.valid_to:%Y-%m-%d}."
                for each in stored
                if each.valid_to - self.wall.now() < EXPIRES_SOON
            ]
        return list(dict.fromkeys(found))

    def requests_page(
        self, account_id: int, rfc: str, limit: int, before: int | None = None
    ) -> tuple[list[RequestReport], int | None]:
        """Return the newest requests of a taxpayer, and the number before which the next page is.

        Args:
            before: Number of the last request of the previous page; None for the first page.
        """
        found = self.repository.newest(account_id, rfc.upper(), limit + 1, before)
        requests = found[:limit]
        packages: dict[int, list[BulkPackage]] = defaultdict(list)
        for package in self.repository.packages_of([request.id for request in requests]):
            packages[package.request].append(package)
        reports = [RequestReport(request, tuple(packages[request.id])) for request in requests]
        return reports, requests[-1].id if len(found) > limit else None

    def first_day(self, days: int) -> date:
        """Return the first of the last days before today. ValueError for a number that is not possible."""
        if not 0 < days <= MAX_DAYS:
            raise ValueError(days)
        return self.fiscal.now().astimezone(CENTRAL_MEXICO).date() - timedelta(days=days)


class TaxpayerLease:
    """The right of one process to work for a taxpayer, renewed by a thread; a context manager.

    Attributes:
        is_held: Whether this process has the right.
    """

    def __init__(self, leases: Leases, rfc: str, seconds: float = LEASE_SECONDS) -> None:
        self._leases = leases
        self._name = f"received:{rfc}"
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex}"
        self._seconds = seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True, name=self._name)
        self.is_held = False

    def __enter__(self) -> TaxpayerLease:
        self.is_held = self._leases.try_acquire(self._name, self._holder, self._seconds)
        if self.is_held:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread.ident is not None:
            self._ended.set()
            self._thread.join()
            self._leases.release(self._name, self._holder)
        self.is_held = False

    def _renew(self) -> None:
        while not self._ended.wait(self._seconds / 3):
            try:
                self.is_held = self._leases.try_acquire(self._name, self._holder, self._seconds)
            except ServiceError as error:
                log.warning("lease not renewed", name=self._name, code=error.code)
                self.is_held = False
            if not self.is_held:
                return


@dataclass(frozen=True, slots=True)
class SyncRunner:
    """Runs synchronizations, each taxpayer in one process of all nodes.

    Attributes:
        synchronizer: Returns the `Synchronizer` of this process.
        lease_seconds: After which another process continues for one that was killed.
    """

    repository: SyncRepository
    synchronizer: Callable[[], Synchronizer]
    leases: Leases
    wall: Clock
    lease_seconds: float = LEASE_SECONDS

    def run_all(self) -> None:
        """Do what is due for all taxpayers, for a periodic job."""
        for account_id, rfc in self._taxpayers(self.repository.syncs()):
            self.run(account_id, rfc, _is_after(time.monotonic() + SLICE_SECONDS))

    def run(self, account_id: int, rfc: str, is_stopped: Callable[[], bool] = lambda: False) -> datetime | None:
        """Do what is due for a taxpayer; return when something is due again.

        Another process that has the taxpayer is not waited for.
        """
        with TaxpayerLease(self.leases, rfc, self.lease_seconds) as lease:
            if not lease.is_held:
                return self.wall.now() + timedelta(seconds=self.lease_seconds / 3)
            return self.synchronizer().run(account_id, rfc, lambda: not lease.is_held or is_stopped())

    @staticmethod
    def _taxpayers(syncs: Sequence[TaxpayerSync]) -> list[tuple[int, str]]:
        return list(dict.fromkeys((sync.account_id, sync.rfc) for sync in syncs if sync.state != SyncState.STOPPED))


def _is_after(end: float) -> Callable[[], bool]:
    return lambda: time.monotonic() > end


def _unknown(rfc: str) -> ServiceError:
    return ServiceError("TB4041", f"No hay una sincronización de {rfc.upper()}.")
