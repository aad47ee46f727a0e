"""The buffer of recorded calls: what it writes, what it drops, and how it fails."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.databases import prepare_sqlite, sqlite_url

from timbra.core.clock import WallClock
from timbra.core.errors import ServiceError
from timbra.database.database import open_database
from timbra.inspector import recorder as recorder_module
from timbra.inspector.call_content import read_content
from timbra.inspector.recorder import CallRecorder
from timbra.inspector.store import ApiCallStore, CallFilter
from timbra.web.captured_call import CapturedCall

ANA, BEA = 1, 2
CALL = CapturedCall(
    account_id=ANA,
    user="ana@example.com",
    request_id="r-1",
    operation="issue",
    method="POST",
    path="/cfdi33/issue/v4",
    query=b"",
    request_headers=[(b"content-type", b"text/xml")],
    request_body=b"<a/>",
    request_bytes=4,
    status=200,
    response_headers=[(b"content-type", b"application/json")],
    response_body=b"{}",
    response_bytes=2,
    code="",
    error=None,
    microseconds=1500,
)


@pytest.fixture
def store(tmp_path: Path) -> ApiCallStore:
    prepare_sqlite(tmp_path)
    return ApiCallStore(open_database(sqlite_url(tmp_path)))


def recorder_of(store: ApiCallStore, **values: object) -> CallRecorder:
    return CallRecorder(store, WallClock(), days=7, rows=100, max_body_bytes=1000, **values)  # type: ignore[arg-type]


def stored(store: ApiCallStore, account_id: int = ANA) -> int:
    return len(store.page(CallFilter(account_id)))


def test_flush_writes_calls_and_tells_so(store: ApiCallStore) -> None:
    written = []
    recorder = recorder_of(store, on_written=lambda: written.append(stored(store)))
    recorder.record(CALL)
    recorder.record(replace(CALL, account_id=BEA))

    recorder.flush()
    recorder.flush()

    assert written == [1]
    assert (stored(store, ANA), stored(store, BEA)) == (1, 1)


def test_record_drops_and_counts_calls_beyond_the_limit_of_an_account(
    store: ApiCallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "MAX_ACCOUNT_CALLS", 3)
    recorder = recorder_of(store)
    for _ in range(5):
        recorder.record(CALL)
    recorder.record(replace(CALL, account_id=BEA))

    recorder.flush()

    dropped = store.dropped(ANA)
    assert dropped is not None
    assert dropped.calls == 2
    assert (stored(store, ANA), stored(store, BEA)) == (3, 1)
    assert store.dropped(BEA) is None


def test_record_drops_calls_whose_bodies_do_not_fit(store: ApiCallStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_module, "MAX_BYTES", 10)
    recorder = recorder_of(store)
    recorder.record(CALL)
    recorder.record(CALL)

    recorder.flush()

    dropped = store.dropped(ANA)
    assert (stored(store), dropped.calls if dropped else 0) == (1, 1)


def test_flush_counts_calls_when_the_database_is_out_of_reach(
    store: ApiCallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = recorder_of(store)
    recorder.record(CALL)
    with monkeypatch.context() as patched:
        patched.setattr(store, "add", _fail)
        with pytest.raises(ServiceError):
            recorder.flush()

    recorder.flush()

    dropped = store.dropped(ANA)
    assert (stored(store), dropped.calls if dropped else 0) == (0, 1)


def _fail(*_: object) -> None:
    raise ServiceError("CO1000", retry_after=1)


def test_flush_counts_a_call_that_cannot_be_written_and_writes_the_others(store: ApiCallStore) -> None:
    recorder = recorder_of(store)
    recorder.record(replace(CALL, query=None))  # type: ignore[arg-type]
    recorder.record(CALL)

    recorder.flush()
    recorder.flush()

    dropped = store.dropped(ANA)
    assert (stored(store), dropped.calls if dropped else 0) == (1, 1)


def test_flush_leaves_out_calls_of_an_earlier_state_of_the_sandbox(store: ApiCallStore) -> None:
    version = [1]
    recorder = recorder_of(store, state_version=lambda: version[0], known_state_version=lambda: version[0])
    recorder.record(CALL)
    version[0] = 2

    recorder.flush()

    assert stored(store) == 0


def test_expire_uses_days_and_rows(store: ApiCallStore) -> None:
    clock = _Clock()
    recorder = CallRecorder(store, clock, days=7, rows=2, max_body_bytes=1000)
    for age in (8, 3, 2, 1):
        clock.age = timedelta(days=age)
        recorder.record(replace(CALL, request_id=f"r{age}"))
    clock.age = timedelta()
    recorder.flush()

    recorder.expire()

    assert [row.call.request_id for row in store.page(CallFilter(ANA))] == ["r1", "r2"]


class _Clock(WallClock):
    age = timedelta()

    def now(self):  # type: ignore[no-untyped-def]
        return super().now() - self.age


def test_content_of_a_cut_body_says_so(store: ApiCallStore) -> None:
    recorder = recorder_of(store)
    recorder.record(replace(CALL, request_body=b"<a>" + b"x" * 10, request_bytes=5000))
    recorder.flush()
    [row] = store.page(CallFilter(ANA))

    found = store.find(ANA, row.number)

    assert found is not None
    content = read_content(found[1])
    assert (content.request.is_cut, content.request.size, content.request_xml) == (True, 5000, None)
