"""Cards of the home page: the durations of calls, and the newest calls."""

from __future__ import annotations

from timbra.inspector.build import InspectorServices
from timbra.inspector.store import CallFilter
from timbra.inspector.view import latency_of
from timbra.web.portal.dispatch.card import Card, CardPlace, CardValues
from timbra.web.portal.dispatch.page_request import PageRequest

ROWS = 5
MAX_DURATIONS = 10_000
"""Newest calls of which the card shows percentiles."""


def durations(page_request: PageRequest, inspector: InspectorServices) -> CardValues:
    found = inspector.calls.durations(page_request.account.account_id, MAX_DURATIONS)
    return {"latency": latency_of(found), "records_calls": inspector.recorder is not None}


def newest_calls(page_request: PageRequest, inspector: InspectorServices) -> CardValues:
    calls = inspector.calls.page(CallFilter(page_request.account.account_id), limit=ROWS)
    return {"calls": calls, "records_calls": inspector.recorder is not None}


CARDS = (
    Card(CardPlace.FIGURES, 10, "durations_card.html", durations),
    Card(CardPlace.NEWEST, 10, "calls_card.html", newest_calls),
)
