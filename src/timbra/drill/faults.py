"""The faults of a drill. Each is taken away for the time of a block, and comes back at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from timbra.core.errors import ServiceError
from timbra.drill.fault_names import FaultName
from timbra.drill.rehearsal import Rehearsal
from timbra.drill.stepped_clock import step
from timbra.testing.services.processes import wait_for

DAY_SECONDS = 86_400
START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class DrillFault:
    """A fault.

    Attributes:
        title: For the report, in Spanish.
        away: Takes it away during the block; yields what was done, in Spanish.
    """

    name: FaultName
    title: str
    away: Callable[[Rehearsal], AbstractContextManager[str]]


@contextmanager
def _authority_away(rehearsal: Rehearsal) -> Iterator[str]:
    rehearsal.emulator.kill()
    try:
        yield "SIGKILL al emulador del SAT"
    finally:
        rehearsal.emulator.start()


@contextmanager
def _device_away(rehearsal: Rehearsal) -> Iterator[str]:
    if rehearsal.device is None:
        raise ServiceError("CO1000", "El ensayo no tiene dispositivo.")
    with rehearsal.device.away():
        yield "token de SoftHSM desconectado"


@contextmanager
def _database_away(rehearsal: Rehearsal) -> Iterator[str]:
    if rehearsal.database is None:
        raise ServiceError("CO1000", "El ensayo no tiene un PostgreSQL propio.")
    count = rehearsal.database.kill()
    try:
        yield f"SIGKILL a los {count} procesos de PostgreSQL"
    finally:
        rehearsal.database.start()


@contextmanager
def _node_away(rehearsal: Rehearsal) -> Iterator[str]:
    node = rehearsal.nodes[-1]
    node.kill()
    try:
        yield f"SIGKILL a todos los procesos del nodo {node.name}"
    finally:
        node.run()


@contextmanager
def _disk_full(rehearsal: Rehearsal) -> Iterator[str]:
    if rehearsal.disk is None or rehearsal.database is None:
        raise ServiceError("CO1000", "El ensayo no tiene un disco que llenar.")
    taken, database = rehearsal.disk.fill(), rehearsal.database
    try:
        yield f"disco de PostgreSQL lleno ({taken // (1024 * 1024)} MiB)"
    finally:
        rehearsal.disk.free()
        # PostgreSQL ends when it cannot write its log; as any server it is then started again.
        wait_for(database.ends_or_answers, START_SECONDS, "PostgreSQL ends or answers")
        if not database.is_running:
            database.start()


@contextmanager
def _clock_ahead(rehearsal: Rehearsal) -> Iterator[str]:
    node = rehearsal.nodes[-1]
    step(node.wall, DAY_SECONDS)
    try:
        yield f"reloj del nodo {node.name} adelantado un día"
    finally:
        step(node.wall, 0)


FAULTS: Mapping[FaultName, DrillFault] = {
    fault.name: fault
    for fault in (
        DrillFault(FaultName.AUTHORITY, "El SAT no responde", _authority_away),
        DrillFault(FaultName.DEVICE, "El dispositivo de firma no responde", _device_away),
        DrillFault(FaultName.DATABASE, "La base de datos se cae", _database_away),
        DrillFault(FaultName.NODE, "Un nodo muere", _node_away),
        DrillFault(FaultName.DISK, "El disco se llena", _disk_full),
        DrillFault(FaultName.CLOCK, "El reloj de un nodo se adelanta un día", _clock_ahead),
    )
}
