"""Unit of work of the simulated authority: one transaction with a repository for each of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from timbra.database.database import Database
from timbra.database.engines import without_statement_timeout
from timbra.events.audit.audit import Audit
from timbra.events.event_log import Event, append_event, cancellation_events
from timbra.events.exclusive import lock_all_tables, read_one_instant
from timbra.sandbox.store.auto_replies import AutoReplyRepository
from timbra.sandbox.store.cancellation_requests import CancellationRequestRepository
from timbra.sandbox.store.certificates import SandboxCertificateRepository
from timbra.sandbox.store.documents import DocumentRepository
from timbra.sandbox.store.faults import FaultRepository
from timbra.sandbox.store.key_value import KeyValueRepository
from timbra.sandbox.store.keys import KeyRepository
from timbra.sandbox.store.reset import ResetRepository
from timbra.sandbox.store.snapshot import SnapshotRepository
from timbra.sandbox.store.taxpayers import TaxpayerRepository

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from timbra.delivery.deliveries import AuthorityOutbox


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
    def write(self) -> Iterator[SandboxTransaction]:
        """Open a durable transaction."""
        with self._database.write() as connection:
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
