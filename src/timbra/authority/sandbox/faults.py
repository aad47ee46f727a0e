"""Faults on demand: what a client must survive, switched on from outside.

| fault | whoever takes it | does |
|---|---|---|
| `latency` | the HTTP edge | waits before it serves the request |
| `authority-down` | the ledger | the authority does not answer |
| `answer-lost` | the HTTP edge | closes the connection after the commit, without an answer |
| `list-late` | the registry | a night's lists are not published; what is new waits for the next ones |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import Connection, delete, select, update

from timbra.errors import ServiceError
from timbra.store.database import Database
from timbra.store.tables.sandbox import SANDBOX_FAULT

AREA = "faults"
FaultName = Literal["latency", "authority-down", "answer-lost", "list-late"]
FAULTS: tuple[FaultName, ...] = get_args(FaultName)
DEFAULT_SECONDS = 3.0
MOST_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that is switched on. remaining: requests it still meets, None for all; seconds: of `latency`."""

    name: FaultName
    remaining: int | None = None
    seconds: float = 0.0


class Faults:
    """The faults of this database, seen by every worker within a second; counted across all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen = -1
        self._active: Mapping[FaultName, Fault] = {}

    def active(self) -> list[Fault]:
        """What is switched on, by name."""
        return [self._current()[name] for name in sorted(self._current())]

    def set(self, name: str, times: int | None = None, seconds: float | None = None) -> Fault:
        """Switches a fault on, for `times` requests or until it is cleared; replaces an earlier order.

        seconds: only for `latency`. ServiceError("fault-invalid") for an unknown name or a number out of range.
        """
        fault = _checked(name, times, seconds)
        row = {"remaining": times, "milliseconds": round(fault.seconds * 1000)}
        statement = self._database.insert(SANDBOX_FAULT).values(name=fault.name, **row)
        with self._database.write() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=[SANDBOX_FAULT.c.name], set_=row))
            self._database.bump(connection, AREA)
        return fault

    def clear(self, name: str | None = None) -> None:
        """Switches one fault off, or all of them. ServiceError("fault-invalid") for an unknown name."""
        statement = delete(SANDBOX_FAULT)
        if name is not None:
            statement = statement.where(SANDBOX_FAULT.c.name == _known(name))
        with self._database.write() as connection:
            connection.execute(statement)
            self._database.bump(connection, AREA)

    def take(self, name: FaultName, connection: Connection | None = None) -> Fault | None:
        """The fault, if this request meets it; counts it down. No I/O unless a counted fault is on.

        connection: a write transaction of the caller's, which the count then belongs to.
        """
        fault = self._current().get(name)
        if fault is None or fault.remaining is None:
            return fault
        if connection is not None:
            return self._count_down(connection, fault)
        with self._database.write() as own:
            return self._count_down(own, fault)

    def _count_down(self, connection: Connection, fault: Fault) -> Fault | None:
        row = SANDBOX_FAULT.c.name == fault.name
        counted = (
            update(SANDBOX_FAULT)
            .where(row, SANDBOX_FAULT.c.remaining > 0)
            .values(remaining=SANDBOX_FAULT.c.remaining - 1)
            .returning(SANDBOX_FAULT.c.remaining)
        )
        left = connection.execute(counted).scalar_one_or_none()
        connection.execute(delete(SANDBOX_FAULT).where(row, SANDBOX_FAULT.c.remaining <= 0))
        self._database.bump(connection, AREA)
        return None if left is None else Fault(fault.name, left, fault.seconds)

    def _current(self) -> Mapping[FaultName, Fault]:
        revision = self._database.revision(AREA)
        if revision != self._seen:
            with self._database.read() as connection:
                rows = connection.execute(select(SANDBOX_FAULT)).all()
            self._active = {row.name: Fault(row.name, row.remaining, (row.milliseconds or 0) / 1000) for row in rows}
            self._seen = revision
        return self._active


def _known(name: str) -> FaultName:
    if name not in FAULTS:
        raise ServiceError("fault-invalid", f"Las fallas son: {', '.join(FAULTS)}.")
    return name


def _checked(name: str, times: int | None, seconds: float | None) -> Fault:
    known = _known(name)
    if times is not None and times < 1:
        raise ServiceError("fault-invalid", "El número de peticiones debe ser al menos 1.")
    if known != "latency":
        if seconds is not None:
            raise ServiceError("fault-invalid", "Solo la falla latency lleva segundos.")
        return Fault(known, times)
    wait = DEFAULT_SECONDS if seconds is None else seconds
    if not 0 < wait <= MOST_SECONDS:
        raise ServiceError("fault-invalid", f"La espera va de 0 a {MOST_SECONDS:.0f} segundos.")
    return Fault(known, times, wait)
