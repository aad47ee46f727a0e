"""The audit log for commands and pages: list, verify, export; and the jobs that chain it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from timbra.audit.signed_chain import SignedChain, read_head
from timbra.audit.verification import AuditContent, AuditVerification, verify
from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.database.engines import without_statement_timeout
from timbra.events.audit.chain import (
    AuditHead,
    has_accounts,
    hash_of,
    heads_between,
    links_between,
    newest_head,
    unchained,
)
from timbra.events.audit.counts import UseCounter
from timbra.events.audit.events import AuditEntry, AuditFilter, audit_page
from timbra.events.exclusive import read_one_instant
from timbra.transparency.keys import AuditKeys

MAX_PAGE_SIZE = 500


class AuditLog:
    """The audit log of one database.

    Attributes:
        counter: Counts logins, and uses of tokens and keys.
        chain: Chains and signs the events.
    """

    def __init__(self, database: Database, keys: AuditKeys, counter: UseCounter, folder: Path, wall: Clock) -> None:
        """Open the audit log of a database.

        Args:
            keys: The keys that sign heads.
            counter: Counts uses in this process.
            folder: The data folder.
        """
        self._database = database
        self._keys = keys
        self._folder = folder
        self._wall = wall
        self.counter = counter
        self.chain = SignedChain(database, keys, folder)

    def page(self, conditions: AuditFilter, before: int | None = None, limit: int = 50) -> Sequence[AuditEntry]:
        """Return the events that match, newest first; at most 500, see `audit_page`."""
        with self._database.read() as transaction:
            return audit_page(transaction, conditions, before, min(max(limit, 1), MAX_PAGE_SIZE))

    def verify(self, known_heads: Sequence[tuple[int, str]] = (), first: int = 1) -> AuditVerification:
        """Verify the log from a sequence on, and the head that the data folder knows.

        Args:
            known_heads: Sequence and hash (hexadecimal) of heads that were seen before.
            first: The first sequence.
        """
        with self._content(first, None, known_heads) as content:
            return verify(content, self._wall.now())

    def head_on_disk(self) -> str:
        """Return the head of the file in the data folder as `SEQUENCE:HASH`; empty without one. No database is read."""
        head = read_head(self._folder)
        return "" if head is None else f"{head[0]}:{head[1]}"

    def newest_head(self) -> AuditHead | None:
        """Return the newest signed head; None without one."""
        with self._database.read() as transaction:
            return newest_head(transaction)

    @contextmanager
    def content(self, first: int = 1, last: int | None = None) -> Iterator[AuditContent]:
        """Yield a range of the log for an export; its links are read as they are consumed."""
        with self._content(first, last, ()) as content:
            yield content

    @contextmanager
    def _content(self, first: int, last: int | None, known_heads: Sequence[tuple[int, str]]) -> Iterator[AuditContent]:
        own = read_head(self._folder)
        known = [*known_heads, own] if own is not None and last is None else list(known_heads)
        with self._database.read() as transaction, without_statement_timeout(transaction):
            read_one_instant(transaction)
            yield AuditContent(
                first=first,
                previous=hash_of(transaction, first - 1) or b"",
                links=links_between(transaction, first, last),
                heads=heads_between(transaction, first, last),
                keys=self._keys.public_keys(transaction),
                known_heads=known,
                unchained=unchained(transaction),
                has_accounts=has_accounts(transaction),
                has_head_file=own is not None or last is not None,
            )
