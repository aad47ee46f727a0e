"""Chaining of the audit log: one worker of all nodes chains the new events, and signs the head."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import orjson
import structlog

from timbra.database.database import Database
from timbra.events.audit.chain import (
    AuditHead,
    append_links,
    has_pending,
    insert_head,
    last_link,
    links_between,
)
from timbra.transparency.keys import AuditKeys
from timbra.transparency.leaves import AUDIT, Leaf, append_leaves, last_logged_link
from timbra.transparency.leaves import LOCK as LOG_LOCK

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.audit")

LOCK = "audit"
"""The area of the cache version under which workers chain one after the other."""
BATCH = 1000
EPOCH = datetime.fromtimestamp(0, UTC)
HEAD_FILE = "audit-head.json"
"""File of the data folder with the newest head, so that a truncated database does not agree with the folder."""


class SignedChain:
    """Chains the events of one database.

    Writers of events never wait for it: they insert unchained events in their own transactions.
    """

    def __init__(self, database: Database, keys: AuditKeys, folder: Path) -> None:
        """Chain the events of a database. `folder`: The data folder, for the file of the head."""
        self._database = database
        self._keys = keys
        self._folder = folder

    def is_due(self) -> bool:
        """Whether events wait for the chain, or links for the transparency log."""
        with self._database.read() as connection:
            return has_pending(connection) or last_link(connection)[0] > last_logged_link(connection)

    def run(self) -> None:
        """Chain the events that wait, in batches with a signed head each, and append the leaves of the links."""
        while (head := self._chain()) is not None:
            write_head(self._folder, head)
            log.info("audit head", sequence=head.sequence, hash=head.hash.hex(), key=head.key_id)
        while self._log_links():
            pass

    def _log_links(self) -> bool:
        """Append the leaves of links that have none, those of before the transparency log too; False without one."""
        with self._database.write() as connection:
            self._database.bump(connection, LOG_LOCK)
            first = last_logged_link(connection) + 1
            links = list(links_between(connection, first, first + BATCH - 1))
            # A link whose event was deleted has the time of none; `timbra audit verify` names it.
            leaves = [Leaf(AUDIT, "", one.sequence, one.event.at if one.event else EPOCH, one.hash) for one in links]
            if leaves:
                append_leaves(self._database, connection, leaves)
        return bool(leaves)

    def _chain(self) -> AuditHead | None:
        with self._database.write() as connection:
            if not has_pending(connection):
                return None
            # Another worker that chains, after its lease ended, waits here and then reads the new last link.
            self._database.bump(connection, LOCK)
            last = append_links(connection, BATCH)
            if last is None:
                return None
            head = self._keys.sign(connection, *last)
            insert_head(connection, head)
        return head


def write_head(folder: Path, head: AuditHead) -> None:
    """Replace the file of the newest head, atomically; an older head does not replace a newer one."""
    known = read_head(folder)
    if known is not None and known[0] >= head.sequence:
        return
    content = orjson.dumps({"sequence": head.sequence, "hash": head.hash.hex(), "at": head.at, "key": head.key_id})
    descriptor, name = tempfile.mkstemp(prefix=".audit-head", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(name, folder / HEAD_FILE)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_head(folder: Path) -> tuple[int, str] | None:
    """Return sequence and hash (hexadecimal) of the file of the newest head; None without a readable one."""
    try:
        content = orjson.loads((folder / HEAD_FILE).read_bytes())
        return int(content["sequence"]), str(content["hash"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
