"""The repository of batches. A worker that processes one holds its lease and proves it with each write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, case, delete, func, insert, literal, select, update

from timbra.batches.store.models import (
    CANCELLED,
    DONE,
    EXPIRED,
    FAILED,
    INPUT,
    QUEUED,
    REJECTED,
    REPEATED,
    RUNNING,
    STAMPED,
    Batch,
    BatchItem,
)
from timbra.batches.store.tables import BATCH, BATCH_CHUNK, BATCH_ITEM
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.tables.stamps import STAMP
from timbra.events.event_log import Event, append_event

LEASE = timedelta(minutes=2)
"""Longer than a group of documents; after a kill the next worker goes on when it ends."""
B, ITEM, C = BATCH.c, BATCH_ITEM.c, BATCH_CHUNK.c
NAMES = tuple(field.name for field in fields(Batch))
_ITEM_COLUMNS = tuple(ITEM[field.name] for field in fields(BatchItem))


class LeaseLostError(Exception):
    """Another worker has the batch, because this one was too slow, or the batch was deleted."""


class BatchRepository:
    """Rows of `batch`, `batch_item` and `batch_chunk`."""

    def __init__(self, database: Database, wall: Clock) -> None:
        self._database = database
        self._wall = wall

    def add(self, batch: Batch, pieces: Iterable[bytes], max_queued: int) -> Batch:
        """Insert a batch with its archive; return the batch of the same archive that is not finished, if there is one.

        Args:
            pieces: The bytes of its archive.
            max_queued: Limit of the account's batches that are not finished.

        Raises:
            ServiceError: "TB4030" beyond the limit.
        """
        with self._database.write() as connection:
            open_ones = and_(B.account_id == batch.account_id, B.state.in_((QUEUED, RUNNING)))
            waiting = [_read(row) for row in connection.execute(select(BATCH).where(open_ones))]
            same = (batch.digest, batch.operation, batch.pdf, batch.pdf_template)
            for earlier in waiting:
                if (earlier.digest, earlier.operation, earlier.pdf, earlier.pdf_template) == same:
                    return earlier
            if len(waiting) >= max_queued:
                raise ServiceError("TB4030", f"La cuenta ya tiene {max_queued} lotes en espera o en proceso.")
            connection.execute(insert(BATCH).values({name: getattr(batch, name) for name in NAMES}))
            _write_chunks(connection, batch.id, INPUT, pieces)
        return batch

    def find(self, batch_id: str, account_id: int | None = None) -> Batch:
        """Return a batch of an account, or of any account for None.

        Raises:
            ServiceError: "TB4041" when there is no such batch.
        """
        query = select(BATCH).where(B.id == batch_id)
        if account_id is not None:
            query = query.where(B.account_id == account_id)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise ServiceError("TB4041", "La cuenta no tiene ese lote.")
        return _read(row)

    def list_of(self, account_id: int, limit: int) -> list[Batch]:
        """Return the newest batches of an account."""
        query = select(BATCH).where(B.account_id == account_id).order_by(B.created_at.desc(), B.id).limit(limit)
        with self._database.read() as connection:
            return [_read(row) for row in connection.execute(query)]

    def cancel(self, batch_id: str, account_id: int) -> Batch:
        """Cancel a batch that is still queued; its archive is deleted.

        Raises:
            ServiceError: "TB4041" for an unknown batch, "TB4031" for one that is not queued any more.
        """
        this = (B.id == batch_id, B.account_id == account_id, B.state == QUEUED)
        values = {"state": CANCELLED, "due_at": None, "finished_at": self._wall.now()}
        with self._database.write() as connection:
            cancelled = connection.execute(update(BATCH).where(*this).values(values)).rowcount
            if cancelled:
                connection.execute(delete(BATCH_CHUNK).where(C.batch_id == batch_id))
        found = self.find(batch_id, account_id)
        if not cancelled:
            raise ServiceError("TB4031", f"El lote está en el estado {found.state}.")
        return found

    def lease(self) -> Batch | None:
        """Lease the batch that is due longest; None when none is. One read while none is due."""
        now = self._wall.now()
        due = select(B.id).where(B.due_at <= now, B.state.in_((QUEUED, RUNNING))).order_by(B.due_at, B.id).limit(1)
        with self._database.read() as connection:
            if connection.execute(due).first() is None:
                return None
        values = {
            "state": RUNNING,
            "due_at": now + LEASE,
            "attempts": B.attempts + 1,
            "started_at": func.coalesce(B.started_at, _instant(now)),
        }
        # A CTE runs once; a subquery may lock further rows.
        chosen = due.with_for_update(skip_locked=True).cte("chosen")
        statement = update(BATCH).where(B.id.in_(select(chosen.c.id))).values(values)
        with self._database.write() as connection:
            row = connection.execute(statement.returning(*BATCH.c)).first()
        return None if row is None else _read(row)

    def save_items(self, batch: Batch, items: Sequence[BatchItem]) -> None:
        """Store outcomes, count them, and renew the lease, in one transaction.

        Raises:
            LeaseLostError: Another worker has the batch; nothing is written.
        """
        with self._database.write() as connection:
            self._hold(connection, batch, {"due_at": self._wall.now() + LEASE})
            statement = self._database.insert(BATCH_ITEM).on_conflict_do_nothing()
            if items:
                connection.execute(statement, [{"batch_id": batch.id, **_values(item)} for item in items])
            self._count(connection, batch.id)

    def give_back(self, batch: Batch, at: datetime) -> None:
        """End the lease without a result; the batch is due at a wall instant, and the attempt does not count."""
        with self._database.write() as connection:
            self._hold(connection, batch, {"due_at": at, "attempts": B.attempts - 1})

    def finish(self, batch: Batch, expires_at: datetime, failure: str, event: Event) -> None:
        """End a batch, delete its input and append its event, in one transaction.

        Args:
            batch: The leased batch.
            expires_at: End of the results.
            failure: Why the batch failed; empty for a batch that is done.
            event: For the event log.
        """
        values = {
            "state": FAILED if failure else DONE,
            "failure": failure,
            "finished_at": self._wall.now(),
            "expires_at": expires_at,
            "due_at": None,
        }
        with self._database.write() as connection:
            self._hold(connection, batch, values)
            connection.execute(delete(BATCH_CHUNK).where(C.batch_id == batch.id, C.kind == INPUT))
            append_event(connection, event)

    def expire(self) -> int:
        """Delete the results whose time has ended; the batches stay, as expired ones. Return how many."""
        now = self._wall.now()
        with self._database.write() as connection:
            old = update(BATCH).where(B.expires_at <= now, B.state.in_((DONE, FAILED))).values(state=EXPIRED)
            ended = list(connection.execute(old.returning(B.id)).scalars())
            for column in (C.batch_id, ITEM.batch_id):
                connection.execute(delete(column.table).where(column.in_(ended)))
        return len(ended)

    def numbers(self, batch_id: str) -> set[int]:
        """Return the positions of the documents that have an outcome."""
        with self._database.read() as connection:
            return set(connection.execute(select(ITEM.number).where(ITEM.batch_id == batch_id)).scalars())

    def items(self, batch_id: str, after: int = -1, limit: int = 500) -> list[BatchItem]:
        """Return outcomes in the order of the archive, those after a position."""
        query = (
            select(*_ITEM_COLUMNS)
            .where(ITEM.batch_id == batch_id, ITEM.number > after)
            .order_by(ITEM.number)
            .limit(limit)
        )
        with self._database.read() as connection:
            return [BatchItem(*tuple(row)) for row in connection.execute(query)]

    def all_items(self, batch_id: str) -> Iterator[BatchItem]:
        """Yield the outcomes of a batch in the order of the archive, in several queries."""
        after = -1
        while found := self.items(batch_id, after):
            yield from found
            after = found[-1].number

    def request_id_of(self, uuid: str) -> str:
        """Return the identifier of the request that stamped a folio; empty for an unknown folio."""
        query = select(STAMP.c.request_id).where(STAMP.c.uuid == uuid.lower())
        with self._database.read() as connection:
            return connection.execute(query).scalar() or ""

    def chunk(self, batch_id: str, kind: str, number: int) -> bytes | None:
        """Return a piece of an archive; None after the last one."""
        this = (C.batch_id == batch_id, C.kind == kind, C.number == number)
        with self._database.read() as connection:
            return connection.execute(select(C.content).where(*this)).scalar_one_or_none()

    def replace_chunks(self, batch: Batch, kind: str, pieces: Iterable[bytes]) -> None:
        """Store an archive in place of an earlier one, a piece in each transaction, under the lease of the batch."""
        with self._database.write() as connection:
            self._hold(connection, batch, {"due_at": self._wall.now() + LEASE})
            connection.execute(delete(BATCH_CHUNK).where(C.batch_id == batch.id, C.kind == kind))
        for number, piece in enumerate(pieces):
            with self._database.write() as connection:
                self._hold(connection, batch, {"due_at": self._wall.now() + LEASE})
                _write_chunks(connection, batch.id, kind, [piece], number)

    def _hold(self, connection: Connection, batch: Batch, values: Mapping[str, object]) -> None:
        this = (B.id == batch.id, B.state == RUNNING, B.attempts == batch.attempts)
        if not connection.execute(update(BATCH).where(*this).values(dict(values))).rowcount:
            raise LeaseLostError

    def _count(self, connection: Connection, batch_id: str) -> None:
        results = (STAMPED, REPEATED, REJECTED)
        counts = [func.coalesce(func.sum(case((ITEM.result == result, 1), else_=0)), 0) for result in results]
        stamped, repeated, rejected = connection.execute(select(*counts).where(ITEM.batch_id == batch_id)).one()
        counted = {"stamped": int(stamped), "repeated": int(repeated), "rejected": int(rejected)}
        connection.execute(update(BATCH).where(B.id == batch_id).values(counted))


def _instant(instant: datetime) -> ColumnElement[datetime]:
    """Return an instant as a parameter of the type of the column."""
    return literal(instant, B.started_at.type)


def _write_chunks(connection: Connection, batch_id: str, kind: str, pieces: Iterable[bytes], first: int = 0) -> None:
    for number, piece in enumerate(pieces, first):
        row = {"batch_id": batch_id, "kind": kind, "number": number, "content": piece}
        connection.execute(insert(BATCH_CHUNK).values(row))


def _values(item: BatchItem) -> dict[str, object]:
    return {column.name: getattr(item, column.name) for column in _ITEM_COLUMNS}


def _read(row: Row[Any]) -> Batch:
    return Batch(**row._mapping)
