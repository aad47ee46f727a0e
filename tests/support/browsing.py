"""Helpers of the tests with a real browser."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect
from tests.support.server import PASSWORD, USER, Server

PHONE_WIDTH = 390
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    # To describe the elements that pass takes half of the time of axe.
    "resultTypes": ["violations"],
}


def sign_in(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/portal/entrar")
    page.get_by_label("Usuario").fill(USER)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_role("heading", name="Inicio")).to_be_visible()


def fits_the_viewport(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def cut_tables(page: Page) -> list[str]:
    """Return the captions or classes of the tables of a page that are wider than their place."""
    return page.evaluate(  # type: ignore[no-any-return]
        """() => [...document.querySelectorAll("main .scroll")]
          .filter((place) => place.scrollWidth > place.clientWidth)
          .map((place) => `${place.firstElementChild.className}: ${place.scrollWidth} > ${place.clientWidth}`)"""
    )


def violations(page: Page) -> list[str]:
    """Return what breaks an accessibility rule of axe."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{rule['id']}: {node['html']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]
