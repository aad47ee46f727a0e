"""Rejected requests on their way from memory to the database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import pytest
from tests.support.store_records import NOON

from timbra import examples
from timbra.core.clock import FiscalClock, FiscalReading, FixedClock
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.rejections.log import RejectedRequest, RejectionLog, place_of
from timbra.rejections.store import Rejection

DOCUMENT = examples.ingreso({"@Serie": "A", "@Folio": "7"}).encode()
REJECTED = ServiceError("CFDI40147", "detalle", location=DocumentLocation("Receptor/@Rfc", "x", "y"))


class FakeRejectionStore:
    """A store that records its calls and fails as configured."""

    def __init__(self) -> None:
        self.rejections: list[Rejection] = []
        self.lost: dict[tuple[int, date], int] = {}
        self.fails = False
        self.before = NOON

    def add(
        self,
        rejections: Sequence[Rejection],
        lost: Mapping[tuple[int, date], int],
        state_version: int | None = None,
    ) -> None:
        if self.fails:
            raise ServiceError("CO1000", retry_after=5)
        self.rejections += rejections
        self.lost |= lost

    def expire(self, before: object) -> None:
        self.before = before  # type: ignore[assignment]


@pytest.fixture
def rejection_store() -> FakeRejectionStore:
    return FakeRejectionStore()


def rejection_log(rejection_store: FakeRejectionStore, *, keep_documents: bool = False, **bounds: int) -> RejectionLog:
    clock = FixedClock(NOON)
    return RejectionLog(rejection_store, clock, clock, keep_documents=keep_documents, days=30, **bounds)  # type: ignore[arg-type]


def request(name: str = "r", document: bytes | None = DOCUMENT, error: ServiceError = REJECTED) -> RejectedRequest:
    return RejectedRequest(1, name, "/cfdi33/issue/v4", error, document)


@pytest.mark.parametrize("is_known", [True, False])
def test_record_reads_fiscal_time_in_a_thread_when_memory_does_not_have_it(
    rejection_store: FakeRejectionStore, is_known: bool
) -> None:
    readers = []
    reading = FiscalReading(offset=timedelta(hours=2))

    def read() -> FiscalReading:
        readers.append(threading.current_thread())
        return reading

    wall = FixedClock(NOON)
    fiscal = FiscalClock(wall, read, lambda: reading if is_known else None)
    log = RejectionLog(rejection_store, wall, fiscal, keep_documents=False, days=30)  # type: ignore[arg-type]
    asyncio.run(log.record(request()))
    log.flush()

    [kept] = rejection_store.rejections
    assert (kept.at, kept.fiscal_at) == (NOON, NOON + timedelta(hours=2))
    assert [thread is threading.main_thread() for thread in readers] == ([] if is_known else [False])


def test_flush_writes_all_fields(rejection_store: FakeRejectionStore) -> None:
    log = rejection_log(rejection_store)
    asyncio.run(log.record(request()))

    log.flush()
    log.flush()

    [kept] = rejection_store.rejections
    assert (kept.code, kept.detail, kept.path, kept.found, kept.expected) == (
        "CFDI40147",
        "detalle",
        "Receptor/@Rfc",
        "x",
        "y",
    )
    assert (kept.issuer_rfc, kept.serie, kept.folio) == (examples.KEMPER.rfc, "A", "7")
    assert kept.document_hash == sha256(DOCUMENT).hexdigest()
    assert kept.document is None


def test_flush_writes_document_when_configured(rejection_store: FakeRejectionStore) -> None:
    log = rejection_log(rejection_store, keep_documents=True)
    asyncio.run(log.record(request()))
    log.flush()

    assert rejection_store.rejections[0].document == DOCUMENT


def test_flush_writes_no_hash_without_document(rejection_store: FakeRejectionStore) -> None:
    log = rejection_log(rejection_store)
    asyncio.run(log.record(request(document=None)))
    log.flush()

    assert (rejection_store.rejections[0].document_hash, rejection_store.rejections[0].issuer_rfc) == ("", "")


def test_record_needs_no_database_and_flush_keeps_what_it_cannot_write(rejection_store: FakeRejectionStore) -> None:
    reachable = False

    def read_version() -> int:
        if not reachable:
            raise ServiceError("CO1000", retry_after=5)
        return 3

    clock = FixedClock(NOON)
    log = RejectionLog(
        rejection_store,  # type: ignore[arg-type]
        clock,
        clock,
        keep_documents=False,
        days=30,
        state_version=read_version,
        known_state_version=lambda: None,
    )
    asyncio.run(log.record(request()))
    with pytest.raises(ServiceError):
        log.flush()
    reachable = True
    log.flush()
    assert [kept.request_id for kept in rejection_store.rejections] == ["r"]


@pytest.mark.parametrize(("later", "written"), [(3, ["r"]), (4, [])])
def test_flush_drops_rejections_of_an_earlier_state(
    rejection_store: FakeRejectionStore, later: int, written: list[str]
) -> None:
    versions = iter([later, later])
    clock = FixedClock(NOON)
    log = RejectionLog(
        rejection_store,  # type: ignore[arg-type]
        clock,
        clock,
        keep_documents=False,
        days=30,
        state_version=lambda: next(versions),
        known_state_version=lambda: 3,
    )
    asyncio.run(log.record(request()))
    log.flush()
    assert [kept.request_id for kept in rejection_store.rejections] == written


@pytest.mark.parametrize("bounds", [{"max_entries": 2}, {"most_bytes": 2 * len(DOCUMENT)}])
def test_record_drops_and_counts_oldest_beyond_limit(
    rejection_store: FakeRejectionStore, bounds: dict[str, Any]
) -> None:
    log = rejection_log(rejection_store, **bounds)
    for number in range(5):
        asyncio.run(log.record(request(str(number))))
    log.flush()

    assert [kept.request_id for kept in rejection_store.rejections] == ["3", "4"]
    assert rejection_store.lost == {(1, date(2026, 11, 17)): 3}


def test_record_keeps_one_document_beyond_limit(rejection_store: FakeRejectionStore) -> None:
    log = rejection_log(rejection_store, most_bytes=1)
    asyncio.run(log.record(request()))
    log.flush()

    assert len(rejection_store.rejections) == 1


def test_flush_retries_after_database_failure(rejection_store: FakeRejectionStore) -> None:
    log = rejection_log(rejection_store, max_entries=3)
    rejection_store.fails = True
    for number in range(4):
        asyncio.run(log.record(request(str(number))))
    with pytest.raises(ServiceError):
        log.flush()

    rejection_store.fails = False
    asyncio.run(log.record(request("4")))
    log.flush()

    assert [kept.request_id for kept in rejection_store.rejections] == ["2", "3", "4"]
    assert sum(rejection_store.lost.values()) == 2


def test_flush_truncates_long_texts(rejection_store: FakeRejectionStore) -> None:
    log = rejection_log(rejection_store)
    asyncio.run(log.record(request(error=ServiceError("301", "x" * 10_000, location=DocumentLocation("p" * 10_000)))))
    log.flush()

    assert len(rejection_store.rejections[0].detail) < 2100
    assert len(rejection_store.rejections[0].path or "") < 2100


def test_expire_deletes_by_retention(rejection_store: FakeRejectionStore) -> None:
    rejection_log(rejection_store).expire()

    assert rejection_store.before == NOON - timedelta(days=30)


def test_place_of_follows_causes_of_same_code() -> None:
    again, other = ServiceError("CFDI40147"), ServiceError("307")
    again.__cause__ = other.__cause__ = REJECTED

    assert place_of(again) == REJECTED.location
    assert place_of(other) == DocumentLocation()


def test_place_of_ends_when_causes_form_a_circle() -> None:
    own, first, second = (ServiceError("301", "detalle") for _ in range(3))
    own.__cause__ = own
    first.__cause__, second.__cause__ = second, first
    assert place_of(own) == place_of(first) == DocumentLocation()
