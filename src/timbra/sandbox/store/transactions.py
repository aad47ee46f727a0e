"""Unit of work of the simulated authority: one transaction with a repository for each table, and the small ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, cast, delete, select, update
from sqlalchemy.types import BigInteger, Text

from timbra.database.database import Database
from timbra.database.engines import without_statement_timeout
from timbra.events.audit.audit import Audit
from timbra.events.event_log import Event, append_event, cancellation_events
from timbra.events.exclusive import lock_all_tables, read_one_instant
from timbra.sandbox.store.certificates import SandboxCertificateRepository
from timbra.sandbox.store.documents import DocumentRepository
from timbra.sandbox.store.models import AutoReplyRow, CancellationRequestRow, FaultRow, KeyRow, OpenRequest
from timbra.sandbox.store.reset import ResetRepository
from timbra.sandbox.store.snapshot import SnapshotRepository
from timbra.sandbox.store.tables import (
    SANDBOX_AUTO_REPLY,
    SANDBOX_DOCUMENT,
    SANDBOX_FAULT,
    SANDBOX_KEY,
    SANDBOX_REQUEST,
    SANDBOX_STATE,
)
from timbra.sandbox.store.taxpayers import TaxpayerRepository

if TYPE_CHECKING:
    from timbra.delivery.deliveries import AuthorityOutbox

SCRIPT, STATE = SANDBOX_AUTO_REPLY.c, SANDBOX_STATE.c


FAULT = SANDBOX_FAULT.c
REQUEST = SANDBOX_REQUEST.c


class CancellationRequestRepository:
    """Rows of `sandbox_request`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def list_due(self, now: datetime, uuids: Sequence[str] | None = None) -> list[CancellationRequestRow]:
        """Return the requests that are due at the fiscal instant, earliest first; those of `uuids` when given."""
        query = select(SANDBOX_REQUEST).where(REQUEST.due_at <= now).order_by(REQUEST.due_at, REQUEST.uuid)
        if uuids is not None:
            query = query.where(REQUEST.uuid.in_(uuids))
        return [CancellationRequestRow(**row._mapping) for row in self._connection.execute(query)]

    def list_of_receiver(self, rfc: str) -> list[str]:
        """Return the folios that are pending for a receiver, oldest request first."""
        query = select(REQUEST.uuid).where(REQUEST.receiver_rfc == rfc)
        return list(self._connection.execute(query.order_by(REQUEST.requested_at, REQUEST.uuid)).scalars())

    def list_open(self, limit: int) -> list[OpenRequest]:
        """Return the pending requests, oldest first, with issuer and total of their CFDI."""
        document = SANDBOX_DOCUMENT.c
        columns = (REQUEST.uuid, document.issuer_rfc, REQUEST.receiver_rfc, document.total, REQUEST.motivo)
        query = select(*columns, REQUEST.requested_at, REQUEST.due_at, REQUEST.outcome)
        query = query.join(SANDBOX_DOCUMENT, document.uuid == REQUEST.uuid)
        rows = self._connection.execute(query.order_by(REQUEST.requested_at, REQUEST.uuid).limit(limit))
        return [OpenRequest(*row) for row in rows]

    def insert(self, row: CancellationRequestRow) -> None:
        """Insert a request; its CFDI has none yet."""
        self._connection.execute(self._database.insert(SANDBOX_REQUEST).values(asdict(row)))

    def delete(self, uuid: str) -> None:
        self._connection.execute(delete(SANDBOX_REQUEST).where(REQUEST.uuid == uuid))

    def clear_due_date(self, uuid: str) -> None:
        """Remove the due date: the request is pending without a term."""
        self._connection.execute(update(SANDBOX_REQUEST).where(REQUEST.uuid == uuid).values(due_at=None))


