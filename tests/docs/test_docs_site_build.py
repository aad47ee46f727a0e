"""The built site in a real browser: the strict build passes, and nothing is loaded from another host."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from tests.support.browsing import PHONE_WIDTH, fits_the_viewport
from tests.support.chromium import page_of
from tools.docs_site.builder import LICENCE, build_site

from timbra.web.portal.dispatch.page_handler import SecurityHeadersMiddleware
from timbra.web.portal.documentation.endpoint import DocumentationEndpoint


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout; the build is strict, and fails for a link that leads nowhere."""
    target = tmp_path_factory.mktemp("docs") / "site"
    build_site(target)
    return target


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of a server with the site and the static files of the portal."""
    static_files = StaticFiles(packages=[("timbra.web.portal", "static")])
    routes = [Route("/docs/{path:path}", DocumentationEndpoint(site)), Mount("/estaticos", static_files)]
    app = SecurityHeadersMiddleware(Starlette(routes=routes))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


def test_site_has_the_licence_of_its_theme_and_no_decision_records(site: Path) -> None:
    assert "Permission is hereby granted" in (site / LICENCE).read_text("utf-8")
    assert not (site / "decisions").exists()
    assert (site / "rules" / "cfdi40" / "index.html").is_file()


@pytest.mark.parametrize("width", [1280, PHONE_WIDTH])
def test_site_loads_nothing_from_other_hosts(browser: Browser, address: str, width: int) -> None:
    with page_of(browser, width=width) as page:
        requested = _record_requests(page)
        for path in ("/docs/settings/", "/docs/cancellation/", "/docs/rules/cfdi40/"):
            page.goto(f"{address}{path}")
            page.wait_for_load_state("networkidle")
            assert fits_the_viewport(page)

        assert len(requested) > 10
        assert [url for url in requested if not url.startswith((f"{address}/", "data:"))] == []


def test_search_of_the_site_finds_a_page(browser: Browser, address: str) -> None:
    with page_of(browser, width=1280) as page:
        requested = _record_requests(page)
        page.goto(f"{address}/docs/settings/")
        page.wait_for_load_state("networkidle")
        page.keyboard.press("Control+k")
        field = page.get_by_role("combobox")
        expect(field).to_be_focused(timeout=30_000)
        field.press_sequentially("glossary")

        expect(page.get_by_role("option", name="Glossary").first).to_be_visible(timeout=30_000)
        assert [url for url in requested if not url.startswith((f"{address}/", "data:"))] == []


def test_search_finds_spanish_words_without_accents_and_endings(browser: Browser, address: str) -> None:
    nomina, global_invoice = "Nómina ordinaria con subsidio para el empleo", "Factura global de ventas al público en"
    operation = "POST /cfdi33/cancel/csd"
    with page_of(browser, width=1280) as page:
        for words, found in (
            ("nomina subsidio", nomina),
            ("sustituir cancelar", "Sustitución: relación 04 y cancelación con motivo 01"),
            ("facturas globa", global_invoice),
            ("/cfdi33/cancel/csd peticiones", operation),
            ("cancelado con un csd peticion", operation),
        ):
            page.goto(f"{address}/docs/")
            page.wait_for_load_state("networkidle")
            page.keyboard.press("Control+k")
            page.get_by_role("combobox").press_sequentially(words)
            option = page.get_by_role("option", name=found).first
            expect(option, words).to_be_visible(timeout=30_000)
            option.click()
            expect(page.get_by_role("heading", name=found).first, words).to_be_in_viewport(timeout=30_000)
            assert "?" not in page.url
        assert page.url.endswith("/es/referencia/endpoints/#post-cfdi33cancelcsd")


def test_search_dialog_is_in_spanish(browser: Browser, address: str) -> None:
    with page_of(browser, width=1280) as page:
        page.goto(f"{address}/docs/")
        page.wait_for_load_state("networkidle")
        page.keyboard.press("Control+k")
        field = page.get_by_role("combobox", name="Buscar")
        field.press_sequentially("factura global")
        expect(page.get_by_role("status").filter(has_text="resultados")).to_be_visible(timeout=30_000)
        expect(page.get_by_role("listbox", name="Resultados de la búsqueda")).to_be_visible()
        field.fill("zzzzqq")
        expect(page.get_by_role("status").filter(has_text="Sin resultados")).to_be_visible(timeout=30_000)
        for name in ("Cerrar la búsqueda", "Filtros"):
            expect(page.get_by_role("button", name=name)).to_be_visible()


def test_search_index_is_small_and_has_no_code_blocks(site: Path) -> None:
    index = (site / "search.json").read_bytes()

    assert len(index) < 1_300_000
    assert b"<pre" not in index


def _record_requests(page: Page) -> list[str]:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    return requested
