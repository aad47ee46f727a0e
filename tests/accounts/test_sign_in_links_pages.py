"""The page of a one-time sign-in link."""

from __future__ import annotations

import asyncio

import pytest
from httpx2 import ASGITransport, AsyncClient
from structlog.testing import capture_logs
from tests.support.browser import HOST, Visitor, portal_app
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.app.front_controller import AccessLogMiddleware
from timbra.core.metrics import MetricsRegistry
from timbra.web.framework.access_log import AccessLog
from timbra.web.portal.dispatch.log_path import loggable_path

USER = "ana@example.com"
INVALID = "El enlace para entrar ya se usó, ya venció o está incompleto."


@pytest.fixture
def path(sandbox_app: SandboxApp) -> str:
    return sandbox_app.container.get(account_services).sign_in_links.create(USER).path


def test_link_opens_a_session_when_its_button_is_chosen(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert (page.status_code, f"Entrar como {USER}" in visitor.text) == (200, True)
    answer = visitor.post(path, {})
    assert (answer.status_code, answer.headers["location"]) == (303, "/portal")
    assert visitor.get("/portal/facturas").status_code == 200
    assert USER in visitor.text


def test_preview_of_a_link_does_not_use_it(visitor: Visitor, path: str) -> None:
    assert {visitor.get(path).status_code for _ in range(3)} == {200}
    assert visitor.post(path, {}).status_code == 303


def test_link_works_in_a_browser_with_a_session(visitor: Visitor, path: str) -> None:
    visitor.sign_in(USER)
    visitor.get(path)
    assert visitor.post(path, {}).status_code == 303


def test_used_link_shows_one_clear_page(visitor: Visitor, sandbox_app: SandboxApp, path: str) -> None:
    visitor.get(path)
    visitor.post(path, {})
    other = Visitor(sandbox_app)
    assert (other.get(path).status_code, INVALID in other.text) == (404, True)
    assert (other.post(path, {}).status_code, INVALID in other.text) == (404, True)
    assert "timbra_session" not in other.cookies


@pytest.mark.parametrize("token", ["x", "%00", "ñ" * 300])
def test_wrong_link_shows_one_clear_page(visitor: Visitor, token: str) -> None:
    answer = visitor.get(f"/portal/entrar/enlace/{token}")
    assert (answer.status_code, INVALID in visitor.text) == (404, True)


def test_link_needs_the_form_of_its_page(visitor: Visitor, path: str) -> None:
    visitor.get(path)
    assert visitor.post(path, {}, csrf_token="0" * 64).status_code == 403
    assert visitor.post(path, {}, headers={"origin": "http://other.example"}).status_code == 403


def test_access_log_has_no_token(sandbox_app: SandboxApp, path: str) -> None:
    app = AccessLogMiddleware(portal_app(sandbox_app.container), AccessLog(MetricsRegistry()))

    async def get() -> int:
        async with AsyncClient(transport=ASGITransport(app), base_url=HOST) as client:
            return (await client.get(path)).status_code

    with capture_logs() as lines:
        assert asyncio.run(get()) == 200
    assert [line["path"] for line in lines] == ["/portal/entrar/enlace/..."]


def test_loggable_path_hides_the_token_of_a_link(path: str) -> None:
    assert loggable_path(path) == "/portal/entrar/enlace/..."
    assert loggable_path("/portal/entrar") == "/portal/entrar"
