"""The pages of the second factor: enrolment, the code after the password, and roles that need one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml.html import HtmlElement
from pyotp import TOTP
from tests.accounts.software_authenticator import Authenticator
from tests.accounts.support import MovableClock
from tests.support.browser import Visitor
from tests.support.events import list_audit_events
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.database.build import opened_database
from timbra.settings import Settings

ANA, PASSWORD = "ana@example.com", "una contraseña larga"
PATH, CODE = "/portal/seguridad", "/portal/entrar/codigo"
APPLICATION = f"{PATH}/aplicacion"


@pytest.fixture
def wall() -> MovableClock:
    return MovableClock(datetime.now(UTC))


def open_app(data: Path, wall: MovableClock, roles: str = "") -> SandboxApp:
    return SandboxApp(data, wall=wall, second_factor_roles=roles)


@pytest.fixture
def app(tmp_path: Path, wall: MovableClock) -> SandboxApp:
    return open_app(tmp_path, wall)


def page_of(visitor: Visitor) -> HtmlElement:
    assert visitor.page is not None
    return visitor.page


def enrol(visitor: Visitor, wall: MovableClock) -> tuple[TOTP, list[str]]:
    """Enrol an application in the portal; the next step begins, so that its code was not used."""
    visitor.get(PATH)
    visitor.post(APPLICATION, {})
    [secret] = page_of(visitor).xpath("//textarea[@id='secret']/text()")
    application = TOTP(str(secret))
    answer = visitor.post(f"{APPLICATION}/confirmar", {"code": application.at(wall.now())})
    assert answer.status_code == 200, visitor.text
    wall.advance(30)
    return application, str(page_of(visitor).xpath("//textarea[@id='codes']")[0].text).split()


def test_user_enrols_and_then_signs_in_with_a_code(app: SandboxApp, wall: MovableClock) -> None:
    ana = Visitor(app)
    ana.sign_in(ANA)
    application, codes = enrol(ana, wall)
    assert len(codes) == 10
    assert ana.get("/portal/facturas").status_code == 200
    ana.get(PATH)
    assert "Quedan 10 códigos sin usar" in ana.text
    assert application.secret not in ana.text

    other = Visitor(app)
    other.get("/portal/entrar")
    answer = other.post("/portal/entrar", {"user": ANA, "password": PASSWORD, "regreso": "/portal/facturas?rfc=A"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/portal/facturas?rfc=A")
    answer = other.get(answer.headers["location"])
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"{CODE}?regreso=%2Fportal%2Ffacturas%3Frfc%3DA",
    )
    other.get(answer.headers["location"])
    assert "Código de verificación" in other.text
    answer = other.post(CODE, {"code": "000000", "regreso": "/portal/facturas?rfc=A"})
    assert (answer.status_code, "El código no es correcto" in other.text) == (422, True)
    answer = other.post(CODE, {"code": application.at(wall.now()), "regreso": "/portal/facturas?rfc=A"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/portal/facturas?rfc=A")
    assert other.get("/portal/facturas").status_code == 200


def test_recovery_code_signs_in_and_is_shown_as_used(app: SandboxApp, wall: MovableClock) -> None:
    ana = Visitor(app)
    ana.sign_in(ANA)
    _, codes = enrol(ana, wall)
    other = Visitor(app)
    other.sign_in(ANA)
    other.get(CODE)
    assert other.post(CODE, {"code": codes[0]}).status_code == 303
    other.get(PATH)
    assert "Quedan 9 códigos sin usar" in other.text
    other.post(f"{PATH}/recuperacion", {})
    renewed = str(page_of(other).xpath("//textarea[@id='codes']")[0].text).split()
    assert len(renewed) == 10
    assert not set(renewed) & set(codes)


def test_session_without_the_factor_opens_no_page_of_the_account(app: SandboxApp, wall: MovableClock) -> None:
    ana, earlier = Visitor(app), Visitor(app)
    ana.sign_in(ANA)
    earlier.sign_in(ANA)
    enrol(ana, wall)
    accounts = app.container.get(account_services).accounts
    assert earlier.get("/portal/facturas").headers["location"] == f"{CODE}?regreso=%2Fportal%2Ffacturas"
    assert earlier.get(PATH).headers["location"] == CODE + "?regreso=%2Fportal%2Fseguridad"
    earlier.get(CODE)
    for path in (f"{APPLICATION}/quitar", f"{PATH}/recuperacion", APPLICATION, "/portal/tokens", "/portal/password"):
        answer = earlier.post(path, {})
        assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, CODE), path
    assert earlier.get("/portal/facturas", {"hx-request": "true"}).headers["hx-redirect"].startswith(CODE)
    # A token of the API is no session with the factor either.
    token = accounts.create_infinite_token(ANA)
    stranger = Visitor(app)
    stranger.cookies["timbra_session"] = token
    assert stranger.get("/portal/facturas").headers["location"].startswith(CODE)
    assert accounts.caller(f"Bearer {token}").user == ANA
    link = app.container.get(account_services).sign_in_links.create(ANA).path
    stranger = Visitor(app)
    stranger.get(link)
    stranger.post(link, {})
    assert stranger.get("/portal/facturas").headers["location"].startswith(CODE)


def test_session_keeps_the_factor_when_the_password_changes(app: SandboxApp, wall: MovableClock) -> None:
    ana = Visitor(app)
    ana.sign_in(ANA)
    enrol(ana, wall)
    ana.get("/portal/password")
    fields = {"old": PASSWORD, "new": "otra contraseña larga", "again": "otra contraseña larga"}
    assert ana.post("/portal/password", fields).status_code == 303
    assert ana.get("/portal/facturas").status_code == 200


@pytest.mark.parametrize("roles", ["owner", "operator, owner"])
def test_role_that_needs_a_factor_is_led_to_enrolment(tmp_path: Path, wall: MovableClock, roles: str) -> None:
    app = open_app(tmp_path, wall, roles)
    ana = Visitor(app)
    ana.sign_in(ANA)
    assert ana.get("/portal/facturas").headers["location"] == f"{PATH}?regreso=%2Fportal%2Ffacturas"
    ana.get(PATH)
    assert "Su rol necesita un segundo factor" in ana.text
    assert page_of(ana).xpath("//nav") == []
    answer = ana.post("/portal/tokens", {"label": "ERP"})
    assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, PATH)
    enrol(ana, wall)
    assert ana.get("/portal/facturas").status_code == 200
    assert ana.post(f"{APPLICATION}/quitar", {}).status_code == 303
    assert ana.get("/portal/facturas").headers["location"].startswith(PATH)


def test_other_roles_need_no_factor(tmp_path: Path, wall: MovableClock) -> None:
    app = open_app(tmp_path, wall, "administrator,auditor")
    ana = Visitor(app)
    ana.sign_in(ANA)
    assert ana.get("/portal/facturas").status_code == 200


def test_settings_reject_an_unknown_role() -> None:
    with pytest.raises(ValueError, match="jefe: the roles are administrator, owner, operator, reader, auditor"):
        Settings(second_factor_roles="owner,jefe")


def test_owner_resets_the_factor_of_a_user(app: SandboxApp, wall: MovableClock) -> None:
    accounts = app.container.get(account_services).accounts
    bea = accounts.users.create(app.caller.account_id, "bea@example.com", PASSWORD, "operator")
    ana, visitor = Visitor(app), Visitor(app)
    visitor.sign_in("bea@example.com")
    enrol(visitor, wall)
    ana.sign_in(ANA)
    ana.get("/portal/usuarios")
    assert "Restablecer el segundo factor" in ana.text
    assert ana.post(f"/portal/usuarios/{bea.guid}/segundo-factor", {}).status_code == 303
    assert Visitor(app).sign_in("bea@example.com").status_code == 303
    [event] = list_audit_events(app.container.get(opened_database), "second-factor.reset")
    assert (event.actor, event.subject) == (ANA, "bea@example.com")
    ana.get("/portal/usuarios")
    assert "Restablecer el segundo factor" not in ana.text


def test_administrator_resets_the_factor_of_an_account(app: SandboxApp, wall: MovableClock) -> None:
    accounts = app.container.get(account_services).accounts
    accounts.create("jefa@example.com", PASSWORD, "administrator")
    ana, jefa = Visitor(app), Visitor(app)
    ana.sign_in(ANA)
    enrol(ana, wall)
    guid = accounts.find(ANA).guid
    assert ana.post(f"/portal/cuentas/{guid}/segundo-factor", {}).status_code == 404
    jefa.sign_in("jefa@example.com")
    jefa.get(f"/portal/cuentas/{guid}")
    assert "Restablecer el segundo factor" in jefa.text
    assert jefa.post(f"/portal/cuentas/{guid}/segundo-factor", {}).status_code == 303
    other = Visitor(app)
    other.sign_in(ANA)
    assert other.get("/portal/facturas").status_code == 200


@pytest.fixture
def public_app(tmp_path: Path, wall: MovableClock) -> SandboxApp:
    return SandboxApp(tmp_path, wall=wall, public_url="https://pac.example.com", second_factor_roles="owner")


def options_of(visitor: Visitor, call: str) -> str:
    [options] = page_of(visitor).xpath(f"//form[@data-passkey='{call}']/@data-options")
    return str(options)


def test_passkey_takes_the_place_of_password_and_code(public_app: SandboxApp, wall: MovableClock) -> None:
    phone = Authenticator("https://pac.example.com")
    ana = Visitor(public_app)
    ana.sign_in(ANA)
    ana.get(PATH)
    answer = ana.post(f"{PATH}/llaves", {"name": "Teléfono", "answer": phone.create(options_of(ana, "create"))})
    assert answer.status_code == 200, ana.text
    assert len(str(page_of(ana).xpath("//textarea[@id='codes']")[0].text).split()) == 10
    ana.get(PATH)
    assert "Teléfono" in ana.text

    wall.advance(1)
    alone = Visitor(public_app)
    alone.get("/portal/entrar?regreso=/portal/facturas")
    fields = {"answer": phone.get(options_of(alone, "get")), "regreso": "/portal/facturas"}
    answer = alone.post("/portal/entrar/llave", fields)
    assert (answer.status_code, answer.headers["location"]) == (303, "/portal/facturas")
    assert alone.get("/portal/facturas").status_code == 200

    wall.advance(1)
    after_password = Visitor(public_app)
    after_password.sign_in(ANA)
    after_password.get(CODE)
    assert after_password.post("/portal/entrar/llave", fields).status_code == 422
    assert "La llave de acceso no se aceptó" in after_password.text
    after_password.get(CODE)
    fields = {"answer": phone.get(options_of(after_password, "get"))}
    assert after_password.post("/portal/entrar/llave", fields).status_code == 303
    assert after_password.get("/portal/facturas").status_code == 200
    after_password.get(PATH)
    [form] = page_of(after_password).xpath("//section[@aria-labelledby='passkeys']//form[contains(@action, 'quitar')]")
    assert after_password.post(str(form.get("action")), {}).status_code == 303
    assert after_password.get("/portal/facturas").headers["location"].startswith(PATH)


def test_page_says_where_passkeys_are_impossible(app: SandboxApp) -> None:
    ana = Visitor(app)
    ana.get("/portal/entrar")
    assert page_of(ana).xpath("//form[@data-passkey]") == []
    ana.sign_in(ANA)
    ana.get(PATH)
    assert "se necesita un nombre de servidor con HTTPS" in ana.text
