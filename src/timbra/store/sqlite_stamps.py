"""Stamps on SQLite: under the write lock of the batch nothing can change between the look-up and the insert."""

from __future__ import annotations

# Every statement is put together from constants alone.
# ruff: noqa: S608
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from timbra.store.decisions import Asked, CustomIdKey, Known
from timbra.store.driver import DriverConnection
from timbra.store.port import StampRecord
from timbra.store.rows import COLUMN_LIST, COLUMNS, from_row, to_row
from timbra.store.stamped import LIVE, event_body
from timbra.store.types import to_microseconds

_BY_SEAL = f"SELECT {COLUMN_LIST} FROM stamp WHERE seal_hash = ?"
_BY_UUID = f"SELECT {COLUMN_LIST} FROM stamp WHERE uuid = ?"
# However many folios are asked for, it is the same prepared statement.
_BY_UUIDS = f"SELECT {COLUMN_LIST} FROM stamp WHERE uuid IN (SELECT value FROM json_each(?))"
_CUSTOM_ID = "SELECT seal_hash FROM custom_id WHERE account_id = ? AND id_hash = ? AND stamped_at > ?"
_LAST = "SELECT coalesce(max(cursor), 0) FROM stamp"
_STAMP = f"INSERT INTO stamp (cursor, {COLUMN_LIST}) VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"
_HOLD = "INSERT OR REPLACE INTO custom_id (account_id, id_hash, seal_hash, stamped_at) VALUES (?, ?, ?, ?)"
_EVENT = (
    "INSERT INTO event (at, fiscal_at, account_id, kind, subject, request_id, body) "
    "VALUES (?, ?, ?, 'stamped', ?, ?, ?)"
)
_OUTBOX = "INSERT INTO outbox (kind, subject, created_at, due_at, attempts) VALUES ('stamp', ?, ?, ?, 0)"
_LETTER = (
    "INSERT OR IGNORE INTO letter (uuid, recipient, account_id, created_at, due_at, attempts, failure) "
    "VALUES (?, ?, ?, ?, ?, 0, '')"
)

_BALANCES = "SELECT account_id, remaining FROM balance WHERE account_id IN (SELECT value FROM json_each(?))"
_SPEND = "UPDATE balance SET remaining = remaining - ?, used = used + ? WHERE account_id = ?"

_PAGE = f"SELECT cursor, {COLUMN_LIST} FROM stamp WHERE cursor < ? ORDER BY cursor DESC LIMIT ?"
_PAGE_OF_ACCOUNT = _PAGE.replace("WHERE", "WHERE account_id = ? AND")


class SqliteStamps:
    """The statements of `DatabaseStamps` on SQLite."""

    optimistic = False

    def by_seal(self, connection: DriverConnection, seal_hash: bytes) -> StampRecord | None:
        row = connection.execute(_BY_SEAL, (seal_hash,)).fetchone()
        return None if row is None else from_row(row)

    def by_uuid(self, connection: DriverConnection, uuid: str) -> StampRecord | None:
        row = connection.execute(_BY_UUID, (uuid,)).fetchone()
        return None if row is None else from_row(row)

    def by_uuids(self, connection: DriverConnection, uuids: Sequence[str]) -> list[StampRecord]:
        return [from_row(row) for row in connection.execute(_BY_UUIDS, (json.dumps(uuids),)).fetchall()]

    def page(self, connection: DriverConnection, account_id: int | None, below: int, limit: int) -> list[Sequence[Any]]:
        """Rows of the cursor and COLUMNS, newest first, older than `below`."""
        query, values = (
            (_PAGE, (below, limit)) if account_id is None else (_PAGE_OF_ACCOUNT, (account_id, below, limit))
        )
        rows: list[Sequence[Any]] = connection.execute(query, values).fetchall()
        return rows

    def known(self, connection: DriverConnection, asked: Sequence[Asked], fiscal: datetime) -> Known:
        """What the database says of the batch; a customid lives while its stamp is younger than 72 fiscal hours."""
        seals: dict[bytes, StampRecord] = {}
        custom_ids: dict[CustomIdKey, StampRecord] = {}
        bound = to_microseconds(fiscal - LIVE)
        for one in asked:
            seal_hash = one.claim.record.seal_hash
            if (record := self.by_seal(connection, seal_hash)) is not None:
                seals[seal_hash] = record
            if one.custom_id is None:
                continue
            holder = connection.execute(_CUSTOM_ID, (*one.custom_id, bound)).fetchone()
            if holder is not None and (record := self.by_seal(connection, holder[0])) is not None:
                custom_ids[one.custom_id] = record
        return Known(seals, custom_ids)

    def insert(self, connection: DriverConnection, winners: Sequence[Asked], wall: datetime, fiscal: datetime) -> bool:
        """Inserts all winners with their customids, events, outbox rows and letters; always whole on SQLite."""
        [last] = connection.execute(_LAST).fetchone()
        at, fiscal_at = to_microseconds(wall), to_microseconds(fiscal)
        stamps, events, outbox, holds, letters = [], [], [], [], []
        for cursor, one in enumerate(winners, last + 1):
            record = one.claim.record
            stamps.append((cursor, *to_row(record, one.compressed)))
            events.append((at, fiscal_at, record.account_id, record.uuid, record.request_id, event_body(one.claim)))
            outbox.append((record.uuid, at, at))
            if one.custom_id is not None:
                holds.append((*one.custom_id, record.seal_hash, to_microseconds(record.stamped_at)))
            letters += [(record.uuid, recipient, record.account_id, at, at) for recipient in one.claim.mail_to]
        connection.executemany(_STAMP, stamps)
        connection.executemany(_EVENT, events)
        connection.executemany(_OUTBOX, outbox)
        if holds:
            connection.executemany(_HOLD, holds)
        if letters:
            connection.executemany(_LETTER, letters)
        return True

    def balances(self, connection: DriverConnection, accounts: Sequence[int]) -> dict[int, int]:
        """What limited accounts have left; nobody changes it before the end of the transaction."""
        return dict(connection.execute(_BALANCES, (json.dumps(accounts),)).fetchall())

    def spend(self, connection: DriverConnection, spent: Mapping[int, int]) -> None:
        """Takes the stamps of a batch from the balances of their accounts."""
        connection.executemany(_SPEND, [(count, count, account) for account, count in spent.items()])
