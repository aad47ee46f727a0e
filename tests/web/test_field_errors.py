"""A rejected form shows its error at the field that the error is about."""

from __future__ import annotations

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import SandboxApp


def described(visitor: Visitor, name: str) -> str:
    """Return the text of the error that describes a field; empty when the field is valid."""
    assert visitor.page is not None
    (field,) = visitor.page.xpath(f"//main//*[@name='{name}']")
    if field.get("aria-invalid") != "true":
        return ""
    ids = str(field.get("aria-describedby")).split()
    return " ".join(visitor.page.get_element_by_id(each).text_content() for each in ids if each.endswith("-error"))


@pytest.mark.parametrize(
    ("path", "fields", "name", "text"),
    [
        ("/portal/tokens", {"label": "ERP", "days": "0", "asks_scopes": ""}, "days", "entre 1 y"),
        ("/portal/tokens", {"label": "ERP", "days": "x", "asks_scopes": ""}, "days", "debe ser un número entero"),
        ("/portal/password", {"old": "una contraseña larga", "new": "a", "again": "b"}, "again", "no son iguales"),
        ("/portal/password", {"old": "otra", "new": "a", "again": "a"}, "old", "contraseña"),
    ],
)
def test_form_shows_the_error_at_its_field(
    sandbox_app: SandboxApp, path: str, fields: dict[str, str], name: str, text: str
) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in("ana@example.com")
    visitor.get(path)

    answer = visitor.post(path, fields)

    assert answer.status_code in (422, 429)
    assert text in described(visitor, name)
    assert all(described(visitor, other) == "" for other in fields if other not in (name, "asks_scopes"))


def test_search_shows_the_error_at_its_field(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in("ana@example.com")

    visitor.get("/portal/rechazos?desde=ayer")

    assert "AAAA-MM-DD" in described(visitor, "desde")
    assert described(visitor, "hasta") == ""
