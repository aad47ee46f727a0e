"""The pages of an account in a real browser: every step of an invoice, against a real server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from httpx2 import Client
from playwright.sync_api import Browser, Page, expect
from tests.support.browsing import PHONE_WIDTH, fits_the_viewport, sign_in
from tests.support.chromium import page_of
from tests.support.effort import cases
from tests.support.sandbox_app import with_attribute
from tests.support.server import PASSWORD, USER, Server, foreign_retencion, invoice, minted, running, sealed_invoice

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.container.build import fiscal_clock
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.settings import Settings

PAGES = ["/portal", "/portal/facturas", "/portal/rechazos", "/portal/uso", "/portal/certificados", "/portal/tokens"]
REJECTION_LOG_SECONDS = 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with one account, without tokens and certificates."""
    data = tmp_path_factory.mktemp("served")
    with open_container(Settings(data=data)) as container:
        container.get(account_services).accounts.create(USER, PASSWORD)
    with running(data) as started:
        yield started


@pytest.fixture(scope="module")
def csd(server: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """The files of a CSD, and the password of its key."""
    credential, folder = minted(server.data), tmp_path_factory.mktemp("csd")
    files = folder / "csd.cer", folder / "csd.key"
    for path, content in zip(files, (credential.certificate_der, credential.key_der), strict=True):
        path.write_bytes(content)
    return *files, credential.password


@pytest.fixture(scope="module")
def issued(server: Server) -> str:
    """The folio of an invoice that the account has issued."""
    with open_container(Settings(data=server.data)) as container:
        token = container.get(account_services).accounts.create_infinite_token(USER, "emitida")
    with client_of(server, token) as client:
        xml = sealed_invoice(server.data, minted(server.data), "501")
        assert client.post("/cfdi33/stamp/v4", files={"xml": ("a.xml", xml)}).json()["status"] == "success"
    return "501"


def upload(page: Page, server: Server, cer: Path, key: Path, password: str) -> None:
    page.goto(f"{server.address}/portal/certificados")
    page.get_by_label("Certificado (.cer)").set_input_files(cer)
    page.get_by_label("Llave privada (.key)").set_input_files(key)
    page.get_by_label("Contraseña de la llave").fill(password)
    page.get_by_role("button", name="Guardar").click()


def new_token(page: Page, server: Server, label: str) -> str:
    page.goto(f"{server.address}/portal/tokens")
    page.get_by_label("Etiqueta").fill(label)
    page.get_by_role("button", name="Crear").click()
    return page.get_by_role("textbox", name="Token").input_value()


def client_of(server: Server, token: str) -> Client:
    return Client(base_url=server.address, timeout=30, headers={"Authorization": f"Bearer {token}"})


def post(client: Client, xml: bytes) -> dict[str, object]:
    answer: dict[str, object] = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", xml)}).json()
    return answer


@pytest.mark.parametrize("scripts", [True, False])
def test_account_uploads_csd_stamps_and_cancels(
    browser: Browser, server: Server, csd: tuple[Path, Path, str], tmp_path: Path, scripts: bool
) -> None:
    cer, key, password = csd
    label, folio = ("con guiones", "101") if scripts else ("sin guiones", "102")
    with page_of(browser, scripts=scripts) as page:
        sign_in(page, server)
        upload(page, server, cer, key, password)
        expect(page.get_by_text("El certificado se guardó.")).to_be_visible()
        token = new_token(page, server, label)

        with client_of(server, token) as client:
            assert post(client, invoice(server.data, folio))["status"] == "success"

        page.goto(f"{server.address}/portal/facturas")
        page.locator("#texto").fill(folio)
        page.get_by_role("button", name="Buscar").click()
        page.locator("tbody a").click()
        expect(page.get_by_role("heading", name=f"Factura {folio}")).to_be_visible()
        assert page.locator("article.invoice img").evaluate("image => image.naturalWidth") > 100

        with page.expect_download() as download:
            page.get_by_role("link", name="Descargar XML").click()
        download.value.save_as(tmp_path / "a.xml")
        assert b"TimbreFiscalDigital" in (tmp_path / "a.xml").read_bytes()

        page.get_by_text("Cancelar la factura").click()
        page.get_by_label("Motivo").select_option("02")
        page.get_by_role("button", name="Pedir la cancelación").click()
        expect(page.get_by_text("La autoridad recibió la solicitud de cancelación.")).to_be_visible()
        expect(page.locator("#estado .badge")).to_have_text("Cancelado")


def test_upload_shows_why_a_certificate_is_rejected(
    browser: Browser, server: Server, csd: tuple[Path, Path, str]
) -> None:
    cer, key, _ = csd
    with open_container(Settings(data=server.data)) as container:
        now = container.get(fiscal_clock).now()
        old = container.get(sandbox_services).authority_ca.mint(
            "EKU9003173C9",
            CertificateKind.CSD,
            "ESCUELA KEMPER URGATE",
            now - timedelta(days=9),
            now - timedelta(days=1),
        )
    expired = cer.with_name("old.cer"), key.with_name("old.key")
    expired[0].write_bytes(old.certificate_der)
    expired[1].write_bytes(old.key_der)
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, server)

    upload(page, server, cer, key, "otra")
    expect(page.get_by_role("alert")).to_contain_text("La contraseña de la llave privada es incorrecta")
    expect(page.get_by_role("region", name="Datos del certificado enviado")).to_contain_text("EKU9003173C9")
    upload(page, server, *expired, old.password)
    expect(page.get_by_role("alert")).to_contain_text("Venció el")
    context.close()


