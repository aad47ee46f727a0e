"""A headless browser: Debian's Chromium, driven by Playwright, that connects to loopback only.

Its package chromium-headless-shell uses a quarter of the processor time of the package chromium, which has windows of
its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright
from tests.support.requirements import need

from timbra.pools.event_loop import Allowed, allowed_on_event_loop

SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Skip the test when Chromium is not installed, or fail it where `chromium` is required."""
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    need("chromium", program is not None, "neither of Debian's packages chromium-headless-shell and chromium is there")
    # Playwright's synchronous interface runs an event loop in the test's own thread, which serves no requests.
    with sync_playwright() as playwright, allowed_on_event_loop(Allowed.FIRST_USE):
        browser = playwright.chromium.launch(executable_path=program, args=list(SWITCHES))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(browser: Browser, *, width: int = 1200, scripts: bool = True) -> Iterator[Page]:
    """Open a page of a new profile; an error on its console or in a script fails the test at the end."""
    context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=scripts, locale="es-MX")
    errors: list[str] = []
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
