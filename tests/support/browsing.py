"""Helpers of the tests with a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.support.server import PASSWORD, USER, Server

PHONE_WIDTH = 390


def sign_in(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/portal/entrar")
    page.get_by_label("Usuario").fill(USER)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_role("heading", name="Inicio")).to_be_visible()


def fits_the_viewport(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
