"""Fault injection: failures that a client must handle, activated on demand.

| fault | applied by | effect |
|---|---|---|
| `latency` | the HTTP edge | waits before it serves the request |
| `unavailable` | the HTTP edge | answers 503 with Retry-After |
| `too-many-requests` | the HTTP edge | answers 429 with Retry-After |
| `token-expired` | the HTTP edge | ends the session of the token before its time |
| `lco-changed` | the HTTP edge | the LCO does not have the certificate of the issuer for this request |
| `authority-down` | the ledger | the authority does not respond |
| `answer-lost` | the HTTP edge | closes the connection after the commit, without a response |
| `delivery-late` | the ledger | a cancellation so soon after the stamp is answered with 205 |
| `list-late` | the registry | the lists of a night are not published; new rows wait for the next ones |
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from timbra.core.clock import WallClock
from timbra.core.errors import ServiceError
from timbra.events.audit.audit import Audit
from timbra.sandbox.fault_selection import (
    EVERY_REQUEST,
    FaultCall,
    FaultDecisions,
    FaultSelection,
    checked_selection,
)
from timbra.sandbox.store.models import FaultRow
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction

AREA = "faults"
FaultName = Literal[
    "latency",
    "unavailable",
    "too-many-requests",
    "token-expired",
    "lco-changed",
    "authority-down",
    "answer-lost",
    "delivery-late",
    "list-late",
]
FAULTS: tuple[FaultName, ...] = get_args(FaultName)
TIMED_FAULTS: frozenset[FaultName] = frozenset({"latency", "unavailable", "too-many-requests", "delivery-late"})
"""Faults that have seconds: a delay, the value of Retry-After, or the age of a stamp."""
REQUEST_FAULTS: frozenset[FaultName] = frozenset(
    {"latency", "unavailable", "too-many-requests", "token-expired", "lco-changed", "answer-lost"}
)
"""Faults of requests, which may be limited to a route or an account."""
DEFAULT_SECONDS = 3.0
MAX_SECONDS = 600.0
NO_CALL = FaultCall()
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Fault:
    """An active fault.

    Attributes:
        name: The fault.
        remaining: Requests that it still affects; None for all.
        seconds: See `TIMED_FAULTS`; 0 for the other faults.
        selection: The requests that it affects.
    """

    name: FaultName
    remaining: int | None = None
    seconds: float = 0.0
    selection: FaultSelection = EVERY_REQUEST


class Faults:
    """The faults of this database; every worker of the node sees a change at once, and all count down together."""

    def __init__(self, store: SandboxStore, audit: Audit | None = None, standing: Iterable[Fault] = ()) -> None:
        """Use a store. `standing`: Faults of the settings: active while no fault of the same name is set."""
        self._store = store
        self._audit = audit or Audit(WallClock(), WallClock())
        self._cache_version = -1
        self._standing = {fault.name: fault for fault in standing}
        self._active: Mapping[FaultName, Fault] = {}
        self._decisions = FaultDecisions()

    def active(self) -> list[Fault]:
        """Return the active faults, by name."""
        current = self.current()
        return [current[name] for name in sorted(current)]

    def set(
        self,
        name: str,
        times: int | None = None,
        seconds: float | None = None,
        selection: FaultSelection = EVERY_REQUEST,
    ) -> Fault:
        """Activate a fault, or replace the active fault of that name.

        Args:
            times: Requests that it affects, at least 1; None until it is cleared.
            seconds: See `TIMED_FAULTS`, at most 600; None for 3 seconds, and for the other faults.
            selection: The requests that it affects.

        Raises:
            ServiceError: "fault-invalid" for an unknown name or a number out of range.
        """
        fault = make_fault(name, times, seconds, selection)
        with self._store.write() as transaction:
            transaction.faults.put(_row(fault))
            after: dict[str, object] = {"times": times, "seconds": fault.seconds}
            if selection != EVERY_REQUEST:
                after["selection"] = asdict(selection)
            transaction.record(self._audit, "fault.set", fault.name, after=after)
            transaction.mark_changed(AREA)
        return fault

    def clear(self, name: str | None = None) -> None:
        """Clear one fault, or all of them. Raises ServiceError: "fault-invalid" for an unknown name."""
        validated = None if name is None else _validate_name(name)
        with self._store.write() as transaction:
            transaction.faults.delete(validated)
            transaction.record(self._audit, "fault.cleared", validated or "")
            transaction.mark_changed(AREA)

    @property
    def standing(self) -> Collection[Fault]:
        """The faults of the settings, which cannot be cleared."""
        return self._standing.values()

    @property
    def known(self) -> Mapping[FaultName, Fault] | None:
        """The active faults without I/O; None when `current` has to read them."""
        return self._active if self._store.is_current(AREA, self._cache_version) else None

    def current(self) -> Mapping[FaultName, Fault]:
        """Return the active faults; no I/O while they are the same."""
        cache_version = self._store.cache_version(AREA)
        if cache_version != self._cache_version:
            with self._store.read() as transaction:
                rows = transaction.faults.list_all()
            self._active = {**self._standing, **{fault.name: fault for fault in map(_fault, rows)}}
            self._cache_version = cache_version
        return self._active

    def take(
        self, name: FaultName, transaction: SandboxTransaction | None = None, call: FaultCall = NO_CALL
    ) -> Fault | None:
        """Return the fault if it affects this request, and count it down. No I/O unless a counted fault is active.

        Args:
            transaction: A write transaction of the caller, in which the fault is counted down; a new one when None.
        """
        fault = self.choose(self.current(), name, call)
        return fault if fault is None else self.count(fault, transaction)

    def choose(self, active: Mapping[FaultName, Fault], name: FaultName, call: FaultCall = NO_CALL) -> Fault | None:
        """Return the active fault if it affects this request, without counting it down."""
        fault = active.get(name)
        if fault is None or not self._decisions.affects(name, fault.selection, call):
            return None
        return fault

    def count(self, fault: Fault, transaction: SandboxTransaction | None = None) -> Fault | None:
        """Count a chosen fault down; None when another request took the last one. No I/O without a count.

        Args:
            transaction: As for `take`.
        """
        if fault.remaining is None:
            return fault
        if transaction is not None:
            return self._count_down(transaction, fault)
        with self._store.write() as own:
            return self._count_down(own, fault)

    def _count_down(self, transaction: SandboxTransaction, fault: Fault) -> Fault | None:
        remaining = transaction.faults.count_down(fault.name)
        transaction.mark_changed(AREA)
        return None if remaining is None else replace(fault, remaining=remaining)


def _validate_name(name: str) -> FaultName:
    if name not in FAULTS:
        raise ServiceError("fault-invalid", f"Las fallas son: {', '.join(FAULTS)}.")
    return name


def make_fault(
    name: str, times: int | None = None, seconds: float | None = None, selection: FaultSelection = EVERY_REQUEST
) -> Fault:
    """Return a fault whose values are valid; see `Faults.set`."""
    valid = _validate_name(name)
    if times is not None and times < 1:
        raise ServiceError("fault-invalid", "El número de peticiones debe ser al menos 1.")
    checked_selection(selection)
    if selection.is_limited and valid not in REQUEST_FAULTS:
        raise ServiceError("fault-invalid", f"Solo se limitan a ruta o cuenta: {', '.join(sorted(REQUEST_FAULTS))}.")
    if valid not in TIMED_FAULTS:
        if seconds is not None:
            raise ServiceError("fault-invalid", f"Solo llevan segundos: {', '.join(sorted(TIMED_FAULTS))}.")
        return Fault(valid, times, 0.0, selection)
    wait = DEFAULT_SECONDS if seconds is None else seconds
    if not 0 < wait <= MAX_SECONDS:
        raise ServiceError("fault-invalid", f"La espera va de 0 a {MAX_SECONDS:.0f} segundos.")
    return Fault(valid, times, wait, selection)


def _row(fault: Fault) -> FaultRow:
    chosen = fault.selection
    return FaultRow(
        name=fault.name,
        remaining=fault.remaining,
        milliseconds=round(fault.seconds * 1000),
        per_million=round(chosen.probability * MILLION),
        seed=chosen.seed,
        route=chosen.route,
        account=chosen.account,
    )


def _fault(row: FaultRow) -> Fault:
    selection = FaultSelection(row.per_million / MILLION, row.seed, row.route, row.account)
    return Fault(_validate_name(row.name), row.remaining, (row.milliseconds or 0) / 1000, selection)
