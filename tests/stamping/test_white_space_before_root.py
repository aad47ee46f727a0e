"""White space before the root of a document without declaration: stamped, stored from the root on, and found again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from zipfile import ZIP_STORED

import pytest
from tests.support.hostile_archives import zipped
from tests.support.leading_space import BLANKS, BOM, LEADING
from tests.support.sandbox_app import SandboxApp
from tests.validation.test_validation import codes, report

from timbra.batches.build import batch_runner, batch_service
from timbra.batches.store.models import BatchItem
from timbra.batches.store.repository import BatchRepository
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.examples import ingreso, retencion
from timbra.stamping.models import DocumentKind, StampResult

DONE = "done"

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
KINDS = {"cfdi": (DocumentKind.CFDI, "307", "301"), "retenciones": (DocumentKind.RETENCIONES, "T307", "T301")}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("white-space"))
    made.store(made.mint())
    yield made
    made.container.close()


def document(app: SandboxApp, kind: DocumentKind, number: int, *, sealed: bool) -> bytes:
    """Return a document without declaration."""
    fecha = to_central_mexico(app.now - timedelta(minutes=number + 1))
    text = retencion(fecha=fecha) if kind is DocumentKind.RETENCIONES else ingreso(fecha=fecha)
    content = app.sealed(text, app.mint()) if sealed else text.encode()
    return content[content.index(b"<retenciones:" if kind is DocumentKind.RETENCIONES else b"<cfdi:") :]


@pytest.mark.parametrize("route", ["stamp", "issue"])
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("number", range(len(LEADING)))
def test_document_is_stamped_and_repeated_with_any_white_space_before_its_root(
    app: SandboxApp, name: str, route: str, number: int
) -> None:
    kind, repeated, _ = KINDS[name]
    content = document(app, kind, number, sealed=route == "stamp")
    stamped = (app.stamp if route == "stamp" else app.issue)(LEADING[number] + content, kind=kind)
    stored = stamped.cfdi.encode()
    unchanged = b' Sello="' if route == "issue" else b"</" + content[1 : content.index(b" ")] + b">"
    assert stored.startswith(DECLARATION + content[: content.index(unchanged)])
    for other in {b"", LEADING[number], LEADING[number - 1]}:
        repeat = app.rejection(other + content, issue=route == "issue", kind=kind)
        assert (repeat.code, repeat.data) == (repeated, stamped), other[:10]


@pytest.mark.parametrize("name", KINDS)
def test_document_with_white_space_before_its_declaration_is_rejected(app: SandboxApp, name: str) -> None:
    kind, _, rejected = KINDS[name]
    for issue in (False, True):
        content = DECLARATION + document(app, kind, 50, sealed=not issue)
        for before in (*BLANKS, *(BOM + blanks for blanks in BLANKS), b" " + BOM):
            assert app.rejection(before + content, issue=issue, kind=kind).code == rejected, before[:10]


def outcomes(app: SandboxApp, documents: list[bytes], operation: str) -> list[BatchItem]:
    """Return what a batch of the documents did."""
    archive = BytesIO(zipped({f"{number}.xml": each for number, each in enumerate(documents)}, ZIP_STORED))
    batches = app.container.get(batch_service)
    batch = batches.submit(app.caller.account_id, archive, "lote.zip", operation, "http://h", pdf=False)
    asyncio.run(app.container.get(batch_runner).run_due())
    assert batches.find(app.caller.account_id, batch.id).state == DONE
    return BatchRepository(app.container.get(opened_database), app.container.wall).items(batch.id)


@pytest.mark.parametrize("operation", ["stamp", "issue"])
@pytest.mark.parametrize("name", KINDS)
def test_batch_stamps_a_document_once_whatever_white_space_precedes_it(
    app: SandboxApp, name: str, operation: str
) -> None:
    kind, repeated, _ = KINDS[name]
    content = document(app, kind, 60, sealed=operation == "stamp")
    found = outcomes(app, [each + content for each in LEADING], operation)
    (first,) = [each for each in found if each.result == "stamped"]
    others = [each for each in found if each is not first]
    assert {(each.result, each.code, each.uuid) for each in others} == {("repeated", repeated, first.uuid)}
    single = app.rejection(b"\n" + content, issue=operation == "issue", kind=kind)
    assert isinstance(single.data, StampResult)
    assert (single.code, single.data.uuid) == (repeated, first.uuid)


def test_batch_recognizes_content_by_its_customid_whatever_white_space_precedes_it(app: SandboxApp) -> None:
    """With another CSD the seal differs."""
    content = document(app, DocumentKind.CFDI, 70, sealed=False)
    (first,) = outcomes(app, [b"\n" + content], "issue")
    app.store(app.mint())
    found = outcomes(app, [each + content for each in LEADING], "issue")
    assert {(each.result, each.code, each.uuid) for each in found} == {("repeated", "CFDI3307", first.uuid)}


@pytest.mark.parametrize("name", KINDS)
def test_report_is_the_same_whatever_white_space_precedes_the_root(app: SandboxApp, name: str) -> None:
    kind, _, rejected = KINDS[name]
    stamped = app.stamp(document(app, kind, 80, sealed=True), kind=kind).cfdi.encode()
    content = stamped.removeprefix(DECLARATION)
    expected = report(app, content, status=False)
    assert codes(expected) == set()
    for before in LEADING:
        assert report(app, before + content, status=False) == expected, before[:10]
        if before.strip(BOM):
            with pytest.raises(ServiceError) as caught:
                report(app, before + stamped, status=False)
            assert kind.error(caught.value).code == rejected
        else:
            assert codes(report(app, before + stamped, status=False)) == set()
