"""The live view of the request inspector in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from httpx2 import Client
from playwright.sync_api import Browser, Page, expect
from tests.support.browsing import sign_in
from tests.support.sandbox_app import with_attribute
from tests.support.server import Server, invoice, running, seed

PATH = "/portal/inspector"
SECONDS = 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with two workers: a live view shows the calls of both."""
    data = tmp_path_factory.mktemp("served")
    token = seed(data)
    with running(data, token=token, workers=2) as started:
        yield started


def send(server: Server, content: bytes) -> None:
    """Send a call on a connection of its own, so that any worker takes it."""
    headers = {"Authorization": f"Bearer {server.token}"}
    with Client(base_url=server.address, timeout=30, headers=headers) as client:
        client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", content)})


def open_live(page: Page, server: Server, query: str = "") -> None:
    page.goto(f"{server.address}{PATH}{query}")
    expect(page.get_by_role("status").filter(has_text="En vivo")).to_be_visible(timeout=SECONDS * 1000)


def test_live_view_shows_calls_in_two_tabs_and_ends_with_the_session(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    first = context.new_page()
    sign_in(first, server)
    second = context.new_page()
    open_live(first, server)
    open_live(second, server, "?codigo=CFDI40124")
    document = invoice(server.data, "1")

    for _ in range(4):
        send(server, document)
    send(server, with_attribute(document, "MetodoPago", "XXX"))

    expect(first.locator("tbody tr")).to_have_count(5, timeout=SECONDS * 1000)
    expect(second.locator("tbody tr")).to_have_count(1, timeout=SECONDS * 1000)
    times = first.locator("tbody tr").evaluate_all("rows => rows.map(row => Number(row.dataset.call))")
    assert times == sorted(times, reverse=True)
    first.get_by_role("button", name="Pausar").click()
    expect(first.locator("#live-state")).to_have_text("En pausa")
    send(server, document)
    first.get_by_role("button", name="Pausar").click()
    expect(first.locator("tbody tr")).to_have_count(6, timeout=SECONDS * 1000)

    second.goto(f"{server.address}/portal")
    second.get_by_role("button", name="Salir").click()
    send(server, document)
    expect(first.locator("#live-state")).to_contain_text("La sesión terminó.", timeout=SECONDS * 1000)
    expect(first.locator("tbody tr")).to_have_count(6)
    first.get_by_label("Código").fill("307")
    first.get_by_label("Código").press("Enter")
    expect(first.get_by_text("La sesión terminó: entre de nuevo para seguir.")).to_be_visible()
    context.close()


def test_search_of_the_page_changes_the_live_view(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, server)
    open_live(page, server)
    page.get_by_label("Código").fill("CFDI40124")
    page.get_by_label("Código").press("Enter")
    page.wait_for_url("**codigo=CFDI40124**")
    before = page.locator("tbody tr").count()
    document = invoice(server.data, "2")

    send(server, document)
    send(server, with_attribute(document, "MetodoPago", "XXX"))

    expect(page.locator("tbody tr")).to_have_count(before + 1, timeout=SECONDS * 1000)
    context.close()


def test_stop_of_the_server_ends_live_views_at_once(browser: Browser, tmp_path: Path) -> None:
    token = seed(tmp_path)
    context = browser.new_context()
    with running(tmp_path, token=token) as server:
        page = context.new_page()
        sign_in(page, server)
        open_live(page, server)

        server.process.terminate()

        assert server.process.wait(10) == 0
        expect(page.locator("#live-state")).to_have_text("Sin conexión; se intenta de nuevo.", timeout=SECONDS * 1000)
    context.close()


def test_page_without_scripts_shows_the_list(browser: Browser, server: Server) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, server)
    send(server, invoice(server.data, "3"))
    page.wait_for_timeout(2000)
    page.goto(f"{server.address}{PATH}")

    expect(page.locator("tbody tr").first).to_be_visible()
    expect(page.get_by_text("Sin JavaScript la lista no se actualiza sola")).to_be_visible()
    expect(page.locator("#live-state")).to_be_hidden()
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name="Repetir como curl")).to_be_visible()
    context.close()
