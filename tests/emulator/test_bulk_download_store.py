"""Rows of the emulated bulk download, in SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.support.store_records import NOON

from timbra.database.database import Database
from timbra.emulator.bulk.store import DownloadPackageRow, DownloadRequestRow, DownloadRequestStore

RFC = "EKU9003173C9"


@pytest.fixture
def store(database: Database) -> DownloadRequestStore:
    return DownloadRequestStore(database)


def row(name: str, minutes: int = 0, question: str = "q", rfc: str = RFC) -> DownloadRequestRow:
    at = NOON + timedelta(minutes=minutes)
    return DownloadRequestRow(name, "cfdi", rfc, "CFDI", question, {"folio": "ñ"}, at, scripted={"defects": ["html"]})


def test_request_is_read_as_it_was_stored(store: DownloadRequestStore) -> None:
    store.insert(row("a"))
    assert store.get("a") == row("a")
    assert store.get("b") is None


def test_newest_and_equal_requests_are_in_order(store: DownloadRequestStore) -> None:
    for each in (row("b", 1), row("a"), row("c", 2, "other"), row("d", 3, rfc="XIA190128J61")):
        store.insert(each)
    assert [each.id for each in store.newest(3)] == ["d", "c", "b"]
    assert [each.id for each in store.equal_requests(RFC, "cfdi", "q")] == ["a", "b"]
    assert store.equal_requests(RFC, "retenciones", "q") == []


def test_polls_are_counted(store: DownloadRequestStore) -> None:
    store.insert(row("a"))
    assert [found.polls for _ in range(2) if (found := store.count_poll("a"))] == [1, 2]
    assert store.count_poll("b") is None


def test_request_is_finished_once_with_its_packages(store: DownloadRequestStore) -> None:
    store.insert(row("a"))
    packages = [DownloadPackageRow("a", 2, 5, 10), DownloadPackageRow("a", 1, 5, 10)]
    assert store.finish("a", NOON, 3, "5000", 10, packages)
    assert not store.finish("a", NOON, 5, "5004", 0, [])
    found = store.get("a")
    assert found is not None
    assert (found.finished_at, found.state, found.code, found.documents) == (NOON, 3, "5000", 10)
    assert [each.number for each in store.packages("a")] == [1, 2]
    store.set_finished_at("a", NOON + timedelta(hours=1))
    found = store.get("a")
    assert found is not None
    assert found.finished_at == NOON + timedelta(hours=1)


def test_downloads_are_counted_up_to_the_limit(store: DownloadRequestStore) -> None:
    store.insert(row("a"))
    store.finish("a", NOON, 3, "5000", 5, [DownloadPackageRow("a", 1, 5, 10)])
    assert [store.count_download("a", 1, 2) for _ in range(3)] == [True, True, False]
    assert (store.has_package("a", 1), store.has_package("a", 2)) == (True, False)


def test_live_requests_are_open_unfinished_for_the_caller_or_recent(store: DownloadRequestStore) -> None:
    for name in ("open", "unseen", "recent", "old"):
        store.insert(row(name))
    for name, hours in (("unseen", -100), ("recent", -1), ("old", -100)):
        store.finish(name, NOON + timedelta(hours=hours), 3, "5000", 0, [])
    for name in ("recent", "old"):
        store.count_poll(name)
    assert store.with_live_packages(NOON - timedelta(hours=72), 0) == {"open", "unseen", "recent"}
