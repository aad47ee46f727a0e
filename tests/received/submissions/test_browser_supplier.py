"""The page of a supplier's link in a real browser, on a phone: without scripts, and by the rules of accessibility."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browsing import PHONE_WIDTH, fits_the_viewport, violations
from tests.support.server import USER, Server, invoice, running, seed

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import open_container
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.minting import MintRequest
from timbra.settings import Settings

RECEIVER = "URE180429TM6"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose account receives the invoices that it issues."""
    data = tmp_path_factory.mktemp("served")
    token = seed(data)
    with open_container(Settings(data=data)) as container:
        owner = container.get(account_services).accounts.find(USER).account_id
        minted = container.get(sandbox_services).certificates.mint(MintRequest(RECEIVER))
        vault = container.get(certificate_services).vault
        vault.save(owner, minted.certificate_der, minted.key_der, minted.password)
    with running(data, token=token) as started:
        yield started


@pytest.fixture(scope="module")
def files(server: Server, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A stamped invoice, and the same one changed after its stamp."""
    folder = tmp_path_factory.mktemp("files")
    with server.client() as client:
        answer = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", invoice(server.data, "1"))}).json()
    stamped = str(answer["data"]["cfdi"])
    contents = {"buena.xml": stamped, "mala.xml": stamped.replace('SubTotal="', 'SubTotal="1')}
    for name, content in contents.items():
        folder.joinpath(name).write_text(content)
    return [folder / name for name in contents]


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    with server.client() as client:
        return str(client.post("/received/links", json={"name": "Papelería"}).json()["data"]["url"])


def opened(browser: Browser, address: str, *, with_script: bool) -> Page:
    viewport = {"width": PHONE_WIDTH, "height": 844}
    context = browser.new_context(viewport=viewport, locale="es-MX", java_script_enabled=with_script)  # type: ignore[arg-type]
    context.set_default_timeout(120_000)  # the first upload starts the child processes
    page = context.new_page()
    page.goto(address)
    return page


def deliver(page: Page, files: list[Path]) -> None:
    page.get_by_label("Archivos XML, PDF o ZIP").set_input_files(files)
    page.get_by_role("button", name="Entregar").click()


def test_supplier_delivers_on_a_phone_without_scripts(browser: Browser, address: str, files: list[Path]) -> None:
    page = opened(browser, address, with_script=False)
    deliver(page, files)

    expect(page.get_by_role("heading", name="1 de 2 no se aceptó")).to_be_visible(timeout=120_000)
    rows = page.locator("ul.arrivals > li")
    expect(rows.nth(0)).to_contain_text("mala.xml")
    expect(rows.nth(0)).to_contain_text("SubTotal")
    expect(rows.nth(1)).to_contain_text("buena.xml")
    page.context.close()


def test_pages_of_a_supplier_are_accessible_and_fit(browser: Browser, address: str, files: list[Path]) -> None:
    page = opened(browser, address, with_script=True)
    assert violations(page) == []
    deliver(page, files)
    expect(page.get_by_role("heading", name="1 de 2 no se aceptó")).to_be_visible(timeout=120_000)
    assert violations(page) == []
    assert fits_the_viewport(page)
    page.goto(f"{address}x")
    expect(page.get_by_role("alert")).to_contain_text("pida uno nuevo")
    assert violations(page) == []
    page.context.close()
