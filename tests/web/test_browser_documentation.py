"""The API reference in a real browser: it shows the operations of the server and loads nothing from other hosts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.support.browsing import PHONE_WIDTH, fits_the_viewport
from tests.support.chromium import page_of
from tests.support.effort import cases
from tests.support.server import Server, running, seed


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("served")
    with running(data, token=seed(data)) as started:
        yield started


# The other test of this page opens it at the other width.
@pytest.mark.parametrize("width", cases([PHONE_WIDTH], [PHONE_WIDTH, 1280]))
def test_api_reference_shows_operations_and_loads_from_this_server_only(
    browser: Browser, server: Server, width: int
) -> None:
    with page_of(browser, width=width) as page:
        requested: list[str] = []
        page.on("request", lambda request: requested.append(request.url))
        page.goto(f"{server.address}/docs/api/")

        expect(page.locator('[data-path="/v2/security/authenticate"]')).to_be_visible(timeout=30_000)
        expect(page.locator(".opblock-tag a").first).to_have_text("security")
        page.wait_for_load_state("networkidle")
        assert fits_the_viewport(page)
        assert f"{server.address}/openapi.json" in requested
        assert [url for url in requested if not url.startswith((f"{server.address}/", "data:"))] == []


def test_api_reference_sends_an_operation_to_this_server(browser: Browser, server: Server) -> None:
    with page_of(browser, width=1280) as page:
        page.goto(f"{server.address}/docs/api/")
        page.get_by_role("button", name="Authorize").first.click(timeout=30_000)
        page.locator(".auth-container input").fill(server.token)
        page.locator(".auth-btn-wrapper .authorize").click()
        page.locator(".auth-btn-wrapper .btn-done").click()
        page.locator(".operation-filter-input").fill("/account/balance")
        operation = page.locator(".opblock", has=page.locator('[data-path="/account/balance"]')).first
        operation.locator(".opblock-summary-control").click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()

        status = operation.locator(".live-responses-table tbody .response-col_status")
        expect(status).to_contain_text("200", timeout=30_000)
