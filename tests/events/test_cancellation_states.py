"""States of documents, derived from the events of their cancellation."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.support.store_records import NOON

from timbra.database.database import Database
from timbra.events.cancellation_states import (
    NO_CANCELLATION,
    DocumentState,
    KnownCancellation,
    cancellation_states,
    state_of,
)
from timbra.events.event_log import Event, append_event

UUID, OTHER = "0b9f1c5e-0000-4000-8000-000000000001", "0b9f1c5e-0000-4000-8000-000000000002"
REQUEST = {"motivo": "01", "foliosustitucion": OTHER}


def event(step: str, body: Mapping[str, object] | None = None, subject: str = UUID) -> Event:
    return Event(NOON, NOON, 1, f"cancellation.{step}", subject, "r", body or {})


@pytest.mark.parametrize(
    ("steps", "state"),
    [
        ("", DocumentState.VALID),
        ("ineffective", DocumentState.VALID),
        ("requested", DocumentState.PENDING),
        ("received", DocumentState.PENDING),
        ("requested rejected", DocumentState.VALID),
        ("requested rejected requested", DocumentState.PENDING),
        ("requested accepted", DocumentState.CANCELLED),
        ("requested expired", DocumentState.CANCELLED),
        ("cancelled", DocumentState.CANCELLED),
        ("cancelled received ineffective", DocumentState.CANCELLED),
    ],
)
def test_state_of_follows_the_events(steps: str, state: DocumentState) -> None:
    assert state_of(map(event, steps.split())).state is state


def test_state_of_keeps_the_motive_of_the_request() -> None:
    events = [event("requested", REQUEST), event("accepted")]

    assert state_of(events) == KnownCancellation(DocumentState.CANCELLED, "01", OTHER, NOON)
    assert state_of([*events[:1], event("rejected")]) == KnownCancellation(at=NOON)
    assert state_of([]) == NO_CANCELLATION


def test_cancellation_states_returns_the_documents_with_events(database: Database) -> None:
    with database.write() as connection:
        for each in (event("requested", REQUEST), event("cancelled", subject=OTHER), event("accepted")):
            append_event(connection, each)

    found = cancellation_states(database, [UUID, OTHER, "unknown"])

    assert {uuid: state.state for uuid, state in found.items()} == dict.fromkeys((UUID, OTHER), DocumentState.CANCELLED)
    assert found[UUID].substitute == OTHER
    assert cancellation_states(database, []) == {}