def test_token_is_copied_and_revoked_with_the_keyboard(browser: Browser, server: Server) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    sign_in(page, server)
    token = new_token(page, server, "teclado")

    page.get_by_role("button", name="Copiar").press("Enter")
    expect(page.get_by_role("button", name="Copiado")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == token

    row = page.locator("tr", has_text="teclado")
    row.locator("summary").press("Enter")
    row.get_by_role("button", name="Sí, revocar").press("Enter")
    expect(page.get_by_text("El token se revocó.")).to_be_visible()
    expect(page.locator("tr", has_text="teclado")).to_have_count(0)
    with client_of(server, token) as client:
        assert client.get("/stamps").status_code == 401
    context.close()


def test_rejection_links_to_its_rule(browser: Browser, server: Server, csd: tuple[Path, Path, str]) -> None:
    with page_of(browser) as page:
        sign_in(page, server)
        upload(page, server, *csd)
        with client_of(server, new_token(page, server, "rechazos")) as client:
            post(client, with_attribute(invoice(server.data, "7"), "MetodoPago", "XXX"))
        ends = time.monotonic() + REJECTION_LOG_SECONDS
        page.goto(f"{server.address}/portal/rechazos?codigo=CFDI40124")
        while not page.locator("article.finding").count() and time.monotonic() < ends:
            page.reload()

        page.locator("article.finding summary").first.click()
        expect(page.locator("article.finding").first).to_contain_text("/cfdi33/issue/v4")
        page.get_by_role("link", name="CFDI40124").first.click()
        expect(page.get_by_role("heading", name="CFDI40124")).to_be_visible()


@pytest.mark.usefixtures("issued")
@pytest.mark.parametrize("path", ["/portal", "/portal/uso"])
def test_chart_is_drawn_under_the_content_security_policy(browser: Browser, server: Server, path: str) -> None:
    with page_of(browser) as page:
        sign_in(page, server)
        page.goto(f"{server.address}{path}")
        canvas = page.locator("[data-chart] canvas")
        expect(canvas).to_have_count(1)

        drawn = "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
        assert canvas.evaluate(drawn)
        light = canvas.evaluate("canvas => canvas.toDataURL()")
        page.get_by_role("button", name="Tema oscuro").click()
        expect(canvas).to_have_count(1)
        assert page.locator("[data-chart] canvas").evaluate("canvas => canvas.toDataURL()") != light


@pytest.mark.usefixtures("issued")
def test_chart_is_drawn_without_scripts(browser: Browser, server: Server) -> None:
    with page_of(browser, scripts=False) as page:
        sign_in(page, server)
        page.goto(f"{server.address}/portal/uso")

        bar = page.locator("svg.plot rect").first
        assert bar.evaluate("bar => getComputedStyle(bar).fill") != "rgb(0, 0, 0)"


@pytest.mark.usefixtures("issued")
def test_page_fits_the_width_of_a_phone(browser: Browser, server: Server) -> None:
    with page_of(browser, width=PHONE_WIDTH) as page:
        sign_in(page, server)
        for path in PAGES:
            page.goto(f"{server.address}{path}")
            assert fits_the_viewport(page), path

        page.goto(f"{server.address}/portal/facturas")
        page.locator("tbody a").first.click()
        page.locator("article.invoice").wait_for()

        assert fits_the_viewport(page)


# A phone has the narrower page; other tests open the wide one.
@pytest.mark.parametrize("width", cases([390], [390, 1200]))
def test_retencion_is_found_shown_and_downloaded(
    browser: Browser, server: Server, csd: tuple[Path, Path, str], tmp_path: Path, width: int
) -> None:
    folio, label = f"RET{width}", f"retenciones {width}"
    with page_of(browser, width=width) as page:
        sign_in(page, server)
        upload(page, server, *csd)
        with client_of(server, new_token(page, server, label)) as client:
            files = {"xml": ("a.xml", foreign_retencion(server.data, folio))}
            assert client.post("/retencion/issue/v3", files=files).json()["status"] == "success"
        page.goto(f"{server.address}/portal/facturas")
        page.get_by_label("Documento", exact=True).select_option("retenciones")
        page.locator("#texto").fill(folio)
        page.get_by_role("button", name="Buscar").click()
        expect(page.locator("tbody tr")).to_have_count(1)
        page.locator("tbody a").click()
        expect(page.get_by_role("heading", name=f"Retención {folio}")).to_be_visible()
        expect(page.get_by_role("heading", name="Pagos a extranjeros")).to_be_visible()
        assert page.locator("article.invoice img").evaluate("image => image.naturalWidth") > 100
        assert fits_the_viewport(page)
        with page.expect_download() as download:
            page.get_by_role("link", name="Descargar PDF").click()
        download.value.save_as(tmp_path / "a.pdf")
        assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_search_replaces_only_the_results(browser: Browser, server: Server, issued: str) -> None:
    with page_of(browser) as page:
        sign_in(page, server)
        page.goto(f"{server.address}/portal/facturas")
        page.evaluate("window.unchanged = true")
        expect(page.locator("#found tbody tr").first).to_be_visible()

        page.locator("#texto").fill("999")
        page.get_by_role("button", name="Buscar").click()
        expect(page.locator("#found")).to_contain_text("No hay documentos que coincidan.")
        page.locator("#texto").fill(issued)
        page.locator("#texto").press("Enter")
        expect(page.locator("#found tbody tr")).to_have_count(1)

        assert page.evaluate("window.unchanged")
        assert f"texto={issued}" in page.url
        page.reload()
        expect(page.locator("#found tbody tr")).to_have_count(1)
