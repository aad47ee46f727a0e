"""Lists of documents: names, currency, complements and states; sums; pages of an export."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from tests.support.cancellation_app import CancellationApp

from timbra import examples
from timbra.documents.build import document_services
from timbra.documents.listing import CurrencyTotal, DocumentListing
from timbra.events.cancellation_states import DocumentState
from timbra.stamps.search import Order, StampFilter


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def uuids(app: CancellationApp) -> dict[str, str]:
    """A cancelled invoice, a valid one, its payment, and a retención, in this order."""
    cancelled, valid = app.invoice(price="100.00").lower(), app.invoice(price="200.00").lower()
    app.cancel(cancelled, "02")
    payment, retencion = app.payment(valid).lower(), app.retencion().lower()
    return {"cancelled": cancelled, "valid": valid, "payment": payment, "retencion": retencion}


@pytest.fixture
def listing(app: CancellationApp) -> DocumentListing:
    return app.container.get(document_services).listing


def selection(app: CancellationApp, **conditions: object) -> StampFilter:
    return StampFilter(app.caller.account_id, **conditions)  # type: ignore[arg-type]


def test_of_returns_what_only_the_document_has_in_the_order_of_the_folios(
    listing: DocumentListing, uuids: dict[str, str]
) -> None:
    payment, cancelled, retencion = listing.of(
        [uuids["payment"], uuids["cancelled"], "unknown", uuids["cancelled"], uuids["retencion"]]
    )

    assert (payment.extract.currency, payment.extract.complements) == ("XXX", ("Pagos",))
    assert payment.extract.issuer_name == examples.KEMPER.name
    assert payment.extract.receiver_name
    assert (cancelled.cancellation.state, cancelled.cancellation.motive) == (DocumentState.CANCELLED, "02")
    assert cancelled.extract.complements == ()
    assert retencion.extract.currency == "MXN"
    assert retencion.extract.issuer_name
    assert cancelled.cfdi == b""


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({}, "retencion payment valid cancelled"),
        ({"state": DocumentState.CANCELLED}, "cancelled"),
        ({"state": DocumentState.VALID}, "retencion payment valid"),
        ({"state": DocumentState.PENDING}, ""),
        ({"kind": "P"}, "payment"),
        ({"least": Decimal("200"), "most": Decimal("232.00"), "kind": "I"}, "valid"),
        ({"most": Decimal("116.00"), "kind": "I"}, "cancelled"),
    ],
)
def test_page_and_count_apply_the_conditions(
    app: CancellationApp, listing: DocumentListing, uuids: dict[str, str], conditions: dict[str, object], found: str
) -> None:
    page = listing.page(selection(app, **conditions))

    assert {row.stamp.uuid for row in page.rows} == {uuids[name] for name in found.split()}
    assert listing.count(selection(app, **conditions), 10) == len(found.split())


def test_sorted_page_orders_by_total_as_a_number(
    app: CancellationApp, listing: DocumentListing, uuids: dict[str, str]
) -> None:
    page = listing.page(selection(app, kind="I"), limit=2, order=Order.TOTAL)

    assert [row.stamp.total for row in page.rows] == ["232.00", "116.00"]
    assert page.cursor is None


def test_sorted_page_has_payments_by_what_they_paid(
    app: CancellationApp, listing: DocumentListing, uuids: dict[str, str]
) -> None:
    page = listing.page(selection(app, retenciones=False), order=Order.TOTAL, ascending=True)

    row = page.rows[2]
    assert (row.stamp.kind, row.stamp.total, row.amount, row.currency) == ("P", "0", Decimal("232.00"), "MXN")


def test_totals_leave_out_cancelled_documents(
    app: CancellationApp, listing: DocumentListing, uuids: dict[str, str]
) -> None:
    totals = listing.totals(selection(app, retenciones=False))

    assert totals.by_kind["I", "MXN"] == CurrencyTotal(1, Decimal("232.00"), 1)
    assert totals.by_kind["P", "MXN"] == CurrencyTotal(1, Decimal("232.00"), 0)
    assert totals.is_complete
    cancelled = listing.totals(selection(app, state=DocumentState.CANCELLED))
    assert cancelled.by_kind == {("I", "MXN"): CurrencyTotal(0, Decimal("0.00"), 1)}


def test_pages_yield_at_most_the_wanted_documents(
    app: CancellationApp, listing: DocumentListing, uuids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timbra.documents.listing.MAX_PAGE_SIZE", 2)

    pages = list(listing.pages(selection(app), 3, with_documents=True))

    assert [len(page) for page in pages] == [2, 1]
    assert all(row.cfdi.startswith(b"<") for page in pages for row in page)
    assert list(listing.pages(selection(app, folio="none"), 3)) == []
