"""The switch of the theme works without JavaScript, and its cookie decides how pages are rendered."""

from __future__ import annotations

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import SandboxApp


def theme(visitor: Visitor) -> str:
    assert visitor.page is not None
    return str(visitor.page.get("data-theme"))


def pressed(visitor: Visitor) -> set[str]:
    assert visitor.page is not None
    return set(map(str, visitor.page.xpath("//button[@name='theme'][@aria-pressed='true']/@value")))


@pytest.mark.parametrize("value", ["light", "dark", "auto"])
def test_theme_is_kept_before_and_after_sign_in(sandbox_app: SandboxApp, value: str) -> None:
    visitor = Visitor(sandbox_app)
    visitor.get("/portal/entrar")

    answer = visitor.post("/portal/tema", {"theme": value, "back": "/portal/entrar"})
    visitor.get("/portal/entrar")

    assert (answer.status_code, answer.headers["location"]) == (303, "/portal/entrar")
    assert (theme(visitor), pressed(visitor)) == (value, {value})
    visitor.sign_in("ana@example.com")
    assert (theme(visitor), pressed(visitor)) == (value, {value})


def test_theme_follows_the_system_without_a_choice_or_with_an_unknown_cookie(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.get("/portal/entrar")
    assert theme(visitor) == "auto"

    visitor.cookies["timbra_theme"] = '"><script>'
    visitor.get("/portal/entrar")
    assert theme(visitor) == "auto"


@pytest.mark.parametrize("back", ["https://example.com", "//example.com/portal", "/portal\\@example.com", ""])
def test_theme_returns_to_pages_of_the_portal_only(sandbox_app: SandboxApp, back: str) -> None:
    visitor = Visitor(sandbox_app)
    visitor.get("/portal/entrar")

    assert visitor.post("/portal/tema", {"theme": "dark", "back": back}).headers["location"] == "/portal"


def test_theme_rejects_other_values_and_foreign_forms(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.get("/portal/entrar")

    assert visitor.post("/portal/tema", {"theme": "sepia", "back": "/portal"}).status_code == 400
    assert visitor.post("/portal/tema", {"theme": "dark"}, csrf_token="wrong").status_code == 403
