"""Deliveries: each stamp waits for its delivery or has the answer of the authority, which its acuse says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import orjson
from sqlalchemy import Connection, Row, and_, select, type_coerce, update
from sqlalchemy.types import NULLTYPE

from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.database.engines import without_statement_timeout
from timbra.database.membership import rows_in
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.database.tables.provider import RECEPTION
from timbra.database.tables.stamps import EVENT, OUTBOX, STAMP
from timbra.delivery.consumer import DELIVERIES, unread_stamps
from timbra.delivery.deliveries import STAMP as STAMP_KIND
from timbra.delivery.receptions import ANSWERED_STATES, LATE, REJECTED, WITH_INCIDENCIA
from timbra.events.dispatcher import set_apart
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, Repair, shown
from timbra.fsck.reading import Unreadable, raw, unreadable
from timbra.fsck.sums import BucketSums, buckets_for
from timbra.sat.reception import read_acuse
from timbra.sat.reception_port import ReceptionState

PLACE = RECEPTION.name
R, W, S = RECEPTION.c, OUTBOX.c, STAMP.c
BUCKETS_AT_ONCE = 64
AT_ONCE = 500
DROPPED = "delivery.dropped"
OF_STAMP = ("account_id", "issuer_rfc", "version", "stamped_at")
"""Columns of `reception` that the stamp has too."""


class Deliveries:
    """Sees the stamps, and looks for the delivery or the answer of each. Not for a sandbox, whose ledger has them."""

    def __init__(self, run: FsckRun) -> None:
        self._run = run
        buckets = buckets_for(run.total(STAMP.name))
        self._stamps, self._deliveries = BucketSums(buckets), BucketSums(buckets)

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add a stamp to the sums."""
        self._stamps.add(stamp.uuid, stamp.uuid)
        return ()

    def finish(self) -> Iterator[FsckFinding]:
        """Read outbox and answers, and compare."""
        yield from self._answers()
        with self._run.database.read() as connection, without_statement_timeout(connection):
            read_one_instant(connection)
            for uuid in self._folios(connection):
                self._deliveries.add(uuid, uuid)
        differing = self._stamps.differing(self._deliveries)
        while part := frozenset(islice(differing, BUCKETS_AT_ONCE)):
            with self._run.database.read() as connection, without_statement_timeout(connection):
                read_one_instant(connection)
                stamps = {uuid for uuid in self._stored(connection) if self._stamps.bucket_of(uuid) in part}
                known = {uuid for uuid in self._folios(connection) if self._stamps.bucket_of(uuid) in part}
                dropped = select(AUDIT_EVENT.c.subject).where(AUDIT_EVENT.c.kind == DROPPED)
                missing = stamps - known - set(connection.execute(dropped).scalars())
            for uuid in sorted(missing, key=str):
                yield FsckFinding("delivery-missing", STAMP.name, shown(uuid))
            if not self._run.bounds.pruned:
                for uuid in sorted(known - stamps, key=str):
                    yield FsckFinding("delivery-without-stamp", OUTBOX.name, shown(uuid), cure=Cure.RESTORE)

    def _stored(self, connection: Connection) -> Iterator[object]:
        for row in self._run.reader(STAMP.name).rows((S.cursor, S.uuid), (S.cursor,), within=connection):
            if not isinstance(row, Unreadable):
                yield row.uuid

    def _folios(self, connection: Connection) -> Iterator[object]:
        """Yield the folio of each stamp that waits or was answered, once."""
        yield from connection.execute(unread_stamps(connection).with_only_columns(EVENT.c.subject)).scalars()
        yield from connection.execute(select(EVENT.c.subject).where(set_apart(DELIVERIES))).scalars()
        waiting = select(W.subject).where(W.kind == STAMP_KIND)
        yield from connection.execute(waiting).scalars()
        # A rejected document waits as a dead letter too.
        answered = select(R.uuid).where(R.state != REJECTED)
        yield from connection.execute(answered).scalars()

    def _answers(self) -> Iterator[FsckFinding]:
        """Compare each answer with its stamp and its acuse."""
        reader, parser = self._run.reader(PLACE), DocumentParser()
        rows = reader.rows(tuple(R), (R.uuid,))
        while part := list(islice(rows, AT_ONCE)):
            sound = [row for row in part if not isinstance(row, Unreadable)]
            folios = [row.uuid for row in sound if isinstance(row.uuid, str)]
            query = select(*(raw(S[name], self._run.database.dialect) for name in ("uuid", *OF_STAMP)))
            with self._run.database.read() as connection:
                stamps = {row.uuid: row for row in rows_in(connection, query, S.uuid, folios)}
            for row in part:
                if isinstance(row, Unreadable):
                    yield from unreadable(row, PLACE)
                else:
                    yield from _with_stamp(row, stamps.get(row.uuid))
                    yield from _with_acuse(row, parser)


