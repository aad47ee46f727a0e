"""Leaves of the log: their content, and the tables that have them.

A leaf is a JSON object in UTF-8 with the members in alphabetical order and no blanks. `audit_leaf` has its values, and
`audit_node` the roots of every 256 leaves, of every 256 such roots and so on: the hashes of the tiles above level 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import Connection, Row, func, insert, select

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.tables.audit import AUDIT_LEAF, AUDIT_NODE, IS_LINK
from timbra.transparency.merkle import leaf_hash, perfect_root

TILE = 256
DAMAGED = "log-damaged"
LOCK = "log"
"""The area of the cache version under which writers append one after the other."""
AUDIT = "audit"
"""The kind of the leaf of a link of the audit log; other leaves have the kind of their event."""
L, N = AUDIT_LEAF.c, AUDIT_NODE.c


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf.

    Attributes:
        kind: The kind of the event, or `audit`.
        subject: The folio; empty for a link.
        sequence: Of the link; 0 for an event.
        at: Wall instant of the event.
        sha256: Of the stamped XML, of the content of a cancellation (`event_digest`), or the hash of the link.
    """

    kind: str
    subject: str
    sequence: int
    at: datetime
    sha256: bytes

    def content(self) -> bytes:
        """Return the bytes that the log has."""
        return orjson.dumps(
            {
                "at": self.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                "kind": self.kind,
                **({"sequence": self.sequence} if self.sequence else {}),
                "sha256": self.sha256.hex(),
                **({"uuid": self.subject} if self.subject else {}),
            }
        )


COLUMNS = tuple(field.name for field in fields(Leaf))


def leaf_of(row: Row[Any]) -> Leaf:
    """Return the leaf of a row. Raises ServiceError: "log-damaged" for a row that is none."""
    values = (row.kind, row.subject, row.sequence, row.at, row.sha256)
    if tuple(map(type, values)) != (str, str, int, datetime, bytes):
        raise ServiceError(DAMAGED, f"Hoja {row.position}.")
    return Leaf(*values)


def tree_size(connection: Connection) -> int:
    """Return the number of leaves."""
    newest = connection.execute(select(func.max(L.position))).scalar()
    return 0 if newest is None else newest + 1


def append_leaves(database: Database, connection: Connection, leaves: Sequence[Leaf]) -> None:
    """Append leaves, and the roots of the tiles that they complete, within a write transaction."""
    # Another writer waits here until the commit, and then reads the new size.
    database.bump(connection, LOCK)
    before = tree_size(connection)
    # `asdict` copies every value, which takes longer than the statement.
    rows = [
        {"position": before + place, **{name: getattr(leaf, name) for name in COLUMNS}}
        for place, leaf in enumerate(leaves)
    ]
    connection.execute(insert(AUDIT_LEAF), rows)
    after, level, reader = before + len(leaves), 0, TileReader(connection)
    while after // TILE > before // TILE:
        before, after = before // TILE, after // TILE
        nodes = [
            {"level": level + 1, "position": place, "hash": reader.root_of(level, place * TILE, TILE)}
            for place in range(before, after)
        ]
        connection.execute(insert(AUDIT_NODE), nodes)
        level += 1


def last_logged_link(connection: Connection) -> int:
    """Return the sequence of the last link of the audit log that has a leaf; 0 without one."""
    # The literal is the condition of the index.
    found: int | None = connection.execute(select(func.max(L.sequence)).where(IS_LINK)).scalar()
    return found or 0


def event_digest(fiscal_at: int, account_id: int | None, request_id: str, body: object) -> bytes:
    """Return the SHA-256 of what an event of a cancellation says besides its leaf. `fiscal_at`: microseconds."""
    values = [fiscal_at, account_id, request_id, body]
    return sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).digest()


def leaves_between(connection: Connection, first: int, last: int) -> Iterator[Leaf]:
    """Yield the leaves of a range of places, the last one excepted, in order."""
    query = select(AUDIT_LEAF).where(L.position >= first, L.position < last).order_by(L.position)
    yield from map(leaf_of, connection.execute(query))


class TileReader:
    """Reads the hashes of one transaction, a tile at a time; keeps the tiles of one proof."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tiles: dict[tuple[int, int], Sequence[bytes]] = {}

    def subtree(self, level: int, place: int) -> bytes:
        """Return the hash of a perfect subtree, see `timbra.transparency.merkle.ReadHash`."""
        inside = level % 8
        first = place << inside
        return self.root_of(level // 8, first, 1 << inside)

    def root_of(self, level: int, first: int, width: int) -> bytes:
        """Return the root of hashes of one tile.

        Raises:
            ServiceError: "log-damaged" when rows are missing.
        """
        hashes = self.tile(level, first // TILE)[first % TILE : first % TILE + width]
        if len(hashes) != width:
            raise ServiceError(DAMAGED, f"Tile {level}/{first // TILE}.")
        return perfect_root(hashes)

    def tile(self, level: int, place: int) -> Sequence[bytes]:
        """Return the hashes of a tile, or of a partial one."""
        if (level, place) not in self._tiles:
            self._tiles[level, place] = self._read(level, place)
        return self._tiles[level, place]

    def _read(self, level: int, place: int) -> Sequence[bytes]:
        first, last = place * TILE, (place + 1) * TILE
        if not level:
            return [leaf_hash(leaf.content()) for leaf in leaves_between(self._connection, first, last)]
        query = select(N.hash).where(N.level == level, N.position >= first, N.position < last).order_by(N.position)
        return self._connection.execute(query).scalars().all()