class FaultRepository:
    """Rows of `sandbox_fault`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def list_all(self) -> list[FaultRow]:
        rows = self._connection.execute(select(SANDBOX_FAULT))
        return [FaultRow(**row._mapping) for row in rows]

    def put(self, row: FaultRow) -> None:
        """Insert or replace a fault."""
        values = asdict(row)
        statement = self._database.insert(SANDBOX_FAULT).values(**values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=[FAULT.name], set_=values))

    def delete(self, name: str | None = None) -> None:
        """Delete one fault, or all of them."""
        statement = delete(SANDBOX_FAULT)
        self._connection.execute(statement if name is None else statement.where(FAULT.name == name))

    def count_down(self, name: str) -> int | None:
        """Take one request from a counted fault and delete the fault with its last one.

        Returns:
            The requests that remain; None when another process took the last one.
        """
        own = FAULT.name == name
        counted = (
            update(SANDBOX_FAULT)
            .where(own, FAULT.remaining > 0)
            .values(remaining=FAULT.remaining - 1)
            .returning(FAULT.remaining)
        )
        remaining = self._connection.execute(counted).scalar_one_or_none()
        self._connection.execute(delete(SANDBOX_FAULT).where(own, FAULT.remaining <= 0))
        return remaining


class KeyRepository:
    """Rows of `sandbox_key`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def list_all(self) -> list[KeyRow]:
        """Return both keys; empty before they are created."""
        return [
            KeyRow(row.role, row.number, row.certificate, row.sealed_key)
            for row in self._connection.execute(select(SANDBOX_KEY))
        ]

    def insert_missing(self, rows: Sequence[KeyRow]) -> None:
        """Insert the keys whose role has no row yet."""
        statement = self._database.insert(SANDBOX_KEY).on_conflict_do_nothing()
        self._connection.execute(statement, [asdict(row) for row in rows])

    def replace_sealed_key(self, role: str, sealed_key: bytes) -> None:
        """Store the ciphertext of a key under a new master key."""
        statement = update(SANDBOX_KEY).where(SANDBOX_KEY.c.role == role)
        self._connection.execute(statement.values(sealed_key=sealed_key))


class KeyValueRepository:
    """Rows of `sandbox_state`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def get(self, name: str) -> str | None:
        """Return the value; None without one."""
        found: str | None = self._connection.execute(select(STATE.value).where(STATE.name == name)).scalar_one_or_none()
        return found

    def put(self, name: str, value: str) -> None:
        """Insert or replace the value."""
        statement = self._database.insert(SANDBOX_STATE).values(name=name, value=value)
        self._connection.execute(statement.on_conflict_do_update(index_elements=[STATE.name], set_={"value": value}))

    def put_if_absent(self, name: str, value: str) -> bool:
        """Insert the value unless one exists; return whether it was inserted."""
        statement = self._database.insert(SANDBOX_STATE).values(name=name, value=value).on_conflict_do_nothing()
        return self._connection.execute(statement.returning(STATE.name)).first() is not None

    def increment(self, name: str, start: int = 1) -> int:
        """Return the next number of a counter, `start` the first time. Two processes never get the same number."""
        statement = self._database.insert(SANDBOX_STATE).values(name=name, value=str(start))
        following = cast(cast(STATE.value, BigInteger) + 1, Text)
        counted = statement.on_conflict_do_update(index_elements=[STATE.name], set_={"value": following})
        return int(self._connection.execute(counted.returning(STATE.value)).scalar_one())


class AutoReplyRepository:
    """Rows of `sandbox_script`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def get(self, rfc: str) -> AutoReplyRow | None:
        """Return the automatic reply of a receiver."""
        row = self._connection.execute(select(SANDBOX_AUTO_REPLY).where(SCRIPT.rfc == rfc)).one_or_none()
        return None if row is None else AutoReplyRow(row.rfc, row.outcome, row.seconds)

    def list_all(self) -> list[AutoReplyRow]:
        """Return all automatic replies, by RFC."""
        rows = self._connection.execute(select(SANDBOX_AUTO_REPLY).order_by(SCRIPT.rfc))
        return [AutoReplyRow(row.rfc, row.outcome, row.seconds) for row in rows]

    def put(self, row: AutoReplyRow) -> None:
        """Insert or replace the automatic reply of a receiver."""
        values = {"outcome": row.outcome, "seconds": row.seconds}
        statement = self._database.insert(SANDBOX_AUTO_REPLY).values(rfc=row.rfc, **values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=[SCRIPT.rfc], set_=values))

    def delete(self, rfc: str | None = None) -> None:
        """Delete the automatic reply of one receiver, or of all."""
        statement = delete(SANDBOX_AUTO_REPLY)
        self._connection.execute(statement if rfc is None else statement.where(SCRIPT.rfc == rfc))


