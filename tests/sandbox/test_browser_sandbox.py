"""Pages of administrators in a real browser: from an empty sandbox to an accepted cancellation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from httpx2 import Client
from playwright.sync_api import Browser, Page, expect
from tests.support.browsing import PHONE_WIDTH, fits_the_viewport, sign_in
from tests.support.chromium import page_of
from tests.support.effort import cases
from tests.support.server import PASSWORD, USER, Server, running

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.core.clock import WallClock, to_central_mexico
from timbra.settings import Settings

ISSUER = examples.KEMPER.rfc
SHOP = "tienda@example.com"
AMBIENTE = "/portal/ambiente"
PAGES = (
    *(f"{AMBIENTE}{tab}" for tab in ("", "/contribuyentes", "/certificados", "/cancelaciones", "/cfdi", "/correos")),
    f"{AMBIENTE}/contribuyentes/{ISSUER}",
    "/portal/cuentas",
    "/portal/estado",
    "/validador/reglas?q=uso",
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server with one administrator."""
    data = tmp_path / "served"
    with open_container(Settings(data=data)) as container:
        container.get(account_services).accounts.create(USER, PASSWORD, "administrator")
    with running(data) as started:
        yield started


# Forms without scripts are the same code in all pages; tests/web runs those of an account.
@pytest.mark.parametrize("scripts", cases([True], [True, False]))
def test_sandbox_runs_from_first_account_to_accepted_cancellation(
    browser: Browser, server: Server, tmp_path: Path, scripts: bool
) -> None:
    with page_of(browser, scripts=scripts) as page:
        sign_in(page, server)
        make_account(page)
        cer, key, password = mint(page, tmp_path)
        switch_user(page, SHOP)
        store(page, cer, key, password)
        uuid = stamp(server, new_token(page))
        switch_user(page, USER)
        advance_six_days(page)
        switch_user(page, SHOP)
        cancel(page, uuid)
        expect(page.locator("#estado")).to_contain_text("En proceso")
        switch_user(page, USER)
        accept(page, uuid)
        expect(page.locator("main")).to_contain_text("Cancelado con aceptación")
        expect(page.locator(".history")).to_contain_text("El receptor aceptó la cancelación")


def test_page_fits_the_width_of_a_phone(browser: Browser, server: Server) -> None:
    with page_of(browser, width=PHONE_WIDTH) as page:
        sign_in(page, server)
        for path in PAGES:
            page.goto(f"{server.address}{path}")
            assert fits_the_viewport(page), path


def test_fault_is_set_and_cleared_with_the_keyboard(browser: Browser, server: Server) -> None:
    with page_of(browser) as page:
        sign_in(page, server)
        page.goto(f"{server.address}{AMBIENTE}")
        row = page.get_by_role("row").filter(has_text="authority-down")
        row.get_by_label("Peticiones").focus()
        page.keyboard.type("2")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(row).to_contain_text("2 peticiones más")
        row.get_by_role("button", name="Desactivar").focus()
        page.keyboard.press("Enter")
        expect(row).to_contain_text("inactiva")


def open_tab(page: Page, *words: str) -> None:
    for word in words:
        page.get_by_role("link", name=word, exact=True).first.click()


def switch_user(page: Page, user: str) -> None:
    page.get_by_role("button", name="Salir").click()
    page.get_by_label("Usuario").fill(user)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()


def make_account(page: Page) -> None:
    """Create an account with five stamps."""
    open_tab(page, "Cuentas")
    page.get_by_label("Usuario", exact=True).fill(SHOP)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_label("Timbres iniciales").fill("5")
    page.get_by_label("Timbres sin límite; no usa saldo").uncheck()
    page.get_by_role("button", name="Crear").click()
    expect(page.get_by_role("row").filter(has_text=SHOP)).to_contain_text("5")


def mint(page: Page, folder: Path) -> tuple[Path, Path, str]:
    """Issue a CSD in the sandbox; return its files and the password."""
    page.get_by_role("link", name="Ambiente", exact=True).click()
    page.get_by_label("Ambiente de pruebas").get_by_role("link", name="Certificados").click()
    page.get_by_label("RFC", exact=True).fill(ISSUER)
    with page.expect_download() as download:
        page.get_by_role("button", name="Emitir y descargar").click()
    download.value.save_as(folder / "csd.zip")
    with ZipFile(folder / "csd.zip") as archive:
        archive.extractall(folder)
    return folder / f"{ISSUER}.cer", folder / f"{ISSUER}.key", (folder / f"{ISSUER}.txt").read_text()


def store(page: Page, cer: Path, key: Path, password: str) -> None:
    open_tab(page, "Certificados")
    page.get_by_label("Certificado (.cer)").set_input_files(cer)
    page.get_by_label("Llave privada (.key)").set_input_files(key)
    page.get_by_label("Contraseña de la llave").fill(password)
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("El certificado se guardó.")).to_be_visible()


def new_token(page: Page) -> str:
    open_tab(page, "Tokens")
    page.get_by_label("Etiqueta").fill("caja")
    page.get_by_role("button", name="Crear").click()
    return page.get_by_role("textbox", name="Token").input_value()


def stamp(server: Server, token: str) -> str:
    """Stamp an invoice whose cancellation needs the receiver; return its folio."""
    concepts = [examples.concepto(price="5000.00")]
    xml = examples.ingreso(concepts=concepts, fecha=to_central_mexico(WallClock().now())).encode()
    headers = {"Authorization": f"Bearer {token}"}
    with Client(base_url=server.address, timeout=30, headers=headers) as client:
        answer = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", xml)}).json()
    return str(answer["data"]["uuid"]).lower()


def advance_six_days(page: Page) -> None:
    """Move past the next working day, whatever the day is, until which a cancellation needs no acceptance."""
    for _ in range(2):
        open_tab(page, "Ambiente")
        page.get_by_role("button", name="+72h").click()
        expect(page.get_by_text("El reloj fiscal se movió.")).to_be_visible()


def cancel(page: Page, uuid: str) -> None:
    open_tab(page, "Facturas")
    page.locator(f"tbody a[href$='{uuid}']").first.click()
    page.get_by_text("Cancelar la factura").click()
    page.get_by_label("Motivo").select_option("02")
    page.get_by_role("button", name="Pedir la cancelación").click()


def accept(page: Page, uuid: str) -> None:
    open_tab(page, "Ambiente", "Cancelaciones")
    page.get_by_role("row").filter(has_text=uuid).get_by_role("button", name="Aceptar").click()
    expect(page.get_by_text("La respuesta del receptor quedó registrada.")).to_be_visible()
    open_tab(page, "Consulta de un CFDI")
    page.get_by_label("Folio fiscal").fill(uuid)
    page.get_by_role("button", name="Buscar").click()
