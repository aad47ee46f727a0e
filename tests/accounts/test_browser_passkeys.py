"""Passkeys in a real browser with a virtual authenticator, against a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browsing import PHONE_WIDTH, violations
from tests.support.chromium import chromium, page_of
from tests.support.server import PASSWORD, USER, Server, running

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.settings import Settings

PLATFORM = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("served")
    with open_container(Settings(data=data)) as container:
        container.get(account_services).accounts.create(USER, PASSWORD)
    with running(data) as started:
        yield started


def test_passkey_is_registered_and_signs_in(browser: Browser, server: Server) -> None:
    # Browsers bind passkeys to names, not to addresses.
    address = server.address.replace("127.0.0.1", "localhost")
    with page_of(browser) as page:
        session = page.context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        session.send("WebAuthn.addVirtualAuthenticator", {"options": PLATFORM})
        page.goto(f"{address}/portal/entrar")
        page.get_by_label("Usuario").fill(USER)
        page.get_by_label("Contraseña").fill(PASSWORD)
        page.get_by_role("button", name="Entrar", exact=True).click()
        page.goto(f"{address}/portal/seguridad")
        page.get_by_role("button", name="Configurar la aplicación").click()
        expect(page.get_by_role("img", name="Código QR")).to_be_visible()
        _require_accessible(page)
        page.get_by_label("Nombre").fill("Portátil")
        page.get_by_role("button", name="Registrar una llave").click()
        expect(page.get_by_role("heading", name="Códigos de recuperación")).to_be_visible()
        _require_accessible(page)
        page.goto(f"{address}/portal/seguridad")
        expect(page.get_by_text("Portátil")).to_be_visible()
        _reject(page, "Registrar una llave", "Esa llave ya está registrada.")
        page.get_by_role("button", name="Salir").click()
        page.get_by_role("button", name="Entrar con una llave de acceso").click()
        expect(page.get_by_role("heading", name="Inicio")).to_be_visible()


def _require_accessible(page: Page) -> None:
    for width in (PHONE_WIDTH, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert violations(page) == []


def _reject(page: Page, button: str, text: str) -> None:
    page.get_by_role("button", name=button).click()
    expect(page.get_by_text(text)).to_be_visible()
