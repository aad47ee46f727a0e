"""Stamps on PostgreSQL: inserts first, in one order of keys, and reads only after a conflict with another writer.

Rows travel as one array per column, so that a batch of any size is the same prepared statement and one round trip.
"""

from __future__ import annotations

# Every statement is built from constants only.
# ruff: noqa: S608
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from timbra.core.errors import ServiceError
from timbra.database.membership import RECENT
from timbra.database.raw_connection import DriverConnection
from timbra.database.tables.column_types import to_microseconds
from timbra.events.event_log import FORMAT
from timbra.stamps.claim_resolution import PendingClaim, StoreState
from timbra.stamps.port import CLOCK_LIMIT, DamagedStamp, StampRecord
from timbra.stamps.row_mapping import COLUMN_LIST, COLUMNS, UUID, from_row, read_row, to_row
from timbra.stamps.side_effects import LIVE, event_body

OTHER_CLOCK = "El reloj de este nodo no es el de la base de datos."
RETRY_SECONDS = 5

_TYPES = {"seal_hash": "bytea", "cfdi": "bytea", "account_id": "bigint", "stamped_at": "bigint"}
_ARRAYS = ", ".join(f"%b::{_TYPES.get(name, 'text')}[]" for name in COLUMNS)
_BY_UUID = f"SELECT {COLUMN_LIST} FROM stamp WHERE uuid = %s"
_BY_UUIDS = f"SELECT {COLUMN_LIST} FROM stamp WHERE uuid = ANY(%b::text[])"
_RECENT_BY_UUIDS = f"{_BY_UUIDS} AND {RECENT}"
_BY_SEAL = f"SELECT {COLUMN_LIST} FROM stamp WHERE seal_hash = %s"
_SEALS = (
    f"SELECT {COLUMN_LIST} FROM stamp WHERE seal_hash = ANY(%b::bytea[]) "
    'AND fecha COLLATE "C" >= %s AND fecha COLLATE "C" <= %s'
)
_CUSTOM_IDS = (
    f"SELECT held.account_id, held.id_hash, {', '.join(f'stamp.{name}' for name in COLUMNS)} "
    "FROM unnest(%b::bigint[], %b::bytea[]) AS batch (account_id, id_hash) "
    "JOIN custom_id AS held USING (account_id, id_hash) JOIN stamp ON stamp.seal_hash = held.seal_hash "
    "WHERE held.stamped_at > %s"
)
_STAMP = (
    f"INSERT INTO stamp (cursor, {COLUMN_LIST}) SELECT nextval('stamp_cursor'), batch.* "
    f"FROM unnest({_ARRAYS}) AS batch ON CONFLICT DO NOTHING"
)
_HOLD = (
    "INSERT INTO custom_id (account_id, id_hash, seal_hash, stamped_at) "
    "SELECT * FROM unnest(%b::bigint[], %b::bytea[], %b::bytea[], %b::bigint[]) "
    "ON CONFLICT (account_id, id_hash) DO UPDATE SET seal_hash = excluded.seal_hash, stamped_at = excluded.stamped_at "
    "WHERE custom_id.stamped_at <= %s"
)
_UNUSED_KEYS = (
    "SELECT key, rfc FROM confirmation JOIN unnest(%b::text[], %b::text[]) AS batch (key, rfc) USING (key, rfc) "
    "WHERE uuid IS NULL"
)
_USE_KEY = (
    "UPDATE confirmation SET uuid = batch.uuid "
    "FROM unnest(%b::text[], %b::text[], %b::text[]) AS batch (key, rfc, uuid) "
    "WHERE confirmation.key = batch.key AND confirmation.rfc = batch.rfc AND confirmation.uuid IS NULL"
)
_EVENT = (
    "INSERT INTO event (at, fiscal_at, account_id, kind, subject, request_id, body, format) "
    f"SELECT %s, %s, account_id, 'stamped', subject, request_id, body::json, {FORMAT} "
    "FROM unnest(%b::bigint[], %b::text[], %b::text[], %b::text[]) AS batch (account_id, subject, request_id, body)"
)
# Only while the clock of the node, `at`, is that of the database: a stamp of another day cannot be taken back.
_EVENT_IN_TIME = (
    f"{_EVENT} WHERE abs(extract(epoch FROM clock_timestamp()) * 1000000 - %s) "
    f"< {CLOCK_LIMIT // timedelta(microseconds=1)}"
)

_BALANCES = (
    "SELECT account_id, remaining FROM balance WHERE account_id = ANY(%b::bigint[]) ORDER BY account_id FOR UPDATE"
)
_SPEND = (
    "UPDATE balance SET remaining = remaining - batch.count, used = used + batch.count "
    "FROM unnest(%b::bigint[], %b::bigint[]) AS batch (account_id, count) WHERE balance.account_id = batch.account_id"
)

_PAGE = f"SELECT cursor, {COLUMN_LIST} FROM stamp WHERE cursor < %s ORDER BY cursor DESC LIMIT %s"
_PAGE_OF_ACCOUNT = _PAGE.replace("WHERE", "WHERE account_id = %s AND")


