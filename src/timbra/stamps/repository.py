"""The repository of stamps: one transaction resolves a batch of claims."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from time import perf_counter
from typing import Any, Protocol

from sqlalchemy import select

from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock, WallClock
from timbra.core.errors import ServiceError
from timbra.core.metrics import COMMIT_BATCH_SIZE, COMMIT_DURATION, STAMP_CLAIMS, MetricsRegistry
from timbra.database.codec import encode, is_reference
from timbra.database.damaged_values import FOUND
from timbra.database.database import Database
from timbra.database.errors import BUSY, is_contention
from timbra.database.membership import stamp_rows
from timbra.database.raw_connection import DriverConnection, RawConnection
from timbra.database.tables.stamps import STAMP
from timbra.stamps.claim_resolution import PendingClaim, StoreState, limited_accounts, resolve_claims
from timbra.stamps.port import (
    AlreadyStamped,
    BalanceExhausted,
    Claim,
    ConfirmationUsed,
    CustomIdTaken,
    DamagedStamp,
    Outcome,
    StampHeader,
    StampPage,
    StampRecord,
    Stored,
)
from timbra.stamps.postgresql import PostgresStamps
from timbra.stamps.row_mapping import damage_of, read_row
from timbra.stamps.sqlite import SqliteStamps

ATTEMPTS = 8
MAX_PAGE_SIZE = 500
MAX_CURSOR = 2**63 - 1
OUTCOME_LABELS: dict[type[Outcome], tuple[str]] = {
    Stored: ("stored",),
    AlreadyStamped: ("repeated",),
    CustomIdTaken: ("customid",),
    ConfirmationUsed: ("confirmation",),
    BalanceExhausted: ("exhausted",),
}


class StampStatements(Protocol):
    """The statements of one database."""

    def by_seal(self, connection: DriverConnection, seal_hash: bytes) -> StampRecord | None: ...

    def by_uuid(self, connection: DriverConnection, uuid: str) -> StampRecord | None:
        """Return the stamp of a folio in lower case."""
        ...

    def by_uuids(self, connection: DriverConnection, uuids: Sequence[str]) -> list[StampRecord | DamagedStamp]:
        """Return the stamps of folios in lower case, in no order."""
        ...

    def page(self, connection: DriverConnection, account_id: int | None, below: int, limit: int) -> list[Sequence[Any]]:
        """Return rows of the cursor and COLUMNS with cursors below `below`, newest first."""
        ...

    def load_state(self, connection: DriverConnection, claims: Sequence[PendingClaim], fiscal: datetime) -> StoreState:
        """Read the stored seals and the live customids of the batch."""
        ...

    def insert(
        self, connection: DriverConnection, winners: Sequence[PendingClaim], wall: datetime, fiscal: datetime
    ) -> bool:
        """Insert the winners with their side effects; return whether all keys were new."""
        ...

    def balances(self, connection: DriverConnection, accounts: Sequence[int]) -> dict[int, int]:
        """Read the balances of limited accounts and lock them until the end of the transaction."""
        ...

    def spend(self, connection: DriverConnection, spent: Mapping[int, int]) -> None:
        """Subtract the stamps of a batch from the balances of their accounts."""
        ...


class ConflictRetry(Exception):  # noqa: N818
    """A key of the batch is stored already: the transaction is rolled back and the batch is resolved again."""


class DatabaseStamps:
    """`StampStore` on SQLite or PostgreSQL."""

    def __init__(
        self, database: Database, fiscal: Clock, wall: Clock | None = None, metrics: MetricsRegistry | None = None
    ) -> None:
        """Use a database.

        Args:
            fiscal: The clock of the 72 hours of a customid.
            wall: The clock that dates events and deliveries.
            metrics: Records the duration, the size and the outcomes of each batch.
        """
        self._database = database
        self._fiscal = fiscal
        self._wall = wall or WallClock()
        self._metrics = metrics or MetricsRegistry()
        for family in (COMMIT_DURATION, COMMIT_BATCH_SIZE):
            self._metrics.declare(family, ())
        for labels in OUTCOME_LABELS.values():
            self._metrics.declare(STAMP_CLAIMS, labels)
        self._driver = RawConnection(database)
        self._statements: StampStatements = SqliteStamps()
        if database.dialect != "sqlite":
            # The clock of a sandbox is moved.
            self._statements = PostgresStamps(compares_clocks=database.environment not in (None, "sandbox"))

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        """Resolve all claims in one durable transaction, in order; see `StampStore.claim`.

        A claim whose commit succeeded although the connection was lost finds its own folio at a retry: it is `Stored`.
        """
        if not claims:
            return []
        begun = perf_counter()
        pending = [self._prepare(claim) for claim in claims]
        outcomes = self._driver.run(lambda connection: self._resolve(connection, pending))
        self._metrics.observe(COMMIT_DURATION, (), perf_counter() - begun)
        self._metrics.observe(COMMIT_BATCH_SIZE, (), len(claims))
        for outcome in outcomes:
            self._metrics.count(STAMP_CLAIMS, OUTCOME_LABELS[type(outcome)])
        return [self._whole(outcome) for outcome in outcomes]

    def preview(self, claim: Claim) -> Outcome:
        """Return the outcome that `claim` would have now, and store nothing."""
        pending = self._prepare(claim)
        return self._whole(self._driver.run(lambda connection: self._preview(connection, pending)))

    def by_seal(self, seal_hash: bytes) -> StampRecord | None:
        """Return the stamp of a seal, of any account."""
        found = self._driver.run(lambda connection: self._statements.by_seal(connection, seal_hash))
        return None if found is None else self._read(found)

    def by_uuid(self, uuid: str) -> StampRecord | None:
        """Return the stamp of a folio, in any letter case."""
        found = self._driver.run(lambda connection: self._statements.by_uuid(connection, uuid.lower()))
        return None if found is None else self._read(found)

    def by_uuids(self, uuids: Sequence[str]) -> list[StampRecord | DamagedStamp]:
        """Return the stamps of folios in any letter case, by one query; see `StampStore.by_uuids`."""
        folios = [uuid.lower() for uuid in uuids]
        if not folios:
            return []
        return self._told(self._driver.run(lambda connection: self._statements.by_uuids(connection, folios)))

    def types_of(self, uuids: Collection[str]) -> dict[str, str]:
        """Return TipoDeComprobante of the stamps of these folios, by folio. The folios are in lower case.

        It uses a connection of the pool, because many folios would delay stamping on its own connection.
        """
        with self._database.read() as connection:
            return dict(map(tuple, stamp_rows(connection, select(STAMP.c.uuid, STAMP.c.kind), uuids)))

    def headers_of(self, uuids: Collection[str]) -> list[StampHeader]:
        """Return a few values of the stamps of these folios, in no order, without reading the documents.

        It uses a connection of the pool, as `types_of`.

        Args:
            uuids: Folios in lower case.
        """
        stamp = STAMP.c
        query = select(stamp.uuid, stamp.kind, stamp.issuer_rfc, stamp.fecha, stamp.stamped_at)
        with self._database.read() as connection:
            return [StampHeader(*row) for row in stamp_rows(connection, query, uuids)]

    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage:
        """Return stamps of an account, or of all for None, newest first.

        Args:
            account_id: The account; None for all accounts.
            cursor: The cursor of the page; None for the first page.
            limit: Size of the page; values outside of 1 to 500 are clamped.

        Raises:
            ServiceError: "TB4005" for a cursor that this method did not return.
        """
        limit = min(max(limit, 1), MAX_PAGE_SIZE)
        below = MAX_CURSOR if cursor is None else _read_cursor(cursor)
        rows = self._driver.run(lambda connection: self._statements.page(connection, account_id, below, limit + 1))
        found = self._told([read_row(row[1:]) for row in rows[:limit]])
        return StampPage(found, _write_cursor(rows[limit - 1][0]) if len(rows) > limit else None)

    def close(self) -> None:
        """Close the connection of this repository; the database stays open."""
        self._driver.close()

    def _told(self, found: list[StampRecord | DamagedStamp]) -> list[StampRecord | DamagedStamp]:
        found = [self._read_or_damaged(one) if isinstance(one, StampRecord) else one for one in found]
        for one in found:
            if isinstance(one, DamagedStamp) and one.error.retry_after is None:
                FOUND.tell("document")
        return found

    def _whole(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Stored | AlreadyStamped | CustomIdTaken) and is_reference(outcome.record.cfdi):
            return replace(outcome, record=self._read(outcome.record))
        return outcome

    def _read(self, record: StampRecord) -> StampRecord:
        found = self._read_or_damaged(record)
        if isinstance(found, DamagedStamp):
            raise found.error
        return found

    def _read_or_damaged(self, record: StampRecord) -> StampRecord | DamagedStamp:
        """Return a record with the document that its archive has, if it is in one."""
        if not is_reference(record.cfdi):
            return record
        try:
            return replace(record, cfdi=self._database.document(record.cfdi))
        except ValueError as error:
            damage = damage_of(record.uuid, error)
        except ServiceError as error:
            damage = error
        return DamagedStamp(replace(record, cfdi=b""), damage)

    def _prepare(self, claim: Claim) -> PendingClaim:
        record = claim.record
        if self._database.environment not in {None, record.environment}:
            raise ValueError(f"a stamp of {record.environment} in a database of {self._database.environment}")
        if claim.custom_id is None:
            return PendingClaim(claim, None, encode(record.cfdi))
        key = (record.account_id, sha256(claim.custom_id.encode("utf-8", "surrogatepass")).digest())
        return PendingClaim(claim, key, encode(record.cfdi))

    def _resolve(self, connection: DriverConnection, claims: Sequence[PendingClaim]) -> list[Outcome]:
        for attempt in range(ATTEMPTS):
            try:
                return self._try(connection, claims, load=attempt > 0)
            except ConflictRetry:
                continue
            except Exception as error:
                if not is_contention(error):
                    raise
        raise ServiceError("CO1000", BUSY[0], retry_after=BUSY[1])

    def _preview(self, connection: DriverConnection, claim: PendingClaim) -> Outcome:
        accounts = limited_accounts([claim])
        with self._driver.transaction(connection):
            state = self._statements.load_state(connection, [claim], self._fiscal.now())
            balances = self._statements.balances(connection, accounts) if accounts else {}
        (outcome,) = resolve_claims([claim], replace(state, balances=balances)).outcomes
        return outcome

    def _try(self, connection: DriverConnection, claims: Sequence[PendingClaim], *, load: bool) -> list[Outcome]:
        """Resolve and insert the batch in one transaction.

        Balances are read first and locked until the end; a batch of unlimited accounts reads none.

        Args:
            connection: The connection of this repository.
            load: Whether to read the stored seals and customids first. The method reads them too when claims of the
                batch conflict with each other, because a repeated seal goes before a customid and a balance.
        """
        accounts = limited_accounts(claims)
        with self._driver.transaction(connection):
            fiscal = self._fiscal.now()
            balances = self._statements.balances(connection, accounts) if accounts else {}
            resolution = resolve_claims(claims, StoreState(balances=balances))
            if load or resolution.has_conflicts:
                state = self._statements.load_state(connection, claims, fiscal)
                resolution = resolve_claims(claims, replace(state, balances=balances))
            if accounts and (spent := resolution.spent):
                self._statements.spend(connection, spent)
            whole = not resolution.winners or self._statements.insert(
                connection, resolution.winners, self._wall.now(), fiscal
            )
            if not whole:
                raise ConflictRetry
        return resolution.outcomes


def _write_cursor(number: int) -> str:
    return urlsafe_b64encode(number.to_bytes(8, "big")).decode().rstrip("=")


def _read_cursor(text: str) -> int:
    try:
        raw = urlsafe_b64decode(text + "=")
    except ValueError:
        raw = b""
    if len(raw) != 8 or raw[0] > 0x7F:
        raise ServiceError("TB4005", "El cursor de la página no es válido.")
    return int.from_bytes(raw, "big")


BOUNDS = (
    Bound(
        "DatabaseStamps",
        BoundKind.RETRY,
        f"{ATTEMPTS} attempts",
        "The request is rejected with CO1000 and `retry_after`.",
    ),
)
