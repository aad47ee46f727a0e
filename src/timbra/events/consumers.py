"""Consumers of the event log: packages that turn events into work of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlalchemy import ColumnElement, Connection

from timbra.events.event_log import Event

Write: TypeAlias = Callable[[Connection], None]
"""Inserts the work that follows from events, in the transaction that moves the cursor."""
IsRead: TypeAlias = Callable[[str, int | None], bool]
"""Whether a consumer reads events of a kind of an account, or of any account for None."""


def no_work(_connection: Connection, _events: Sequence[Event]) -> None:
    return None


def reads_none(_kind: str, _account_id: int | None) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Consumer:
    """A reader of the event log.

    Attributes:
        name: Name of its cursor. A new one begins at the end of the log, unless a migration says otherwise.
        since: The lowest format of the events that it reads; 0 for all, those of before formats too.
        condition: Which events it reads, by columns of the table `event`.
        fan_out: Reads what the work needs, in a transaction that only reads; returns None without work.
        insert: Inserts the work of the events of some numbers by one statement, which has both conditions; in place of
            `fan_out`. A power failure may undo the newest work with the cursor (decision 0267), so that no client may
            learn numbers of its rows.
        reads: Of the events that are frequent and only appended when a consumer reads them, which it reads.
    """

    name: str
    since: int
    condition: ColumnElement[bool]
    fan_out: Callable[[Connection, Sequence[Event]], Write | None] = no_work
    insert: Callable[[Connection, Sequence[int]], None] | None = None
    reads: IsRead = reads_none


def read_by(consumers: Callable[[], Sequence[Consumer]]) -> IsRead:
    """Return whether any of these consumers reads a kind of event; they are built at the first call."""

    def is_read(kind: str, account_id: int | None) -> bool:
        return any(consumer.reads(kind, account_id) for consumer in consumers())

    return is_read
