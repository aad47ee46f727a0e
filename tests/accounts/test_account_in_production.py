"""Portal pages of an account in production, without lists and without a provider key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.support.browser import Visitor, portal_app
from tests.support.cancellation_app import CancellationApp
from tests.support.store_records import NOON, record

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import open_container
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamps.port import Claim

USER, PASSWORD = "ana@example.com", "una contraseña larga"
ELSEWHERE = "00000000-0000-4000-8000-000000000000"
PAGES = ["/facturas", f"/facturas?uuid={ELSEWHERE}", "/rechazos", "/uso", "/certificados", "/tokens", "/timbrar"]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def visitor(sandbox: CancellationApp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Ana, with a stored CSD and one invoice."""
    document = sandbox.container.get(stamping_services).stamps.by_uuid(sandbox.invoice())
    assert document is not None
    settings = Settings(data=tmp_path_factory.mktemp("production"), environment="production", status_service="none")
    with open_container(settings) as container:
        account = container.get(account_services).accounts.create(USER, PASSWORD).account_id
        credential = sandbox.issuer
        container.get(certificate_services).vault.save(
            account, credential.certificate_der, credential.key_der, credential.password
        )
        stamp = replace(record("1", account=account, at=NOON, uuid=document.uuid), environment="production")
        container.get(stamping_services).stamps.claim([Claim(replace(stamp, cfdi=document.cfdi, total=document.total))])
        made = Visitor(sandbox)
        made._app = portal_app(container)
        made.sign_in(USER, PASSWORD)
        yield made


@pytest.mark.parametrize("path", PAGES)
def test_page_in_production_has_no_sandbox_banner(visitor: Visitor, path: str) -> None:
    answer = visitor.get(f"/portal{path}")

    assert answer.status_code == 200
    assert "Ambiente de pruebas" not in visitor.text


@pytest.mark.parametrize("path", ["/bienvenida", "/primeros-pasos"])
def test_first_run_does_not_exist_in_production(visitor: Visitor, path: str) -> None:
    assert visitor.get(f"/portal{path}").status_code == 404


def test_invoice_page_queries_the_status_on_request_only(visitor: Visitor) -> None:
    visitor.get("/portal/facturas")
    assert visitor.page is not None
    [link] = visitor.page.xpath("//tbody//a/@href")
    visitor.get(link)
    assert "Consultar" in visitor.text

    answer = visitor.get(f"{link}?estado=si")
    assert answer.status_code == 200
    assert "No hay un servicio configurado para consultar el estado" in visitor.text


def test_cancel_is_rejected_without_a_cancellation_service(visitor: Visitor) -> None:
    visitor.get("/portal/facturas")
    assert visitor.page is not None
    [link] = visitor.page.xpath("//tbody//a/@href")
    visitor.get(link)

    assert visitor.post(f"{link}/cancelar", {"motivo": "02", "sustituta": ""}).status_code == 422


def test_certificates_page_marks_a_sandbox_certificate_as_untrusted(visitor: Visitor) -> None:
    visitor.get("/portal/certificados")

    assert "autoridad desconocida" in visitor.text