class SandboxTransaction:
    """The repositories of one open transaction."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection
        self.values = KeyValueRepository(database, connection)
        self.keys = KeyRepository(database, connection)
        self.taxpayers = TaxpayerRepository(database, connection)
        self.certificates = SandboxCertificateRepository(database, connection)
        self.documents = DocumentRepository(database, connection)
        self.requests = CancellationRequestRepository(database, connection)
        self.auto_replies = AutoReplyRepository(database, connection)
        self.faults = FaultRepository(database, connection)
        self.snapshot = SnapshotRepository(connection)
        self.cleanup = ResetRepository(connection)

    def end_due_deliveries(self, outbox: AuthorityOutbox, folios: Sequence[str]) -> list[str]:
        """End deliveries in this transaction, see `AuthorityOutbox.end_due`."""
        return outbox.end_due(self._connection, folios)

    def append_event(self, event: Event) -> None:
        append_event(self._connection, event)

    def record(
        self,
        audit: Audit,
        kind: str,
        subject: str,
        *,
        account_id: int | None = None,
        before: Mapping[str, object] | None = None,
        after: Mapping[str, object] | None = None,
    ) -> None:
        """Append an event to the audit log, see `Audit.record`."""
        audit.record(self._connection, kind, account_id, subject, before=before, after=after)

    def mark_changed(self, area: str, above: int = 0) -> None:
        """Increment the cache version of `area`, so that the caches of all processes read it again after the commit.

        Args:
            above: A version that the new one must exceed, besides the stored one.
        """
        self._database.bump(self._connection, area, above)


class SandboxStore:
    """Opens transactions over the tables of the simulated authority; has the cache versions of the database.

    `read` and `write` commit at the end of the block and roll back on any exception. Both raise
    ServiceError("CO1000") when the database is out of reach.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.cache_version = database.cache_version
        self.is_current = database.is_current

    @contextmanager
    def read(self) -> Iterator[SandboxTransaction]:
        """Open a transaction that changes nothing."""
        with self._database.read() as connection:
            yield SandboxTransaction(self._database, connection)

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[SandboxTransaction]:
        """Open a transaction, see `Database.write`."""
        with self._database.write(durable=durable) as connection:
            yield SandboxTransaction(self._database, connection)

    @contextmanager
    def long_write(self) -> Iterator[SandboxTransaction]:
        """Open a durable transaction whose statements have no timeout."""
        with self._database.write() as connection, without_statement_timeout(connection):
            yield SandboxTransaction(self._database, connection)

    @contextmanager
    def exclusive(self) -> Iterator[SandboxTransaction]:
        """Open a durable transaction that no other write of any node overlaps; readers continue."""
        with self._database.write() as connection, without_statement_timeout(connection):
            lock_all_tables(connection)
            yield SandboxTransaction(self._database, connection)

    @contextmanager
    def one_instant(self) -> Iterator[SandboxTransaction]:
        """Open a transaction whose reads, of all tables, show the state of one instant; writers continue."""
        with self._database.read() as connection, without_statement_timeout(connection):
            read_one_instant(connection)
            yield SandboxTransaction(self._database, connection)

    def cancellation_events(self, uuid: str) -> Sequence[Event]:
        """Return the cancellation events of a CFDI in the order of fiscal time. The folio is in lower case."""
        return cancellation_events(self._database, uuid)
