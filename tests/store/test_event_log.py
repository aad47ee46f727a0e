"""The event log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.store.records import NOON

from timbra.store.database.database import Database
from timbra.store.events.event_log import Event, append_event, events_after

LOGIN = Event(NOON, NOON, None, "refused", "usuario ñ", "request-1", {"why": "contraseña", "tries": 3})


def append(database: Database, *events: Event, fail: bool = False) -> None:
    with database.write() as connection:
        for event in events:
            append_event(connection, event)
        if fail:
            raise KeyError


def test_events_after_returns_events_in_order(database: Database) -> None:
    other = replace(LOGIN, account_id=7, kind="created")
    append(database, LOGIN, other)
    assert [event for _, event in events_after(database)] == [LOGIN, other]


def test_events_after_continues_after_the_last_number(database: Database) -> None:
    append(database, *(replace(LOGIN, subject=str(number)) for number in range(5)))
    first = events_after(database, limit=3)
    rest = events_after(database, first[-1][0])
    assert [event.subject for _, event in [*first, *rest]] == list("01234")


def test_append_event_is_rolled_back_with_its_change(database: Database) -> None:
    with pytest.raises(KeyError):
        append(database, LOGIN, fail=True)
    assert events_after(database) == []
