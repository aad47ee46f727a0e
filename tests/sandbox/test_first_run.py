"""First run of a sandbox: the first account is made in the browser, then a certificate, a stamp and the API."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.browser import Visitor
from tests.support.databases import prepare_sqlite
from tests.support.sandbox_app import NOW, SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.composition import build_container
from timbra.core.errors import ServiceError
from timbra.settings import Settings

WELCOME, STEPS = "/portal/bienvenida", "/portal/primeros-pasos"
FIELDS = {"user": "luis@example.com", "password": "una contraseña larga", "name": "Luis"}


class EmptySandbox(SandboxApp):
    """A sandbox without accounts."""

    def __init__(self, data: Path) -> None:
        prepare_sqlite(data)
        self.container = build_container(Settings(data=data, clock=NOW))


@pytest.fixture
def visitor(tmp_path: Path) -> Visitor:
    return Visitor(EmptySandbox(tmp_path))


def test_first_visitor_creates_the_administrator_and_stamps(visitor: Visitor) -> None:
    assert visitor.get("/portal/entrar").headers["location"] == WELCOME
    visitor.get(WELCOME)
    assert visitor.post(WELCOME, {**FIELDS, "user": ""}).status_code == 422

    assert visitor.post(WELCOME, FIELDS).headers["location"] == STEPS
    visitor.get(STEPS)
    assert "paso 1" in visitor.text
    assert visitor.post(f"{STEPS}/certificado", {"rfc": examples.KEMPER.rfc}).status_code == 303
    visitor.get(f"{STEPS}?aviso=certificado")
    assert "hecho" in visitor.text
    assert examples.KEMPER.rfc in visitor.text
    assert "curl -H" in visitor.text

    visitor.get("/portal/timbrar?ejemplo=ingreso")
    assert visitor.page is not None
    [area] = visitor.page.xpath("//textarea[@name='documento']")
    fields = {"documento": area.text_content().lstrip(), "accion": "timbrar"}
    stamped = visitor.post("/portal/timbrar", fields, files=[("archivo", ("", b""))])
    assert "aviso=timbrada" in stamped.headers["location"]
    visitor.get(STEPS)
    assert visitor.text.count("hecho") == 2
    assert "Administración" in visitor.text


def test_welcome_page_is_closed_once_there_is_an_account(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)

    assert visitor.get("/portal/entrar").status_code == 200
    assert visitor.get(WELCOME).headers["location"] == "/portal/entrar"
    visitor.get("/portal/entrar")
    answer = visitor.post(WELCOME, FIELDS)

    assert answer.status_code == 422
    assert "ya tiene una cuenta" in visitor.text
    with pytest.raises(ServiceError):
        sandbox_app.container.get(account_services).accounts.find(FIELDS["user"])


def test_only_one_first_account_is_created(tmp_path: Path) -> None:
    accounts = EmptySandbox(tmp_path).container.get(account_services).accounts
    assert accounts.is_empty()

    assert accounts.create_first("a@example.com", "una contraseña larga").role == "administrator"
    with pytest.raises(ServiceError, match="TB4005"):
        accounts.create_first("b@example.com", "una contraseña larga")

    assert [account.user for account in accounts.list_accounts()] == ["a@example.com"]
    assert not accounts.is_empty()


def test_certificate_of_an_unknown_taxpayer_is_rejected(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in("ana@example.com")
    visitor.get(STEPS)

    assert visitor.post(f"{STEPS}/certificado", {"rfc": "XXX010101XX1"}).status_code == 422
