"""The pages of an account where nothing is simulated, no list was imported and nobody may stamp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.portal.browser import Visitor
from tests.store.records import NOON, record
from tests.support.cancelling import CancelDesk

from timbra.portal.app import build
from timbra.settings import Settings
from timbra.store.port import Claim
from timbra.wiring import open_house

USER, PASSWORD = "ana@example.com", "una contraseña larga"
ELSEWHERE = "00000000-0000-4000-8000-000000000000"
PAGES = ["", "/facturas", f"/facturas?uuid={ELSEWHERE}", "/rechazos", "/uso", "/certificados", "/tokens"]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancelDesk]:
    made = CancelDesk(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.house.close()


@pytest.fixture(scope="module")
def visitor(sandbox: CancelDesk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Ana, with a stored CSD and one invoice."""
    document = sandbox.house.stamps.by_uuid(sandbox.invoice())
    assert document is not None
    settings = Settings(data=tmp_path_factory.mktemp("production"), environment="production", status_service="none")
    with open_house(settings) as house:
        account = house.accounts.create(USER, PASSWORD).account_id
        credential = sandbox.issuer
        house.vault.save(account, credential.certificate_der, credential.key_der, credential.password)
        stamp = replace(record("1", account=account, at=NOON, uuid=document.uuid), environment="production")
        house.stamps.claim([Claim(replace(stamp, cfdi=document.cfdi, total=document.total))])
        made = Visitor(sandbox)
        made._app = build(house)
        made.sign_in(USER, PASSWORD)
        yield made


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_there_and_say_nothing_of_tests(visitor: Visitor, path: str) -> None:
    answer = visitor.get(f"/portal{path}")

    assert answer.status_code == 200
    assert "Ambiente de pruebas" not in visitor.text


def test_the_authority_is_asked_only_when_told_to(visitor: Visitor) -> None:
    visitor.get("/portal/facturas")
    assert visitor.page is not None
    [link] = visitor.page.xpath("//tbody//a/@href")
    visitor.get(link)
    assert "Consultar" in visitor.text

    answer = visitor.get(f"{link}?estado=si")
    assert answer.status_code == 200
    assert "No hay un servicio que lo diga" in visitor.text


def test_where_nobody_cancels_that_is_told(visitor: Visitor) -> None:
    visitor.get("/portal/facturas")
    assert visitor.page is not None
    [link] = visitor.page.xpath("//tbody//a/@href")
    visitor.get(link)

    assert visitor.post(f"{link}/cancelar", {"motivo": "02", "sustituta": ""}).status_code == 422


def test_a_sandbox_certificate_is_marked(visitor: Visitor) -> None:
    visitor.get("/portal/certificados")

    assert "autoridad desconocida" in visitor.text
