"""Substitution in one step: stamp with relation 04, cancellation with motive 01, and its resumption."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from tests.invoices.test_form import INVOICE, PATH, fields_of, send, stored
from tests.support.browser import Visitor
from tests.support.cancellation_app import CancellationApp

from timbra.cancellation.cancelling import CancellationService
from timbra.core.errors import ServiceError


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    made.account("bea@example.com")
    yield made
    made.container.close()


@pytest.fixture
def ana(app: CancellationApp) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    visitor.get(PATH)
    return visitor


def substituted(visitor: Visitor) -> str:
    """Stamp an invoice and open the form of its substitute; return its UUID."""
    visitor.get(PATH)
    uuid = send(visitor, "timbrar", {**INVOICE, "Folio": uuid4().hex[:12]})
    visitor.get(f"/portal/facturas/{uuid}")
    assert visitor.page is not None
    (link,) = visitor.page.xpath("//a[normalize-space()='Sustituir']/@href")
    visitor.get(str(link))
    assert fields_of(visitor)["sustituye"] == uuid
    return uuid


def test_substitute_is_stamped_and_the_old_invoice_cancelled(app: CancellationApp, ana: Visitor) -> None:
    old = substituted(ana)

    new = send(ana, "timbrar", {"Concepto.1.ValorUnitario": "900"})

    related = stored(app, new).find("{*}CfdiRelacionados")
    assert related is not None
    assert (related.get("TipoRelacion"), related[0].get("UUID", "").lower()) == ("04", old)
    ana.get(f"{PATH}/sustitucion/{new}")
    assert "Sustitución hecha" in ana.text
    assert app.status(old).status == "Cancelado"
    assert ana.get(f"{PATH}/sustitucion/{old}").status_code == 404
    ana.get(f"/portal/facturas/{new}")
    assert ana.page is not None
    assert ana.page.xpath("//a[normalize-space()='Ver la sustitución']/@href") == [f"{PATH}/sustitucion/{new}"]


def test_failed_cancellation_is_said_and_resumed(
    app: CancellationApp, ana: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = substituted(ana)

    def fail(*_: object) -> None:
        raise ServiceError("authority-down", retry_after=5)

    with monkeypatch.context() as patched:
        patched.setattr(CancellationService, "by_uuid", fail)
        new = send(ana, "timbrar")
    ana.get(f"{PATH}/sustitucion/{new}?codigo=authority-down")
    assert "Falta un paso" in ana.text

    bea = Visitor(app)
    bea.sign_in("bea@example.com")
    assert bea.get(f"{PATH}/sustitucion/{new}").status_code == 404
    answer = ana.post(f"{PATH}/sustitucion/{new}", {})
    ana.get(answer.headers["location"])

    assert "Sustitución hecha" in ana.text
    assert old in ana.text
