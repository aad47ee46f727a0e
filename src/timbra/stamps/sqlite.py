"""Stamps on SQLite: inserts first, and reads only after a conflict, under the write lock of the batch.

A look-up before the insert would search the index of seals twice for each stamp.
"""

from __future__ import annotations

# Every statement is built from constants only.
# ruff: noqa: S608
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from timbra.database.damaged_values import LARGEST, read_number
from timbra.database.raw_connection import DriverConnection
from timbra.database.tables.column_types import to_microseconds
from timbra.events.event_log import FORMAT
from timbra.stamps.claim_resolution import CustomIdKey, IssuedKey, PendingClaim, StoreState
from timbra.stamps.port import DamagedStamp, StampRecord
from timbra.stamps.row_mapping import COLUMN_LIST, COLUMNS, from_row, read_row, to_row
from timbra.stamps.side_effects import LIVE, event_body

_BY_SEAL = f"SELECT {COLUMN_LIST} FROM stamp WHERE seal_hash = ?"
_BY_UUID = f"SELECT {COLUMN_LIST} FROM stamp WHERE uuid = ?"
# The same prepared statement for any number of folios.
_BY_UUIDS = f"SELECT {COLUMN_LIST} FROM stamp WHERE uuid IN (SELECT value FROM json_each(?))"
_CUSTOM_ID = "SELECT seal_hash FROM custom_id WHERE account_id = ? AND id_hash = ? AND stamped_at > ?"
# Without a damaged cursor that is a text: SQLite sorts it after every number.
_LAST = f"SELECT cursor FROM stamp WHERE cursor < {LARGEST} ORDER BY cursor DESC LIMIT 1"
_STAMP = (
    f"INSERT INTO stamp (cursor, {COLUMN_LIST}) VALUES ({', '.join('?' * (len(COLUMNS) + 1))}) ON CONFLICT DO NOTHING"
)
_HOLD = (
    "INSERT INTO custom_id (account_id, id_hash, seal_hash, stamped_at) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (account_id, id_hash) DO UPDATE SET seal_hash = excluded.seal_hash, stamped_at = excluded.stamped_at "
    "WHERE custom_id.stamped_at <= ?"
)
_UNUSED_KEY = "SELECT key, rfc FROM confirmation WHERE key = ? AND rfc = ? AND uuid IS NULL"
_USE_KEY = "UPDATE confirmation SET uuid = ? WHERE key = ? AND rfc = ? AND uuid IS NULL"
_EVENT = (
    "INSERT INTO event (at, fiscal_at, account_id, kind, subject, request_id, body, format) "
    f"VALUES (?, ?, ?, 'stamped', ?, ?, ?, {FORMAT})"
)

_BALANCES = "SELECT account_id, remaining FROM balance WHERE account_id IN (SELECT value FROM json_each(?))"
_SPEND = "UPDATE balance SET remaining = remaining - ?, used = used + ? WHERE account_id = ?"

_PAGE = f"SELECT cursor, {COLUMN_LIST} FROM stamp WHERE cursor < ? ORDER BY cursor DESC LIMIT ?"
_PAGE_OF_ACCOUNT = _PAGE.replace("WHERE", "WHERE account_id = ? AND")


class SqliteStamps:
    """The statements of `DatabaseStamps` on SQLite."""

    def by_seal(self, connection: DriverConnection, seal_hash: bytes) -> StampRecord | None:
        row = connection.execute(_BY_SEAL, (seal_hash,)).fetchone()
        return None if row is None else from_row(row)

    def by_uuid(self, connection: DriverConnection, uuid: str) -> StampRecord | None:
        row = connection.execute(_BY_UUID, (uuid,)).fetchone()
        return None if row is None else from_row(row)

    def by_uuids(self, connection: DriverConnection, uuids: Sequence[str]) -> list[StampRecord | DamagedStamp]:
        return [read_row(row) for row in connection.execute(_BY_UUIDS, (json.dumps(uuids),)).fetchall()]

    def page(self, connection: DriverConnection, account_id: int | None, below: int, limit: int) -> list[Sequence[Any]]:
        """Return rows of the cursor and COLUMNS with cursors below `below`, newest first."""
        query, values = (
            (_PAGE, (below, limit)) if account_id is None else (_PAGE_OF_ACCOUNT, (account_id, below, limit))
        )
        rows: list[Sequence[Any]] = connection.execute(query, values).fetchall()
        return rows

    def load_state(self, connection: DriverConnection, claims: Sequence[PendingClaim], fiscal: datetime) -> StoreState:
        """Read what the database has for the batch; a customid is live until 72 fiscal hours after its stamp."""
        seals: dict[bytes, StampRecord] = {}
        custom_ids: dict[CustomIdKey, StampRecord] = {}
        unused_keys: set[IssuedKey] = set()
        bound = to_microseconds(fiscal - LIVE)
        for pending in claims:
            seal_hash = pending.claim.record.seal_hash
            if (record := self.by_seal(connection, seal_hash)) is not None:
                seals[seal_hash] = record
            if pending.confirmation is not None:
                unused_keys.update(connection.execute(_UNUSED_KEY, pending.confirmation).fetchall())
            if pending.custom_id is None:
                continue
            holder = connection.execute(_CUSTOM_ID, (*pending.custom_id, bound)).fetchone()
            if holder is not None and (record := self.by_seal(connection, holder[0])) is not None:
                custom_ids[pending.custom_id] = record
        return StoreState(seals, custom_ids, unused_keys=unused_keys)

    def insert(
        self, connection: DriverConnection, winners: Sequence[PendingClaim], wall: datetime, fiscal: datetime
    ) -> bool:
        """Insert the winners with their side effects, see `StampStatements.insert`; a conflict ends it at once."""
        last = read_number((connection.execute(_LAST).fetchone() or (0,))[0])
        at, fiscal_at, bound = to_microseconds(wall), to_microseconds(fiscal), to_microseconds(fiscal - LIVE)
        stamps, events, holds, keys = [], [], [], []
        for cursor, pending in enumerate(winners, last + 1):
            record = pending.claim.record
            stamps.append((cursor, *to_row(record, pending.compressed)))
            events.append((at, fiscal_at, record.account_id, record.uuid, record.request_id, event_body(pending.claim)))
            if pending.custom_id is not None:
                holds.append((*pending.custom_id, record.seal_hash, to_microseconds(record.stamped_at), bound))
            if pending.confirmation is not None:
                keys.append((record.uuid, *pending.confirmation))
        if connection.executemany(_STAMP, stamps).rowcount < len(stamps):
            return False
        if holds and connection.executemany(_HOLD, holds).rowcount < len(holds):
            return False
        if keys and connection.executemany(_USE_KEY, keys).rowcount < len(keys):
            return False
        connection.executemany(_EVENT, events)
        return True

    def balances(self, connection: DriverConnection, accounts: Sequence[int]) -> dict[int, int]:
        """Read the balances of limited accounts; the write lock keeps them until the end of the transaction."""
        return dict(connection.execute(_BALANCES, (json.dumps(accounts),)).fetchall())

    def spend(self, connection: DriverConnection, spent: Mapping[int, int]) -> None:
        """Subtract the stamps of a batch from the balances of their accounts."""
        connection.executemany(_SPEND, [(count, count, account) for account, count in spent.items()])
