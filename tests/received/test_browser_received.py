"""Upload of received documents, and the editor, in a real browser: progress, interruptions, ended sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browsing import sign_in
from tests.support.effort import LONG
from tests.support.server import PASSWORD, USER, Server, invoice, running, seed

FILES = 10_000 if LONG else 450
SUPPLIERS = "/portal/proveedores"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("served")
    token = seed(data)
    with running(data, token=token) as started:
        yield started


@pytest.fixture(scope="module")
def stamped(server: Server) -> bytes:
    with server.client() as client:
        answer = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", invoice(server.data, "1"))}).json()
    return str(answer["data"]["cfdi"]).encode()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """A signed-in page; an error in a script fails the test, failed requests do not."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, locale="es-MX")
    context.set_default_timeout(15_000)
    errors: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    sign_in(opened, server)
    yield opened
    context.close()
    assert errors == []


def drop(page: Page, files: list[tuple[str, bytes]]) -> None:
    """Drop files on the zone, as a browser does that gives no folders."""
    page.evaluate(
        """files => {
          const transfer = new DataTransfer();
          for (const [name, text] of files) transfer.items.add(new File([text], name));
          document.querySelector("[data-drop]").dispatchEvent(
            new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""",
        [[name, content.decode()] for name, content in files],
    )


def test_dropped_files_are_sent_in_parts_with_progress(page: Page, server: Server, stamped: bytes) -> None:
    page.goto(server.address + SUPPLIERS)
    parts: list[int] = []
    page.on("request", lambda request: parts.append(1) if request.url.endswith("/archivos") else None)

    drop(page, [("bueno.xml", stamped), *((f"{number}.xml", b"<a/>") for number in range(FILES)), ("no.doc", b"texto")])
    page.wait_for_url(f"**{SUPPLIERS}/*", timeout=600_000 if LONG else 60_000)

    expect(page.get_by_text(f"{FILES + 1:,} documentos").first).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("Ingreso")
    assert len(parts) == -(-(FILES + 1) // 200)


def test_file_of_50_megabytes_is_rejected_before_the_upload(page: Page, server: Server, tmp_path: Path) -> None:
    large = tmp_path / "grande.zip"
    with large.open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    page.goto(server.address + SUPPLIERS)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.get_by_label("Suelte aquí").set_input_files(large)
    page.get_by_role("button", name="Revisar", exact=True).click()

    expect(page.get_by_role("alert")).to_contain_text("grande.zip mide 50 MiB y el límite es de 40 MiB")
    assert sent == []


def test_upload_goes_on_after_the_session_ended(page: Page, server: Server, stamped: bytes) -> None:
    page.goto(server.address + SUPPLIERS)
    page.context.clear_cookies()
    drop(page, [("a.xml", stamped)])
    expect(page.get_by_role("alert")).to_contain_text("La sesión terminó")
    other = page.context.new_page()
    sign_in(other, server)
    other.close()
    page.get_by_role("button", name="Continuar").click()

    page.wait_for_url(f"**{SUPPLIERS}/*")
    expect(page.locator("tbody tr")).to_have_count(1)


def test_upload_goes_on_after_the_connection_broke(page: Page, server: Server, stamped: bytes) -> None:
    page.goto(server.address + SUPPLIERS)
    page.route("**/archivos", lambda route: route.abort())
    drop(page, [("a.xml", stamped)])
    expect(page.get_by_role("alert")).to_contain_text("Se cortó la conexión")
    expect(page.get_by_role("link", name="Ver lo revisado")).to_be_visible()
    page.unroute("**/archivos")
    page.get_by_role("button", name="Continuar").click()

    page.wait_for_url(f"**{SUPPLIERS}/*")
    expect(page.locator("tbody tr")).to_have_count(1)


def test_form_is_sent_once_on_a_slow_network(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/portal/tokens")
    page.get_by_label("Etiqueta").fill("Una vez")
    prevented = page.evaluate(
        """() => {
          const form = document.querySelector("main form");
          const seen = [];
          window.addEventListener("submit", (event) => seen.push(event.defaultPrevented));
          for (let times = 0; times < 3; times++) form.requestSubmit();
          return seen;
        }"""
    )
    assert prevented == [False, True, True]
    expect(page.get_by_role("textbox", name="Token")).to_be_visible()


def test_editor_rejects_a_large_file_with_a_sentence(page: Page, server: Server, tmp_path: Path) -> None:
    large = tmp_path / "grande.xml"
    large.write_bytes(b"x" * 3 * 1024 * 1024)
    page.goto(f"{server.address}/portal/timbrar")
    page.get_by_label("O elija un archivo").set_input_files(large)

    expect(page.get_by_role("alert")).to_contain_text("grande.xml mide 3.0 MiB y el editor admite 2 MiB")
    expect(page.get_by_label("Documento en XML o JSON")).to_have_value("")


def test_editor_keeps_its_text_over_the_end_of_the_session(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/portal/timbrar")
    area = page.get_by_label("Documento en XML o JSON")
    area.fill("<a>mi factura</a>")
    page.context.clear_cookies()
    page.get_by_role("button", name="Timbrar", exact=True).click()
    expect(page.get_by_role("heading", name="La sesión terminó")).to_be_visible()
    page.get_by_role("link", name="Entrar y volver al editor").click()
    page.get_by_label("Usuario").fill(USER)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()

    page.wait_for_url("**/portal/timbrar")
    expect(area).to_have_value("<a>mi factura</a>")
    page.get_by_role("button", name="Descartarlo").click()
    expect(area).to_have_value("")
