"""Plain invoices of concurrent requests: batches, the store, and the comparison of both paths."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from tests.support.plain_paths import OneByOne
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra._native import STATE
from timbra.accounts.build import account_services
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation, StampRequest, StampResult
from timbra.stamping.plain.batches import PlainBatches, PlainRequest, PlainStamp
from timbra.stamping.plain.queue import PlainQueue
from timbra.stamps.build import database_stamps

pytestmark = pytest.mark.skipif(not STATE.active, reason="without native code no document is plain")


def invoice(folio: str) -> bytes:
    return examples.ingreso({"@Folio": folio}, fecha=FECHA).encode()


@pytest.fixture(scope="module", params=["on", "compare"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    """A sandbox with the fast path; the key of its account has been read."""
    with mock.patch("timbra.stamping.plain.build.SignatureBatches", OneByOne):
        made = SandboxApp(tmp_path_factory.mktemp("plain"), fast_path=request.param)
        made.container.get(stamping_services)
    made.store(made.mint())
    made.issue(invoice("first"))
    yield made
    made.container.close()


def outcomes(app: SandboxApp) -> dict[str, int]:
    counts = app.container.metrics.counts
    return {labels[0]: number for (name, labels), number in counts.items() if name == "plain_invoices"}


def issue_all(app: SandboxApp, documents: Sequence[bytes]) -> list[StampResult | BaseException]:
    service, caller = app.container.get(stamping_services).stamping, app.caller

    async def run() -> list[StampResult | BaseException]:
        requests = [StampRequest(caller, xml, f"request {number}") for number, xml in enumerate(documents)]
        return await asyncio.gather(*map(service.issue, requests), return_exceptions=True)

    return asyncio.run(run())


def test_concurrent_requests_are_stored_and_answered_each_by_its_own_stamp(app: SandboxApp) -> None:
    before, folios = outcomes(app), [f"concurrent {number}" for number in range(20)]
    with mock.patch.object(PlainBatches, "stamp", autospec=True, side_effect=PlainBatches.stamp) as issue:
        results = issue_all(app, [invoice(folio) for folio in folios])

    assert [len(call.args[1]) for call in issue.call_args_list] == [16, 4]
    assert outcomes(app)["plain"] - before.get("plain", 0) == 20
    assert "different" not in outcomes(app)
    stored = app.container.get(database_stamps)
    for folio, result in zip(folios, results, strict=True):
        assert isinstance(result, StampResult)
        record = stored.by_uuid(result.uuid)
        assert record is not None
        assert (record.folio, record.cfdi.decode()) == (folio, result.cfdi)
        assert f'Folio="{folio}"' in result.cfdi


def test_sealed_invoices_are_stamped_in_the_batches_of_issued_ones(app: SandboxApp) -> None:
    credential = app.mint()
    sealed = [app.sealed(invoice(f"sealed {number}").decode(), credential) for number in range(2)]
    app.issue(invoice("reads the new lists"))
    before, service = outcomes(app), app.container.get(stamping_services).stamping

    async def run() -> list[StampResult]:
        requests = [StampRequest(app.caller, xml, "request") for xml in (*sealed, invoice("with sealed ones"))]
        work = [service.stamp(requests[0]), service.stamp(requests[1]), service.issue(requests[2])]
        return await asyncio.gather(*work)

    with mock.patch.object(PlainBatches, "stamp", autospec=True, side_effect=PlainBatches.stamp) as stamp:
        results = asyncio.run(run())

    assert [len(call.args[1]) for call in stamp.call_args_list] == [3]
    assert outcomes(app)["plain"] - before.get("plain", 0) == 3
    assert "different" not in outcomes(app)
    stored = [app.container.get(database_stamps).by_uuid(result.uuid) for result in results]
    assert [each and each.folio for each in stored] == ["sealed 0", "sealed 1", "with sealed ones"]
    assert app.rejection(sealed[0]).code == "307"


def test_types_of_related_documents_are_looked_up(app: SandboxApp) -> None:
    invoiced = app.issue(invoice("related")).uuid
    before = outcomes(app)
    app.issue(examples.egreso({"@Folio": "of an invoice"}, fecha=FECHA, related=invoiced).encode())
    assert outcomes(app)["plain"] - before["plain"] == 1

    transfers = {"CfdiRelacionados/@TipoRelacion": "06", "@Folio": "of a transfer"}
    wrong = examples.egreso(transfers, fecha=FECHA, related=invoiced).encode()
    assert app.rejection(wrong, issue=True).code == "CFDI40999"
    assert outcomes(app)["plain"] - before["plain"] == 1
    assert "different" not in outcomes(app)


def test_repeat_of_a_plain_invoice_has_the_earlier_stamp(app: SandboxApp) -> None:
    first = app.issue(invoice("repeated"))
    with pytest.raises(ServiceError) as raised:
        app.issue(invoice("repeated"))

    assert raised.value.code == "307"
    assert isinstance(raised.value.data, StampResult)
    assert raised.value.data.uuid == first.uuid
    assert "different" not in outcomes(app)


def test_repeats_in_one_batch_get_one_stamp(app: SandboxApp) -> None:
    results = issue_all(app, [invoice("twice"), invoice("twice")])
    assert sorted(type(each).__name__ for each in results) == ["ServiceError", "StampResult"]
    assert [each.code for each in results if isinstance(each, ServiceError)] == ["307"]


def test_customid_of_a_plain_invoice_is_stored(app: SandboxApp) -> None:
    app.issue(invoice("custom"), custom_id="order-1")
    with pytest.raises(ServiceError) as raised:
        app.issue(invoice("other"), custom_id="order-1")
    assert raised.value.code == "CFDI3307"


def test_plain_invoice_of_an_account_without_stamps_is_rejected(app: SandboxApp) -> None:
    caller = app.account("bea@example.com")
    app.store(app.mint(), caller)
    app.issue(invoice("read the key"), caller=caller)
    app.container.get(account_services).balances.set_unlimited(caller.account_id, False)
    with pytest.raises(ServiceError) as raised:
        app.issue(invoice("no balance"), caller=replace(caller, limited=True))
    assert raised.value.code == "AU2001"


def test_rejected_and_other_documents_take_the_ordinary_path(app: SandboxApp) -> None:
    before = outcomes(app).get("ordinary", 0)
    wrong = examples.ingreso({"@Folio": "wrong", "@Total": "1.00"}, fecha=FECHA).encode()
    results = issue_all(app, [wrong, examples.traslado(fecha=FECHA).encode(), b"<a/>"])
    assert [each.code if isinstance(each, ServiceError) else "" for each in results] == ["CFDI40119", "", "301"]
    assert outcomes(app)["ordinary"] - before == 3


def test_failure_of_the_fast_path_leaves_its_documents_to_the_ordinary_one(app: SandboxApp) -> None:
    with mock.patch.object(PlainBatches, "stamp", side_effect=RuntimeError("broken")):
        results = issue_all(app, [invoice("broken 1"), invoice("broken 2")])
    assert [type(each).__name__ for each in results] == ["StampResult", "StampResult"]


def test_failure_of_a_look_up_leaves_its_document_to_the_ordinary_path(app: SandboxApp) -> None:
    before = outcomes(app).get("ordinary", 0)
    related = examples.egreso({"@Folio": "no look-up"}, fecha=FECHA).encode()
    with mock.patch.object(PlainBatches, "with_related", side_effect=RuntimeError("broken")):
        assert 'Folio="no look-up"' in app.issue(related).cfdi
    assert outcomes(app)["ordinary"] - before == 1


def planted(app: SandboxApp, changed: str) -> dict[str, int]:
    """Issue an invoice whose plain stamp has another text; return what was counted."""
    before, stamp = outcomes(app), PlainBatches.stamp

    def change(batches: PlainBatches, requests: Sequence[PlainRequest]) -> list[PlainStamp | None]:
        stamps = [each for each in stamp(batches, requests) if each is not None]
        cfdi = stamps[0].stamp.cfdi.replace(b'Folio="planted', changed.encode())
        return [replace(stamps[0], stamp=replace(stamps[0].stamp, cfdi=cfdi))]

    with mock.patch.object(PlainBatches, "stamp", change):
        app.issue(invoice("planted"))
    return {name: number - before.get(name, 0) for name, number in outcomes(app).items()}


@pytest.mark.parametrize("app", ["compare"], indirect=True)
def test_difference_of_the_paths_is_counted_and_the_ordinary_path_answers(app: SandboxApp) -> None:
    assert planted(app, 'Folio="other')["different"] == 1


def test_request_of_an_ended_event_loop_does_not_stop_later_ones(tmp_path: Path) -> None:
    class Batches:
        def stamp(self, requests: Sequence[PlainRequest]) -> list[None]:
            return [None] * len(requests)

    queue = PlainQueue(Batches(), MetricsRegistry(), "on")  # type: ignore[arg-type]
    request = StampRequest(mock.Mock(), b"<a/>", "request")

    async def leave() -> None:
        waiting = asyncio.ensure_future(queue.stamp(request, StampingOperation.ISSUE, asyncio.to_thread))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(leave())
    assert asyncio.run(asyncio.wait_for(queue.stamp(request, StampingOperation.ISSUE, asyncio.to_thread), 5)) is None


def test_large_document_takes_the_ordinary_path_at_once() -> None:
    queue = PlainQueue(mock.Mock(), MetricsRegistry(), "on")
    request = StampRequest(mock.Mock(), b" " * (64 * 1024 + 1), "request")
    assert asyncio.run(queue.stamp(request, StampingOperation.ISSUE, asyncio.to_thread)) is None
