"""Recorded calls in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.store_records import NOON

from timbra.database.database import Database
from timbra.inspector.store import ApiCall, ApiCallStore, CallFilter

AREA = "calls"

ONE = ApiCall(
    account_id=1,
    at=NOON,
    request_id="r-1",
    method="POST",
    path="/cfdi33/issue/v4",
    operation="issue",
    status=200,
    code="",
    microseconds=1500,
    request_bytes=1000,
    response_bytes=7000,
    issuer_rfc="EKU9003173C9",
    receiver_rfc="XAXX010101000",
    keywords="/cfdi33/issue/v4 r-1 a100%",
)
WRONG = replace(
    ONE, at=NOON + timedelta(hours=1), status=400, code="CFDI40124", request_id="r-2", microseconds=900, keywords="r-2"
)
FOREIGN = replace(ONE, account_id=2)
NONE: Mapping[int, int] = {}


@pytest.fixture
def store(database: Database) -> ApiCallStore:
    made = ApiCallStore(database)
    made.add([(ONE, b"one"), (WRONG, b"wrong"), (FOREIGN, b"foreign")], {1: 3}, NOON)
    return made


def ids(store: ApiCallStore, filters: CallFilter) -> list[str]:
    return [row.call.request_id for row in store.page(filters)]


def test_page_and_find_return_every_field(store: ApiCallStore) -> None:
    wrong, one = store.page(CallFilter(1))

    assert (one.call, wrong.call) == (ONE, WRONG)
    assert store.find(1, one.number) == (one, b"one")
    assert store.find(2, one.number) is None


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (CallFilter(1), ["r-2", "r-1"]),
        (CallFilter(3), []),
        (CallFilter(1, statuses=(400, 499)), ["r-2"]),
        (CallFilter(1, rejected=False), ["r-1"]),
        (CallFilter(1, rejected=True), ["r-2"]),
        (CallFilter(1, code="CFDI40124"), ["r-2"]),
        (CallFilter(1, rfc="XAXX010101000"), ["r-2", "r-1"]),
        (CallFilter(1, rfc="EKU9003173C9", code="x"), []),
        (CallFilter(1, text="A100%"), ["r-1"]),
        (CallFilter(1, text="%"), ["r-1"]),
        (CallFilter(1, text="_"), []),
    ],
)
def test_page_applies_each_filter(store: ApiCallStore, filters: CallFilter, found: list[str]) -> None:
    assert ids(store, filters) == found


def test_page_and_newer_are_bounded_by_numbers(store: ApiCallStore) -> None:
    wrong, one = store.page(CallFilter(1))

    assert [row.number for row in store.page(CallFilter(1), wrong.number)] == [one.number]
    assert [row.number for row in store.newer(CallFilter(1), one.number, 10)] == [wrong.number]
    assert [row.number for row in store.newer(CallFilter(1), 0, 1)] == [wrong.number]
    assert (store.newest_number(1), store.newest_number(9)) == (wrong.number, 0)


def test_durations_are_sorted_and_of_the_newest_calls(store: ApiCallStore) -> None:
    assert store.durations(1, 10) == [900, 1500]
    assert store.durations(1, 1) == [900]


def test_add_advances_the_version_and_sums_dropped_calls(store: ApiCallStore, database: Database) -> None:
    before = database.cache_version(AREA)
    store.add([], {1: 2}, NOON + timedelta(days=1))
    store.add([], NONE, NOON)

    dropped = store.dropped(1)
    assert dropped is not None
    assert (dropped.calls, dropped.last_at) == (5, NOON + timedelta(days=1))
    assert store.dropped(2) is None
    assert database.cache_version(AREA) == before + 1


def test_add_writes_nothing_for_another_state(store: ApiCallStore) -> None:
    store.add([(ONE, b"")], NONE, NOON, state_version=7)

    assert ids(store, CallFilter(1)) == ["r-2", "r-1"]


def test_expire_deletes_by_age_and_by_number(store: ApiCallStore) -> None:
    many = [(replace(ONE, at=NOON + timedelta(minutes=number), request_id=str(number)), b"") for number in range(1200)]
    store.add(many, NONE, NOON)

    assert store.expire(NOON + timedelta(minutes=1), rows=1000) == 3 + 200
    assert len(store.durations(1, 5000)) == 1000
    assert ids(store, CallFilter(1))[0] == "1199"
    assert ids(store, CallFilter(2)) == []
    assert store.dropped(1) is None
    assert store.expire(NOON, rows=1000) == 0
