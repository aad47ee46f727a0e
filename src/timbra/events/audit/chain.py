"""The chain of the audit log: each link hashes an event with the link before, and heads are signed.

A link covers every column of its event, so that a changed or deleted event, and a deleted or inserted link, do not
match the hashes. A signed head covers all links up to its sequence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import orjson
from sqlalchemy import Connection, delete, func, insert, select

from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.audit import AUDIT_EVENT, AUDIT_HEAD, AUDIT_KEY, AUDIT_LINK, AUDIT_PENDING
from timbra.database.tables.column_types import to_microseconds
from timbra.events.audit.events import AuditEvent, event_of

GENESIS = bytes(32)
"""The hash before the first link."""
ROWS_READ = 500
EVENT, LINK, HEAD = AUDIT_EVENT.c, AUDIT_LINK.c, AUDIT_HEAD.c


@dataclass(frozen=True, slots=True)
class AuditLink:
    """A link of the chain.

    Attributes:
        event: None when the event does not exist.
    """

    sequence: int
    event_id: int
    hash: bytes
    event: AuditEvent | None


@dataclass(frozen=True, slots=True)
class AuditHead:
    """A signed head: the hash of the link of this sequence.

    Attributes:
        at: Wall instant.
        key_id: The key of the signature.
    """

    sequence: int
    hash: bytes
    at: datetime
    key_id: str
    signature: bytes

    def content(self) -> bytes:
        """Return the bytes that the signature covers."""
        return head_content(self.sequence, self.hash, self.at)


def head_content(sequence: int, digest: bytes, at: datetime) -> bytes:
    """Return the bytes that the signature of a head covers."""
    return b"timbra audit head 1\n%d\n%s\n%d\n" % (sequence, digest.hex().encode(), to_microseconds(at))


def link_hash(previous: bytes, sequence: int, event_id: int, event: AuditEvent) -> bytes:
    """Return the hash of a link.

    Args:
        previous: The hash of the link before; `GENESIS` for the first one.
        event_id: The number of the event.
    """
    fields = [
        sequence,
        event_id,
        to_microseconds(event.at),
        to_microseconds(event.fiscal_at),
        event.kind,
        event.actor_kind,
        event.actor,
        event.actor_account_id,
        event.account_id,
        event.subject,
        event.address,
        event.request_id,
        event.body,
    ]
    return hashlib.sha256(previous + orjson.dumps(fields)).digest()


def has_pending(connection: Connection) -> bool:
    """Whether an event is not in the chain yet."""
    return connection.execute(select(AUDIT_PENDING.c.event_id).limit(1)).first() is not None


def last_link(connection: Connection) -> tuple[int, bytes]:
    """Return sequence and hash of the last link; 0 and `GENESIS` without one."""
    query = select(LINK.sequence, LINK.hash).order_by(LINK.sequence.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return (0, GENESIS) if row is None else (row.sequence, row.hash)


def append_links(connection: Connection, limit: int) -> tuple[int, bytes] | None:
    """Chain pending events in the order of their numbers.

    Args:
        connection: A write transaction that excludes other ones that chain.
        limit: Maximum number of events.

    Returns:
        Sequence and hash of the new last link; None without a pending event.
    """
    pending = select(AUDIT_PENDING.c.event_id).order_by(AUDIT_PENDING.c.event_id).limit(limit)
    numbers = list(connection.execute(pending).scalars())
    if not numbers:
        return None
    sequence, digest = last_link(connection)
    links = []
    for row in connection.execute(select(AUDIT_EVENT).where(EVENT.id.in_(numbers)).order_by(EVENT.id)):
        sequence += 1
        digest = link_hash(digest, sequence, row.id, event_of(row))
        links.append({"sequence": sequence, "event_id": row.id, "hash": digest})
    if links:
        connection.execute(insert(AUDIT_LINK), links)
    connection.execute(delete(AUDIT_PENDING).where(AUDIT_PENDING.c.event_id.in_(numbers)))
    return (sequence, digest) if links else None


def insert_head(connection: Connection, head: AuditHead) -> None:
    """Insert a signed head."""
    connection.execute(insert(AUDIT_HEAD).values(asdict(head)))


def links_between(connection: Connection, first: int, last: int | None) -> Iterator[AuditLink]:
    """Yield the links of a range of sequences with their events, in order."""
    query = select(AUDIT_LINK, AUDIT_EVENT).outerjoin(AUDIT_EVENT, EVENT.id == LINK.event_id)
    query = query.where(LINK.sequence >= first)
    if last is not None:
        query = query.where(LINK.sequence <= last)
    query = query.order_by(LINK.sequence).execution_options(yield_per=ROWS_READ)
    for row in connection.execute(query):
        yield AuditLink(row.sequence, row.event_id, row.hash, None if row.id is None else event_of(row))


def heads_between(connection: Connection, first: int, last: int | None) -> Sequence[AuditHead]:
    """Return the heads of a range of sequences, in order."""
    query = select(AUDIT_HEAD).where(HEAD.sequence >= first).order_by(HEAD.sequence)
    if last is not None:
        query = query.where(HEAD.sequence <= last)
    return [AuditHead(*row) for row in connection.execute(query)]


def newest_head(connection: Connection) -> AuditHead | None:
    """Return the head of the highest sequence; None without one."""
    row = connection.execute(select(AUDIT_HEAD).order_by(HEAD.sequence.desc()).limit(1)).one_or_none()
    return None if row is None else AuditHead(*row)


def has_accounts(connection: Connection) -> bool:
    """Whether there is an account, even a deleted one."""
    return connection.execute(select(ACCOUNT.c.id).limit(1)).first() is not None


def hash_of(connection: Connection, sequence: int) -> bytes | None:
    """Return the hash of a link; `GENESIS` for sequence 0."""
    if sequence == 0:
        return GENESIS
    return connection.execute(select(LINK.hash).where(LINK.sequence == sequence)).scalar_one_or_none()


def unchained(connection: Connection) -> Sequence[tuple[int, datetime]]:
    """Return number and wall instant of the events that are not in the chain."""
    query = select(EVENT.id, EVENT.at).outerjoin(AUDIT_LINK, LINK.event_id == EVENT.id)
    return [(row.id, row.at) for row in connection.execute(query.where(LINK.event_id.is_(None)).order_by(EVENT.id))]


def sealed_keys(connection: Connection) -> dict[str, bytes]:
    """Return the encrypted signing keys by their identifiers, oldest first."""
    query = select(AUDIT_KEY).order_by(AUDIT_KEY.c.created_at, AUDIT_KEY.c.id)
    return {row.id: row.sealed_key for row in connection.execute(query)}


def insert_key(connection: Connection, key_id: str, sealed: bytes, at: datetime) -> None:
    """Insert a signing key, encrypted."""
    connection.execute(insert(AUDIT_KEY).values(id=key_id, sealed_key=sealed, created_at=at))


def replace_key(connection: Connection, key_id: str, sealed: bytes) -> None:
    """Store another ciphertext of a signing key."""
    connection.execute(AUDIT_KEY.update().where(AUDIT_KEY.c.id == key_id).values(sealed_key=sealed))


def count_links(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(AUDIT_LINK)).scalar_one())
