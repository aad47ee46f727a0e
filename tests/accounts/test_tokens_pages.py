"""Infinite access tokens in the portal."""

from __future__ import annotations

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.core.errors import ServiceError

PATH = "/portal/tokens"


@pytest.fixture
def ana(visitor: Visitor) -> Visitor:
    visitor.sign_in("ana@example.com")
    visitor.get(PATH)
    return visitor


def created(visitor: Visitor, label: str = "ERP") -> str:
    visitor.post(PATH, {"label": label})
    assert visitor.page is not None
    return str(visitor.page.get_element_by_id("token").text_content())


def token_ids(sandbox_app: SandboxApp, user: str = "ana@example.com") -> list[str]:
    return [token.token_id for token in sandbox_app.container.get(account_services).accounts.list_infinite_tokens(user)]


def test_create_shows_a_valid_token_once(ana: Visitor) -> None:
    token = created(ana)

    assert ana.sandbox_app.container.get(account_services).accounts.caller(f"Bearer {token}").user == "ana@example.com"
    answer = ana.get(PATH)
    assert "ERP" in ana.text
    assert token not in answer.text


def test_revoke_ends_the_token(ana: Visitor) -> None:
    token = created(ana)
    [token_id] = token_ids(ana.sandbox_app)

    answer = ana.post(f"{PATH}/{token_id}/revocar", {})

    assert answer.status_code == 303
    with pytest.raises(ServiceError):
        ana.sandbox_app.container.get(account_services).accounts.caller(f"Bearer {token}")
    ana.get(answer.headers["location"])
    assert "El token se revocó" in ana.text
    assert "No hay tokens" in ana.text


def test_revoke_answers_404_for_a_token_of_another_account(ana: Visitor) -> None:
    created(ana)
    [token_id] = token_ids(ana.sandbox_app)
    ana.sandbox_app.account("bea@example.com")
    bea = Visitor(ana.sandbox_app)
    bea.sign_in("bea@example.com")

    assert bea.get(PATH).text.count(token_id) == 0
    assert bea.post(f"{PATH}/{token_id}/revocar", {}).status_code == 404
    assert token_ids(ana.sandbox_app) == [token_id]


@pytest.mark.parametrize("path", [PATH, f"{PATH}/x/revocar"])
def test_form_with_an_invalid_csrf_token_changes_nothing(ana: Visitor, path: str) -> None:
    assert ana.post(path, {"label": "ERP"}, csrf_token="0" * 64).status_code == 403
    assert token_ids(ana.sandbox_app) == []


@pytest.mark.parametrize("label", ["", "   ", "x" * 81, "dos\nlíneas"])
def test_create_rejects_an_invalid_label(ana: Visitor, label: str) -> None:
    assert ana.post(PATH, {"label": label}).status_code == 422
    assert token_ids(ana.sandbox_app) == []


def test_markup_of_a_label_is_escaped(ana: Visitor) -> None:
    label = "<script>alert(1)</script>"
    created(ana, label)
    answer = ana.get(PATH)

    assert label not in answer.text
    assert label in ana.text


def test_create_stores_scopes_and_expiry(ana: Visitor) -> None:
    ana.post(PATH, {"label": "Lector", "scope": "read", "days": "30"})
    [token] = ana.sandbox_app.container.get(account_services).accounts.list_infinite_tokens("ana@example.com")
    assert token.scopes == "read"
    assert token.expires_at is not None
    assert (token.expires_at - token.created_at).days in (29, 30)
    ana.get(PATH)
    assert "alcances: read" in ana.text


@pytest.mark.parametrize(
    "fields", [{"scope": "root"}, {"asks_scopes": "yes"}, {"days": "0"}, {"days": "4000"}, {"days": "x"}]
)
def test_create_rejects_invalid_scopes_and_expiry(ana: Visitor, fields: dict[str, str]) -> None:
    assert ana.post(PATH, {"label": "ERP", **fields}).status_code == 422
    assert token_ids(ana.sandbox_app) == []


def test_administrator_lists_and_revokes_tokens_of_an_account(ana: Visitor) -> None:
    services = ana.sandbox_app.container.get(account_services)
    token = created(ana)
    [token_id] = token_ids(ana.sandbox_app)
    services.accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    boss = Visitor(ana.sandbox_app)
    boss.sign_in("jefa@example.com")
    page = f"/portal/cuentas/{services.accounts.find('ana@example.com').guid}"

    boss.get(page)
    assert "ERP" in boss.text
    assert ana.post(f"{page}/tokens/{token_id}/revocar", {}).status_code == 404
    assert boss.post(f"{page}/tokens/{token_id}/revocar", {}).status_code == 303
    with pytest.raises(ServiceError):
        services.accounts.caller(f"Bearer {token}")
