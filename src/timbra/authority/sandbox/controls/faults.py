"""Fault injection: failures that a client must handle, activated on demand.

| fault | applied by | effect |
|---|---|---|
| `latency` | the HTTP edge | waits before it serves the request |
| `authority-down` | the ledger | the authority does not respond |
| `answer-lost` | the HTTP edge | closes the connection after the commit, without a response |
| `list-late` | the registry | the lists of a night are not published; new rows wait for the next ones |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from timbra.clock import WallClock
from timbra.errors import ServiceError
from timbra.store.audit.audit import Audit
from timbra.store.sandbox.models import FaultRow
from timbra.store.sandbox.transactions import SandboxStore, SandboxTransaction

AREA = "faults"
FaultName = Literal["latency", "authority-down", "answer-lost", "list-late"]
FAULTS: tuple[FaultName, ...] = get_args(FaultName)
DEFAULT_SECONDS = 3.0
MAX_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Fault:
    """An active fault.

    Attributes:
        name: The fault.
        remaining: Requests that it still affects; None for all.
        seconds: The delay of `latency`.
    """

    name: FaultName
    remaining: int | None = None
    seconds: float = 0.0


class Faults:
    """The faults of this database; every worker of the node sees a change at once, and all count down together."""

    def __init__(self, store: SandboxStore, audit: Audit | None = None) -> None:
        self._store = store
        self._audit = audit or Audit(WallClock(), WallClock())
        self._cache_version = -1
        self._active: Mapping[FaultName, Fault] = {}

    def active(self) -> list[Fault]:
        """Return the active faults, by name."""
        return [self._current()[name] for name in sorted(self._current())]

    def set(self, name: str, times: int | None = None, seconds: float | None = None) -> Fault:
        """Activate a fault, or replace the active fault of that name.

        Args:
            name: The fault.
            times: Requests that it affects, at least 1; None until it is cleared.
            seconds: The delay of `latency`, at most 600; None for 3 seconds, and for the other faults.

        Raises:
            ServiceError: "fault-invalid" for an unknown name or a number out of range.
        """
        fault = _validate(name, times, seconds)
        with self._store.write() as transaction:
            transaction.faults.put(FaultRow(fault.name, times, round(fault.seconds * 1000)))
            after = {"times": times, "seconds": fault.seconds}
            transaction.record(self._audit, "fault.set", fault.name, after=after)
            transaction.mark_changed(AREA)
        return fault

    def clear(self, name: str | None = None) -> None:
        """Clear one fault, or all of them.

        Raises:
            ServiceError: "fault-invalid" for an unknown name.
        """
        validated = None if name is None else _validate_name(name)
        with self._store.write() as transaction:
            transaction.faults.delete(validated)
            transaction.record(self._audit, "fault.cleared", validated or "")
            transaction.mark_changed(AREA)

    def take(self, name: FaultName, transaction: SandboxTransaction | None = None) -> Fault | None:
        """Return the fault if it affects this request, and count it down. No I/O unless a counted fault is active.

        Args:
            name: The fault.
            transaction: A write transaction of the caller, in which the fault is counted down; a new one when None.
        """
        fault = self._current().get(name)
        if fault is None or fault.remaining is None:
            return fault
        if transaction is not None:
            return self._count_down(transaction, fault)
        with self._store.write() as own:
            return self._count_down(own, fault)

    def _count_down(self, transaction: SandboxTransaction, fault: Fault) -> Fault | None:
        remaining = transaction.faults.count_down(fault.name)
        transaction.mark_changed(AREA)
        return None if remaining is None else Fault(fault.name, remaining, fault.seconds)

    def _current(self) -> Mapping[FaultName, Fault]:
        cache_version = self._store.cache_version(AREA)
        if cache_version != self._cache_version:
            with self._store.read() as transaction:
                rows = transaction.faults.list_all()
            faults = (Fault(_validate_name(row.name), row.remaining, (row.milliseconds or 0) / 1000) for row in rows)
            self._active = {fault.name: fault for fault in faults}
            self._cache_version = cache_version
        return self._active


def _validate_name(name: str) -> FaultName:
    if name not in FAULTS:
        raise ServiceError("fault-invalid", f"Las fallas son: {', '.join(FAULTS)}.")
    return name


def _validate(name: str, times: int | None, seconds: float | None) -> Fault:
    valid = _validate_name(name)
    if times is not None and times < 1:
        raise ServiceError("fault-invalid", "El número de peticiones debe ser al menos 1.")
    if valid != "latency":
        if seconds is not None:
            raise ServiceError("fault-invalid", "Solo la falla latency lleva segundos.")
        return Fault(valid, times)
    wait = DEFAULT_SECONDS if seconds is None else seconds
    if not 0 < wait <= MAX_SECONDS:
        raise ServiceError("fault-invalid", f"La espera va de 0 a {MAX_SECONDS:.0f} segundos.")
    return Fault(valid, times, wait)
