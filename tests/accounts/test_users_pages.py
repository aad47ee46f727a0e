"""Users of an account in the portal, and what each role may open."""

from __future__ import annotations

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.accounts.store.models import AccountUser

PATH, AUDIT = "/portal/usuarios", "/portal/bitacora"
ANA, PASSWORD = "ana@example.com", "una contraseña larga"
USERS = {role: f"{role}@example.com" for role in ("owner", "operator", "reader", "auditor")}


def users(sandbox_app: SandboxApp) -> dict[str, AccountUser]:
    accounts = sandbox_app.container.get(account_services).accounts
    return {user.user: user for user in accounts.users.list_users(accounts.find(ANA).account_id)}


def create(visitor: Visitor, role: str) -> None:
    answer = visitor.post(PATH, {"user": USERS[role], "password": PASSWORD, "role": role})
    assert answer.status_code == 303, visitor.text


@pytest.fixture
def ana(visitor: Visitor) -> Visitor:
    visitor.sign_in(ANA)
    visitor.get(PATH)
    return visitor


def test_owner_creates_changes_and_removes_a_user(ana: Visitor) -> None:
    create(ana, "operator")
    user = users(ana.sandbox_app)[USERS["operator"]]
    ana.get(PATH)
    assert USERS["operator"] in ana.text
    assert ana.post(f"{PATH}/{user.guid}", {"role": "reader", "state": "closed"}).status_code == 303
    changed = users(ana.sandbox_app)[user.user]
    assert (changed.role, changed.active) == ("reader", False)
    assert ana.post(f"{PATH}/{user.guid}/password", {"password": "otra contraseña"}).status_code == 303
    assert users(ana.sandbox_app)[user.user].generation == 2
    assert ana.post(f"{PATH}/{user.guid}/quitar", {}).status_code == 303
    assert users(ana.sandbox_app) == {}
    assert ana.post(f"{PATH}/{user.guid}/quitar", {}).status_code == 422


def test_audit_log_speaks_spanish(ana: Visitor) -> None:
    create(ana, "operator")
    user = users(ana.sandbox_app)[USERS["operator"]]
    ana.post(f"{PATH}/{user.guid}", {"role": "reader", "state": "closed"})
    ana.get(f"{AUDIT}?tipo=user")
    assert ana.page is not None
    changed = ana.page.xpath("//tbody/tr")[0]
    assert changed.xpath("td[@data-label='Evento']/div/@title") == ["user.changed"]
    assert [" ".join(each.text_content().split()) for each in changed.xpath("td[@data-label='Contenido']/div/div")] == [
        "activo: sí → no",
        "rol: operator → reader",
    ]


def test_create_shows_what_is_wrong(ana: Visitor) -> None:
    answer = ana.post(PATH, {"user": ANA, "password": PASSWORD, "role": "reader"})
    assert answer.status_code == 422
    assert "ya existe" in ana.text
    assert ana.post(PATH, {"user": "x", "password": PASSWORD, "role": "root"}).status_code == 422


@pytest.mark.parametrize(
    ("role", "opened", "closed"),
    [
        ("owner", {PATH, AUDIT, "/portal/facturas"}, {"/portal/cuentas"}),
        ("operator", {"/portal/facturas", "/portal/tokens", "/portal/password"}, {PATH, AUDIT}),
        ("reader", {"/portal/facturas", "/portal/tokens"}, {PATH, AUDIT}),
        ("auditor", {AUDIT, "/portal/facturas"}, {PATH}),
    ],
)
def test_pages_of_each_role(ana: Visitor, role: str, opened: set[str], closed: set[str]) -> None:
    create(ana, role)
    visitor = Visitor(ana.sandbox_app)
    assert visitor.sign_in(USERS[role], PASSWORD).status_code == 303
    assert {path: visitor.get(path).status_code for path in opened | closed} == {
        **dict.fromkeys(opened, 200),
        **dict.fromkeys(closed, 404),
    }
    links = {str(link.get("href")) for link in visitor.page.xpath("//nav//a")} if visitor.page is not None else set()
    assert not links & closed
    visitor.get("/portal/facturas")
    assert visitor.post("/portal/salir", {}).status_code == 303


@pytest.mark.parametrize("role", ["operator", "reader", "auditor"])
def test_forms_of_owners_are_closed_to_other_roles(ana: Visitor, role: str) -> None:
    create(ana, role)
    visitor = Visitor(ana.sandbox_app)
    visitor.sign_in(USERS[role], PASSWORD)
    assert visitor.post(PATH, {"user": "x", "password": PASSWORD, "role": "owner"}).status_code == 404
    assert visitor.post("/portal/certificados", {}).status_code == 404
    assert visitor.post("/portal/certificados/00001/desactivar", {}).status_code == 404
    assert set(users(ana.sandbox_app)) == {USERS[role]}


def test_user_changes_its_own_password_and_has_its_own_tokens(ana: Visitor) -> None:
    create(ana, "reader")
    visitor = Visitor(ana.sandbox_app)
    visitor.sign_in(USERS["reader"], PASSWORD)
    visitor.get("/portal/tokens")
    assert visitor.post("/portal/tokens", {"label": "ERP"}).status_code == 200
    accounts = ana.sandbox_app.container.get(account_services).accounts
    [token] = accounts.list_infinite_tokens(USERS["reader"])
    assert token.user_id == users(ana.sandbox_app)[USERS["reader"]].user_id
    visitor.get("/portal/password")
    new = "otra contraseña larga"
    answer = visitor.post("/portal/password", {"old": PASSWORD, "new": new, "again": new})
    assert answer.status_code == 303
    assert visitor.get("/portal/facturas").status_code == 200
    assert Visitor(ana.sandbox_app).sign_in(USERS["reader"], new).status_code == 303


def test_audit_page_shows_the_events_of_the_account_only(ana: Visitor) -> None:
    create(ana, "auditor")
    accounts = ana.sandbox_app.container.get(account_services).accounts
    accounts.create("otra@example.com", PASSWORD)
    auditor = Visitor(ana.sandbox_app)
    auditor.sign_in(USERS["auditor"], PASSWORD)
    auditor.get(AUDIT)
    assert "Usuario creado" in auditor.text
    assert "otra@example.com" not in auditor.text
    auditor.get(f"{AUDIT}?tipo=account")
    assert "Cuenta creada" in auditor.text
    assert "Usuario creado" not in auditor.text
    auditor.get(f"{AUDIT}?autor={ANA}")
    assert "Usuario creado" in auditor.text
    auditor.get(f"{AUDIT}?autor=nadie")
    assert "No hay eventos que coincidan." in auditor.text
    assert auditor.get(f"{AUDIT}?desde=x").status_code == 422


def test_auditor_of_an_administrator_reads_all_accounts(ana: Visitor) -> None:
    accounts = ana.sandbox_app.container.get(account_services).accounts
    jefa = accounts.create("jefa@example.com", PASSWORD, "administrator")
    accounts.users.create(jefa.account_id, USERS["auditor"], PASSWORD, "auditor")
    auditor = Visitor(ana.sandbox_app)
    auditor.sign_in(USERS["auditor"], PASSWORD)
    auditor.get(f"{AUDIT}?cuenta={ANA}")
    assert "Cuenta creada" in auditor.text
    assert "jefa@example.com" not in auditor.text
    auditor.get(AUDIT)
    assert "jefa@example.com" in auditor.text
    assert auditor.get(f"{AUDIT}?cuenta=nadie").status_code == 422
    assert auditor.get("/portal/cuentas").status_code == 404
