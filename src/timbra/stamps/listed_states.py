"""The consumer of the event log that writes the states of cancellations into the rows of lists.

A search reads the events that it has not read besides, so that a list has a cancellation at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, and_, select

from timbra.database.tables.stamps import EVENT, IS_CANCELLATION
from timbra.events.cancellation_states import DocumentState, states_of
from timbra.events.consumers import Consumer
from timbra.events.dispatcher import unread
from timbra.stamps.document_sums import change_states

SINCE: Final = 0
"""Events of every format: the migration begins the cursor at the first event."""
STATES: Final = Consumer("cancellation_states", SINCE, and_(IS_CANCELLATION))
ListDocuments = Callable[[Connection, Sequence[str]], None]
"""Writes the rows of stamps that have none, by their folios: a state has a row."""


def states_consumer(list_documents: ListDocuments) -> Consumer:
    """Return the consumer."""

    def insert(connection: Connection, numbers: Sequence[int]) -> None:
        # The state follows from all events of a document, in whichever order their numbers are read.
        subjects = select(EVENT.c.subject).distinct().where(EVENT.c.id.in_(numbers), IS_CANCELLATION)
        states = states_of(connection, connection.execute(subjects).scalars().all())
        if states:
            list_documents(connection, [*states])
            change_states(connection, states)

    return replace(STATES, insert=insert)


def unread_states(connection: Connection) -> dict[str, DocumentState]:
    """Return the states of the documents of which the consumer has not read every event, by their folios.

    The rows are to be read after it.
    """
    subjects = select(EVENT.c.subject).distinct().where(unread(connection, STATES))
    return states_of(connection, connection.execute(subjects).scalars().all())
