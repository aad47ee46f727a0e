"""The front controller: which requests get a page, and which an answer of the API."""

from __future__ import annotations

import pytest

from timbra.app.front_controller import is_page


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/", True),
        ("HEAD", "/", True),
        ("POST", "/", False),
        ("PUT", "/", False),
        ("OPTIONS", "/", False),
        ("POST", "/portal/entrar", True),
        ("GET", "/validador", True),
        ("GET", "/portales", False),
        ("POST", "", False),
        ("POST", "//", False),
    ],
)
def test_is_page_is_true_for_the_paths_of_the_pages(method: str, path: str, expected: bool) -> None:
    assert is_page(method, path) is expected
