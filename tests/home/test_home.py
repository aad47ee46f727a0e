"""The home page: figures, newest documents, cards of features."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.browser import Visitor, portal_app
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.database.build import opened_database
from timbra.operations.build import operations_services
from timbra.rejections.store import Rejection
from timbra.settings import Settings

RFCS = ["KIJ0906199R1", "EKU9003173C9", "XIA190128J61", "JES900109Q90", "IVD920810GU2", "XOJI740919U48"]
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    """Ana has two stamps today, and three rejections 40 days ago; the texts of both have markup."""
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    for folio in ("1", SCRIPT):
        made.issue(examples.ingreso({"@Folio": folio}, fecha=FECHA).encode())
    before = made.now - timedelta(days=40)
    rejection = Rejection(made.caller.account_id, before, before, "solicitud-1", "/cfdi33/stamp/v4", "301", SCRIPT)
    made.container.get(operations_services).rejection_store.add([rejection] * 3, {})
    made.account("bea@example.com")
    yield made
    made.container.close()


def visitor_of(sandbox_app: SandboxApp, user: str, path: str) -> Visitor:
    made = Visitor(sandbox_app)
    made.sign_in(user)
    made.get(path)
    return made


def test_home_shows_last_stamps_and_rejections(sandbox_app: SandboxApp) -> None:
    visitor = visitor_of(sandbox_app, "ana@example.com", "/portal")

    assert visitor.page is not None
    assert len(visitor.page.xpath("//section[@aria-labelledby='last']//tbody/tr")) == 2
    assert "solicitud-1" in visitor.text
    assert "30 días" in visitor.text
    assert "Sin límite" in visitor.text


def test_home_shows_the_certificates_that_expire_first(sandbox_app: SandboxApp) -> None:
    account = sandbox_app.account("dora@example.com")
    for days, rfc in enumerate(RFCS, 10):
        sandbox_app.store(sandbox_app.mint(rfc, valid_to=sandbox_app.now + timedelta(days=days)), account)
    visitor = visitor_of(sandbox_app, "dora@example.com", "/portal")

    assert visitor.page is not None
    section = visitor.page.xpath("//section[@aria-labelledby='certificates']")[0]
    assert [each.text for each in section.xpath(".//li/*[@class='code']")] == RFCS[:5]
    assert section.xpath("string(.//p/a)") == "Los 6 certificados"


def test_home_of_another_account_is_empty(sandbox_app: SandboxApp) -> None:
    visitor = visitor_of(sandbox_app, "bea@example.com", "/portal")

    assert "Todavía no hay documentos timbrados" in visitor.text
    assert "No hay rechazos" in visitor.text
    assert "No hay certificados guardados" in visitor.text


def test_home_shows_the_balance_of_a_limited_account(sandbox_app: SandboxApp) -> None:
    account = sandbox_app.account("carla@example.com").account_id
    sandbox_app.container.get(account_services).balances.set_unlimited(account, False)
    sandbox_app.container.get(account_services).balances.add(account, 1500)

    assert "1,500 de 1,500 asignados" in visitor_of(sandbox_app, "carla@example.com", "/portal").text


def test_home_escapes_markup_of_documents_and_rejections(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in("ana@example.com")
    assert SCRIPT not in visitor.get("/portal").text
    assert visitor.text.count(SCRIPT) >= 2


def test_home_lists_a_damaged_document(sandbox_app: SandboxApp) -> None:
    database = sandbox_app.container.get(opened_database)
    with database.write() as connection:
        connection.execute(text("UPDATE stamp SET total = 'many' WHERE uuid = (SELECT min(uuid) FROM stamp)"))
    visitor = visitor_of(sandbox_app, "ana@example.com", "/portal")
    assert visitor.page is not None
    assert len(visitor.page.xpath("//section[@aria-labelledby='last']//tbody/tr")) == 2


@pytest.mark.parametrize(
    ("notice", "told"),
    [("reinicio", "Los datos de prueba de la cuenta se eliminaron."), ("password", "La contraseña se cambió.")],
)
def test_home_tells_what_was_done(sandbox_app: SandboxApp, notice: str, told: str) -> None:
    assert told in visitor_of(sandbox_app, "ana@example.com", f"/portal?aviso={notice}").text


def test_home_in_production_has_no_sandbox_banner(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, environment="production", status_service="none")
    with open_container(settings) as container:
        container.get(account_services).accounts.create("ana@example.com", "una contraseña larga")
        visitor = Visitor(sandbox_app)
        visitor._app = portal_app(container)
        visitor.sign_in("ana@example.com")
        assert visitor.get("/portal").status_code == 200
        assert "Ambiente de pruebas" not in visitor.text
