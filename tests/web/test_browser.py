"""The pages in a real browser, against a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browsing import PHONE_WIDTH, cut_tables, fits_the_viewport, sign_in
from tests.support.chromium import page_of
from tests.support.sandbox_app import with_attribute
from tests.support.server import AGE, PASSWORD, USER, Server, invoice, running, seed

from timbra import examples
from timbra.core.clock import WallClock, to_central_mexico
from timbra.web.table_exports import PART


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("served")
    token = seed(data)
    with running(data, token=token) as started:
        yield started


@pytest.fixture(scope="module")
def stamped(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An invoice that the server has stamped, as a file."""
    with server.client() as client:
        files = {"xml": ("a.xml", invoice(server.data))}
        answer = client.post("/cfdi33/issue/v4", files=files).json()
    path = tmp_path_factory.mktemp("documents") / "stamped.xml"
    path.write_text(answer["data"]["cfdi"], "utf-8")
    return path


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with page_of(browser) as opened:
        yield opened


@pytest.mark.parametrize("scripts", [True, False])
def test_validator_works_with_and_without_javascript(
    browser: Browser, server: Server, stamped: Path, scripts: bool
) -> None:
    with page_of(browser, scripts=scripts) as page:
        page.goto(f"{server.address}/validador")
        page.set_input_files("#xml", stamped)
        page.get_by_role("button", name="Validar").click()

        expect(page.get_by_text("Sin errores", exact=False).first).to_be_visible()
        expect(page.locator("article.invoice")).to_contain_text("ESCUELA KEMPER URGATE")
        assert page.locator("article.invoice img").evaluate("image => image.naturalWidth") > 100


def test_dropped_files_stay_after_an_error_and_with_the_results(page: Page, server: Server, stamped: Path) -> None:
    page.goto(f"{server.address}/validador")
    page.evaluate(
        """text => {
          const transfer = new DataTransfer();
          for (const name of ["a.xml", "b.xml"]) transfer.items.add(new File([text], name));
          document.querySelector("[data-drop]").dispatchEvent(
            new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""",
        stamped.read_text(),
    )
    expect(page.get_by_text("2 archivos por validar.")).to_be_visible()
    page.route("**/validador?*", lambda route: route.fulfill(status=200, body="<p>mantenimiento</p>"))
    page.get_by_role("button", name="Validar").click()
    expect(page.get_by_role("alert")).to_contain_text("intente de nuevo")
    page.unroute("**/validador?*")

    page.get_by_role("button", name="Validar").click()
    expect(page.locator(".summary tbody tr")).to_have_count(2)
    page.get_by_label("Con errores").check()
    expect(page.locator(".summary tbody tr:visible")).to_have_count(0)
    expect(page.get_by_text("2 archivos por validar.")).to_be_visible()
    with page.expect_download() as download:
        page.locator("[data-exports]").get_by_role("button", name="JSON").click()
    assert [each["file"] for each in json.loads(download.value.path().read_text())] == ["a.xml", "b.xml"]


def test_finding_link_scrolls_to_its_line(page: Page, server: Server, stamped: Path) -> None:
    wrong = stamped.with_name("wrong.xml")
    wrong.write_bytes(with_attribute(stamped.read_bytes(), "MetodoPago", "XXX"))
    page.goto(f"{server.address}/validador")
    page.set_input_files("#xml", [stamped, wrong])
    page.get_by_role("button", name="Validar").click()

    page.locator(".finding").get_by_role("link", name="@MetodoPago").first.click()

    place = page.locator(".source p:target")
    expect(place).to_be_in_viewport()
    expect(place).to_contain_text('MetodoPago="XXX"')


def test_page_fits_the_width_of_a_phone(browser: Browser, server: Server) -> None:
    with page_of(browser, width=PHONE_WIDTH) as page:
        sign_in(page, server)
        for path in ("/validador", "/portal/entrar", "/portal", "/portal/password"):
            page.goto(f"{server.address}{path}")
            assert fits_the_viewport(page), path


def test_sign_in_works_with_the_keyboard_only(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/portal")
    page.get_by_label("Usuario").focus()
    page.keyboard.type(USER)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Inicio")).to_be_visible()
    page.get_by_role("button", name="Salir").click()
    expect(page.get_by_role("heading", name="Entrar")).to_be_visible()


def test_export_shows_its_progress_and_saves_the_file(page: Page, server: Server, stamped: Path) -> None:
    sign_in(page, server)
    page.goto(f"{server.address}/portal/facturas")
    panel = page.locator(".download-progress")

    def export() -> None:
        page.locator(".export summary").click()
        page.get_by_role("button", name="CSV").click()

    with page.expect_download() as saved, page.expect_request("**/exportar/csv**") as sent:
        export()
    assert sent.value.headers["x-progress"] == "parts"
    assert saved.value.suggested_filename == "documentos.csv"
    text = Path(saved.value.path()).read_text("utf-8-sig")
    assert text.startswith("Folio fiscal,")
    assert stamped.read_text("utf-8").partition(' UUID="')[2][:36].lower() in text
    expect(panel).to_be_hidden()

    headers = {"Content-Disposition": 'attachment; filename="documentos.csv"'}
    broken = PART.pack(1, 10) + b"Folio"
    page.route("**/exportar/csv**", lambda route: route.fulfill(body=broken, headers=headers))
    export()
    expect(panel).to_contain_text("La descarga se interrumpió")
    panel.get_by_role("button", name="Cerrar").click()
    expect(panel).to_be_hidden()

    page.unroute("**/exportar/csv**")
    page.context.clear_cookies()
    export()
    expect(page.get_by_label("Contraseña")).to_be_visible()


def test_sums_in_parts_show_their_progress(page: Page, server: Server, stamped: Path) -> None:
    sign_in(page, server)
    page.goto(f"{server.address}/portal/facturas")
    panel, button = page.locator(".sum-progress"), page.get_by_role("button", name="Sumar")
    part = '<h2 id="sumas">Primeros</h2><input type="hidden" value="[1]" data-rest data-done="1" data-number="2">'
    held: list[Route] = []

    def answer(route: Route) -> None:
        if "avance=" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.fulfill(body=part, content_type="text/html; charset=utf-8")

    page.route("**/facturas/sumar**", answer)
    button.focus()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("status")).to_have_text("1 de 2 documentos")
    expect(page.locator("#sums")).to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("heading", name="Primeros")).to_be_visible()
    panel.get_by_role("button", name="Detener").click()
    expect(panel).to_contain_text("La suma se detuvo.")
    panel.get_by_role("button", name="Cerrar").click()
    expect(panel).to_be_hidden()
    assert held[0].request.headers["x-progress"] == "parts"

    page.unroute("**/facturas/sumar**")
    button.click()
    expect(page.get_by_role("heading", name="Suma de todos los encontrados")).to_be_visible()
    expect(panel).to_be_hidden()
    expect(page.locator("#sums")).not_to_have_attribute("aria-busy", "true")
    page.context.clear_cookies()
    button.click()
    expect(page.get_by_label("Contraseña")).to_be_visible()


def test_list_is_not_cut_on_desktops(page: Page, server: Server, stamped: Path) -> None:
    fecha = to_central_mexico(WallClock().now() - AGE)
    with server.client() as client:
        for document in (examples.exportacion(fecha=fecha), examples.pago(fecha=fecha)):
            assert client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", document.encode())}).status_code == 200
    sign_in(page, server)
    for width in (1280, 1366, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for path in ("/portal/facturas", "/portal/facturas?orden=total", "/portal"):
            page.goto(server.address + path)
            assert cut_tables(page) == [], (width, path)