def _with_stamp(row: Row[Any], stamp: Row[Any] | None) -> Iterator[FsckFinding]:
    # The answer of a stamp that was pruned stays for a while.
    for name in OF_STAMP if stamp is not None else ():
        stored, derived = getattr(row, name), getattr(stamp, name)
        if stored != derived:
            repair = _writes(row.uuid, name, stored, derived)
            values = (shown(stored), shown(derived))
            yield FsckFinding("answer-differs", PLACE, shown(row.uuid), name, *values, Cure.REPAIR, repair)


def _with_acuse(row: Row[Any], parser: DocumentParser) -> Iterator[FsckFinding]:
    key = shown(row.uuid)
    try:
        acuse = read_acuse(parser.parse(row.acuse).root, row.uuid)
    except (ServiceError, TypeError, AttributeError) as error:
        yield FsckFinding("document-damaged", PLACE, key, "acuse", shown(str(error)), cure=Cure.RESTORE)
        return
    if row.status != acuse.status:
        repair = _writes(row.uuid, "status", row.status, acuse.status)
        yield FsckFinding("answer-differs", PLACE, key, "status", shown(row.status), acuse.status, Cure.REPAIR, repair)
    incidencias = [{"code": each.code, "message": each.message} for each in acuse.incidencias]
    if _json(row.incidencias) != incidencias:
        derived = orjson.dumps(incidencias).decode()
        yield FsckFinding("answer-differs", PLACE, key, "incidencias", shown(row.incidencias), shown(derived))
    if row.state not in _states(acuse.state):
        yield FsckFinding("answer-differs", PLACE, key, "state", shown(row.state), str(acuse.state))
    if not (isinstance(row.attempts, int) and row.attempts >= 0 and _is_ordered(row)):
        values = " ".join(map(shown, (row.attempts, row.uploaded_at, row.acknowledged_at)))
        yield FsckFinding("value-impossible", PLACE, key, stored=values)


def _is_ordered(row: Row[Any]) -> bool:
    times = (row.uploaded_at, row.acknowledged_at)
    return all(isinstance(time, int) for time in times) and times[0] <= times[1]


def _states(state: ReceptionState) -> Sequence[str]:
    """Return the states that an acuse allows; a good one can be late."""
    if state is ReceptionState.REJECTED:
        return (REJECTED,)
    return (WITH_INCIDENCIA, LATE) if state is ReceptionState.WITH_INCIDENCIA else (ANSWERED_STATES[0], LATE)


def _json(text: object) -> object:
    try:
        return orjson.loads(text) if isinstance(text, str | bytes) else None
    except orjson.JSONDecodeError:
        return None


def _writes(uuid: str, name: str, stored: object, derived: object) -> Repair:
    def repair(connection: Connection) -> bool:
        same = and_(R.uuid == uuid, type_coerce(R[name], NULLTYPE) == stored)
        change = update(RECEPTION).where(same).values({name: type_coerce(derived, NULLTYPE)})
        return bool(connection.execute(change).rowcount)

    return repair


def observers(run: FsckRun) -> Sequence[Deliveries]:
    return () if run.container.environment.is_sandbox else (Deliveries(run),)


CHECKS = (FsckCheck("deliveries", observers=observers),)
