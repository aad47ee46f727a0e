"""Stamps in the database: one transaction decides a batch of claims."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Protocol

from timbra.clock import Clock, WallClock
from timbra.errors import ServiceError
from timbra.store.codec import encode
from timbra.store.database import Database
from timbra.store.decisions import Asked, Known, decide, limited_accounts
from timbra.store.driver import Driver, DriverConnection
from timbra.store.failures import BUSY, is_contention
from timbra.store.port import Claim, Outcome, StampPage, StampRecord
from timbra.store.postgres_stamps import PostgresStamps
from timbra.store.rows import from_row
from timbra.store.sqlite_stamps import SqliteStamps

ATTEMPTS = 8
LARGEST_PAGE = 500
NEWEST = 2**63 - 1


class Statements(Protocol):
    """What differs between the databases. optimistic: insert first and look up only after a conflict."""

    optimistic: bool

    def by_seal(self, connection: DriverConnection, seal_hash: bytes) -> StampRecord | None: ...

    def by_uuid(self, connection: DriverConnection, uuid: str) -> StampRecord | None: ...

    def by_uuids(self, connection: DriverConnection, uuids: Sequence[str]) -> list[StampRecord]: ...

    def page(
        self, connection: DriverConnection, account_id: int | None, below: int, limit: int
    ) -> list[Sequence[Any]]: ...

    def known(self, connection: DriverConnection, asked: Sequence[Asked], fiscal: datetime) -> Known: ...

    def insert(
        self, connection: DriverConnection, winners: Sequence[Asked], wall: datetime, fiscal: datetime
    ) -> bool: ...

    def balances(self, connection: DriverConnection, accounts: Sequence[int]) -> dict[int, int]: ...

    def spend(self, connection: DriverConnection, spent: Mapping[int, int]) -> None: ...


class _Overtaken(Exception):  # noqa: N818
    """Another node stored one of the batch's keys first: roll back, look, decide again."""


class DatabaseStamps:
    """`StampStore` on SQLite or PostgreSQL; `fiscal` tells when a customid's 72 hours are over."""

    def __init__(self, database: Database, fiscal: Clock, wall: Clock | None = None) -> None:
        self._database = database
        self._fiscal = fiscal
        self._wall = wall or WallClock()
        self._driver = Driver(database)
        self._statements: Statements = SqliteStamps() if database.dialect == "sqlite" else PostgresStamps()

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        """Decides all claims in one durable transaction, in order; see `StampStore.claim`.

        Repeating a claim whose commit was answered by a lost connection finds its own folio and is Stored.
        """
        if not claims:
            return []
        asked = [self._ask(claim) for claim in claims]
        return self._driver.run(lambda connection: self._decide(connection, asked))

    def by_seal(self, seal_hash: bytes) -> StampRecord | None:
        """The stamp of a seal, whichever account's."""
        return self._driver.run(lambda connection: self._statements.by_seal(connection, seal_hash))

    def by_uuid(self, uuid: str) -> StampRecord | None:
        """The stamp of a folio, in any letter case."""
        return self._driver.run(lambda connection: self._statements.by_uuid(connection, uuid.lower()))

    def by_uuids(self, uuids: Sequence[str]) -> list[StampRecord]:
        """The stamps of folios in any letter case, in one query; see `StampStore.by_uuids`."""
        folios = [uuid.lower() for uuid in uuids]
        return self._driver.run(lambda connection: self._statements.by_uuids(connection, folios)) if folios else []

    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage:
        """Stamps of an account, or of all for None, newest first; ServiceError("TB4005") for a foreign cursor.

        limit: 1 to 500; what lies outside is brought inside.
        """
        limit = min(max(limit, 1), LARGEST_PAGE)
        below = NEWEST if cursor is None else _read_cursor(cursor)
        rows = self._driver.run(lambda connection: self._statements.page(connection, account_id, below, limit + 1))
        records = [from_row(row[1:]) for row in rows[:limit]]
        return StampPage(records, _write_cursor(rows[limit - 1][0]) if len(rows) > limit else None)

    def close(self) -> None:
        """Gives the connection back; the database stays open."""
        self._driver.close()

    def _ask(self, claim: Claim) -> Asked:
        record = claim.record
        if self._database.environment not in {None, record.environment}:
            raise ValueError(f"a stamp of {record.environment} in a database of {self._database.environment}")
        if claim.custom_id is None:
            return Asked(claim, None, encode(record.cfdi))
        key = (record.account_id, sha256(claim.custom_id.encode("utf-8", "surrogatepass")).digest())
        return Asked(claim, key, encode(record.cfdi))

    def _decide(self, connection: DriverConnection, asked: Sequence[Asked]) -> list[Outcome]:
        for attempt in range(ATTEMPTS):
            try:
                return self._try(connection, asked, look=attempt > 0 or not self._statements.optimistic)
            except _Overtaken:
                continue
            except Exception as error:
                if not is_contention(error):
                    raise
        raise ServiceError("CO1000", BUSY[0], retry_after=BUSY[1])

    def _try(self, connection: DriverConnection, asked: Sequence[Asked], *, look: bool) -> list[Outcome]:
        """look: ask first what is stored; needed too when the batch itself refuses a claim: a repeat goes before.

        Balances come first, locked until the end; a batch of unlimited accounts has none and asks for none.
        """
        accounts = limited_accounts(asked)
        with self._driver.transaction(connection):
            fiscal = self._fiscal.now()
            balances = self._statements.balances(connection, accounts) if accounts else {}
            plan = decide(asked, Known(balances=balances))
            if look or plan.lost_a_balance_or_customid:
                known = self._statements.known(connection, asked, fiscal)
                plan = decide(asked, replace(known, balances=balances))
            if accounts and (spent := plan.spent):
                self._statements.spend(connection, spent)
            whole = not plan.winners or self._statements.insert(connection, plan.winners, self._wall.now(), fiscal)
            if not whole:
                raise _Overtaken
        return plan.outcomes


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
