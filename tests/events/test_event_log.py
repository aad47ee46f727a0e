"""The event log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.events import list_events
from tests.support.store_records import NOON

from timbra.database.database import Database
from timbra.events.event_log import Event, append_event

LOGIN = Event(NOON, NOON, None, "refused", "usuario ñ", "request-1", {"why": "contraseña", "tries": 3})


def append(database: Database, *events: Event, fail: bool = False) -> None:
    with database.write() as connection:
        for event in events:
            append_event(connection, event)
        if fail:
            raise KeyError


def test_append_event_stores_events_in_order(database: Database) -> None:
    other = replace(LOGIN, account_id=7, kind="created")
    append(database, LOGIN, other)
    assert list_events(database) == [LOGIN, other]


def test_append_event_is_rolled_back_with_its_change(database: Database) -> None:
    with pytest.raises(KeyError):
        append(database, LOGIN, fail=True)
    assert list_events(database) == []