class PostgresStamps:
    """The statements of `DatabaseStamps` on PostgreSQL."""

    def __init__(self, *, compares_clocks: bool = False) -> None:
        """Use PostgreSQL.

        Args:
            compares_clocks: Whether stamps are refused while the clock of this node is not that of the database.
        """
        self._compares_clocks = compares_clocks

    def by_seal(self, connection: DriverConnection, seal_hash: bytes) -> StampRecord | None:
        row = connection.execute(_BY_SEAL, (seal_hash,), binary=True).fetchone()
        return None if row is None else from_row(row)

    def by_uuid(self, connection: DriverConnection, uuid: str) -> StampRecord | None:
        row = connection.execute(_BY_UUID, (uuid,), binary=True).fetchone()
        return None if row is None else from_row(row)

    def by_uuids(self, connection: DriverConnection, uuids: Sequence[str]) -> list[StampRecord | DamagedStamp]:
        rows = connection.execute(_RECENT_BY_UUIDS, (list(uuids),), binary=True).fetchall()
        if older := sorted({*uuids}.difference(row[UUID] for row in rows)):
            rows += connection.execute(_BY_UUIDS, (older,), binary=True).fetchall()
        return [read_row(row) for row in rows]

    def page(self, connection: DriverConnection, account_id: int | None, below: int, limit: int) -> list[Sequence[Any]]:
        """Return rows of the cursor and COLUMNS with cursors below `below`, newest first."""
        query, values = (
            (_PAGE, (below, limit)) if account_id is None else (_PAGE_OF_ACCOUNT, (account_id, below, limit))
        )
        rows: list[Sequence[Any]] = connection.execute(query, values, binary=True).fetchall()
        return rows

    def load_state(self, connection: DriverConnection, claims: Sequence[PendingClaim], fiscal: datetime) -> StoreState:
        """Read what the database has for the batch; a customid is live until 72 fiscal hours after its stamp."""
        hashes = [pending.claim.record.seal_hash for pending in claims]
        dates = [pending.claim.record.fecha for pending in claims]
        seals = connection.execute(_SEALS, (hashes, min(dates), max(dates)), binary=True)
        keys = [pending.custom_id for pending in claims if pending.custom_id is not None]
        accounts, ids = zip(*keys, strict=True) if keys else ((), ())
        bound = to_microseconds(fiscal - LIVE)
        held = connection.execute(_CUSTOM_IDS, (list(accounts), list(ids), bound), binary=True) if keys else None
        wanted = sorted({pending.confirmation for pending in claims if pending.confirmation is not None})
        unused = connection.execute(_UNUSED_KEYS, tuple(_columns(wanted)), binary=True) if wanted else None
        connection.settle()
        stamps = map(from_row, seals.fetchall())
        holders = held.fetchall() if held is not None else []
        return StoreState(
            {record.seal_hash: record for record in stamps},
            {row[:2]: from_row(row[2:]) for row in holders},
            unused_keys=set(unused.fetchall()) if unused is not None else None,
        )

    def insert(
        self, connection: DriverConnection, winners: Sequence[PendingClaim], wall: datetime, fiscal: datetime
    ) -> bool:
        """Insert all winners with their customids and events.

        All nodes insert keys in the same order, customids before seals, so that they wait and never deadlock.
        Transactions with several keys of confirmation, which are rare, may: one of the two is tried again.

        Args:
            connection: The connection, inside a transaction.
            wall: Wall instant of the batch.
            fiscal: Fiscal instant of the batch.

        Returns:
            Whether all keys were new; otherwise the caller rolls back.

        Raises:
            ServiceError: "CO1000" while the clock of this node is not that of the database.
        """
        at, fiscal_at = to_microseconds(wall), to_microseconds(fiscal)
        ordered = sorted(winners, key=lambda pending: pending.claim.record.seal_hash)
        records = [pending.claim.record for pending in ordered]
        holding = sorted((pending for pending in winners if pending.custom_id is not None), key=_custom_id)
        subjects = [record.uuid for record in records]
        keys = sorted(
            (*pending.confirmation, pending.claim.record.uuid)
            for pending in winners
            if pending.confirmation is not None
        )
        bodies = [event_body(pending.claim) for pending in ordered]
        accounts, requests = [record.account_id for record in records], [record.request_id for record in records]
        held = connection.execute(_HOLD, (*_holds(holding), to_microseconds(fiscal - LIVE))) if holding else None
        used = connection.execute(_USE_KEY, tuple(_columns(keys))) if keys else None
        stored = connection.execute(
            _STAMP, _columns([to_row(pending.claim.record, pending.compressed) for pending in ordered])
        )
        values = at, fiscal_at, accounts, subjects, requests, bodies
        events = connection.execute(*((_EVENT_IN_TIME, (*values, at)) if self._compares_clocks else (_EVENT, values)))
        connection.settle()
        if events.rowcount != len(ordered):
            raise ServiceError("CO1000", OTHER_CLOCK, retry_after=RETRY_SECONDS)
        whole: bool = (
            stored.rowcount == len(ordered)
            and (held is None or held.rowcount == len(holding))
            and (used is None or used.rowcount == len(keys))
        )
        return whole

    def balances(self, connection: DriverConnection, accounts: Sequence[int]) -> dict[int, int]:
        """Read and lock the balances of limited accounts, in one order on every node and before any other key."""
        balances = connection.execute(_BALANCES, (list(accounts),), binary=True)
        connection.settle()
        return dict(balances.fetchall())

    def spend(self, connection: DriverConnection, spent: Mapping[int, int]) -> None:
        """Subtract the stamps of a batch from the balances of their accounts."""
        connection.execute(_SPEND, (list(spent), list(spent.values())))


def _custom_id(pending: PendingClaim) -> tuple[int, bytes]:
    assert pending.custom_id is not None  # noqa: S101
    return pending.custom_id


def _holds(holding: Sequence[PendingClaim]) -> list[list[Any]]:
    return _columns(
        [
            (*_custom_id(pending), pending.claim.record.seal_hash, to_microseconds(pending.claim.record.stamped_at))
            for pending in holding
        ]
    )


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
