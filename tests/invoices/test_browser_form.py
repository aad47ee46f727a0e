"""The form of an invoice and the editor of XML in a real browser, by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.invoices.test_form import INVOICE, PATH
from tests.rendering.rendered import reader, with_stamp
from tests.support.browsing import fits_the_viewport, sign_in
from tests.support.server import PASSWORD, USER, Server, running, seed

from timbra import examples
from timbra.rendering.pdf import pdf

WIDTHS = (390, 1280, 1366, 1440)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("served")
    token = seed(data)
    with running(data, token=token) as started:
        yield started


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """A signed-in page; an error in a script fails the test, rejected forms do not."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="es-MX")
    context.set_default_timeout(15_000)
    errors: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    sign_in(opened, server)
    yield opened
    context.close()
    assert errors == []


def named(page: Page, name: str) -> Locator:
    return page.locator(f'[name="{name}"]')


def test_invoice_is_written_and_stamped_by_keyboard(page: Page, server: Server) -> None:
    page.goto(server.address + PATH)
    expect(named(page, "Receptor.Rfc")).to_be_focused()
    for name in ("Receptor.Rfc", "Receptor.Nombre", "Receptor.DomicilioFiscalReceptor", "LugarExpedicion"):
        named(page, name).fill(INVOICE[name])
    named(page, "Emisor.RegimenFiscal").select_option("601")
    expect(named(page, "Receptor.RegimenFiscalReceptor").locator("option[value='605']")).to_have_count(0)
    named(page, "Receptor.RegimenFiscalReceptor").select_option("601")
    named(page, "Receptor.UsoCFDI").select_option("G03")
    named(page, "FormaPago").select_option("03")
    key = named(page, "Concepto.1.ClaveProdServ")
    key.press_sequentially("servicios de facturación")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text("84111506")
    key.press("ArrowDown")
    key.press("Enter")
    expect(key).to_have_value("84111506")
    expect(page.get_by_text("Servicios de facturación", exact=True)).to_be_visible()
    named(page, "Concepto.1.ClaveUnidad").fill("E48")
    named(page, "Concepto.1.Descripcion").fill("Servicio")
    named(page, "Concepto.1.ValorUnitario").fill("100")
    expect(page.locator("#totals")).to_contain_text("116.00")

    add = page.get_by_role("button", name="Agregar un concepto")
    add.focus()
    add.press("Enter")
    expect(named(page, "Concepto.2.ClaveProdServ")).to_be_focused()
    named(page, "Concepto.2.ValorUnitario").fill("50")
    expect(page.locator("#totals")).to_contain_text("174.00")
    page.get_by_role("button", name="Quitar el concepto 2").press("Enter")
    expect(named(page, "Concepto.2.ClaveProdServ")).to_have_count(0)
    expect(page.locator("#totals")).to_contain_text("116.00")
    page.get_by_role("button", name="Timbrar", exact=True).press("Enter")
    page.wait_for_url("**/portal/facturas/*")


def test_finding_is_beside_its_field_and_its_button_corrects_it(page: Page, server: Server) -> None:
    page.goto(server.address + PATH)
    for name, value in {**INVOICE, "Receptor.DomicilioFiscalReceptor": "01000"}.items():
        if named(page, name).evaluate("each => each.tagName") == "INPUT":
            named(page, name).fill(value)
    expect(page.locator("#totals")).to_contain_text("2,320.00")
    for name in ("Emisor.RegimenFiscal", "Receptor.RegimenFiscalReceptor", "Receptor.UsoCFDI", "FormaPago"):
        named(page, name).select_option(INVOICE[name])

    page.get_by_role("button", name="Revisar sin timbrar").click()

    expect(named(page, "Receptor.DomicilioFiscalReceptor")).to_be_focused()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert fits_the_viewport(page), width
    page.get_by_role("button", name="Usar 86991").click()
    expect(named(page, "Receptor.DomicilioFiscalReceptor")).to_have_value("86991")
    expect(named(page, "Receptor.DomicilioFiscalReceptor")).to_be_focused()


def test_form_survives_the_end_of_the_session(page: Page, server: Server) -> None:
    page.goto(server.address + PATH)
    named(page, "Concepto.1.Descripcion").fill("Lo que se había escrito")
    page.context.clear_cookies()
    page.get_by_role("button", name="Timbrar", exact=True).click()
    page.get_by_label("Usuario").fill(USER)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()

    page.wait_for_url(server.address + PATH)

    expect(named(page, "Concepto.1.Descripcion")).to_have_value("Lo que se había escrito")
    page.get_by_role("button", name="Descartarlo").click()
    expect(named(page, "Concepto.1.Descripcion")).to_have_value("")
    expect(page.get_by_role("button", name="Descartarlo")).to_be_hidden()


def test_editor_wraps_lines_and_marks_attributes(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/portal/timbrar?ejemplo=ingreso")
    area = page.get_by_label("Documento en XML o JSON")
    area.fill(area.input_value().replace('UsoCFDI="G03"', 'UsoCFDI="ZZZ"').replace('SubTotal="200.00"', 'SubTotal="7"'))

    page.get_by_role("button", name="Revisar sin timbrar").click()

    expect(page.locator("mark.error")).to_have_text(['SubTotal="7"', 'Total="232.00"', 'UsoCFDI="ZZZ"'])
    sizes = "each => [each.scrollWidth - each.clientWidth, each.scrollHeight]"
    assert area.evaluate(sizes) == page.locator(".backdrop").evaluate(sizes)
    assert area.evaluate(sizes)[0] == 0
    page.locator("[data-attribute=UsoCFDI]").click()
    selected = "each => each.value.slice(each.selectionStart, each.selectionEnd)"
    assert area.evaluate(selected) == 'UsoCFDI="ZZZ"'
    page.get_by_label("Ajustar las líneas largas").uncheck()
    assert area.evaluate(sizes)[0] > 0


def test_editor_reads_the_cfdi_of_a_pdf_that_is_chosen(page: Page, server: Server) -> None:
    xml = examples.ingreso().encode()
    printed = pdf(reader().view(with_stamp(xml.decode())), xml=xml)
    page.goto(f"{server.address}/portal/timbrar")
    files = [{"name": "f.pdf", "mimeType": "application/pdf", "buffer": printed}]
    page.set_input_files("#archivo", files)  # type: ignore[arg-type]

    expect(page.get_by_text("Es el CFDI adjunto a f.pdf.")).to_be_visible()
    expect(page.get_by_label("Documento en XML o JSON")).to_have_value(re.compile("<cfdi:Comprobante"))
