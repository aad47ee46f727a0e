"""The page of the branding of printed documents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.browser import Visitor
from tests.support.images import red_png
from tests.support.sandbox_app import SandboxApp

PATH = "/portal/impresion"
USER = "imprime@example.com"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.account(USER)
    yield made
    made.container.close()


@pytest.fixture
def visitor(sandbox_app: SandboxApp) -> Visitor:
    made = Visitor(sandbox_app)
    made.sign_in(USER)
    made.get(PATH)
    return made


def save(visitor: Visitor, logo: bytes = b"", **fields: str) -> int:
    values = {"plantilla": "moderna", "color": "#7a1f3d", "pie": "Tel. 55", **fields}
    return visitor.post(PATH, values, files=[("logo", ("logo.png", logo))]).status_code


def test_page_stores_branding_and_prints_a_sample(visitor: Visitor) -> None:
    assert save(visitor, red_png(30, 10)) == 303
    visitor.get(f"{PATH}?aviso=guardado")
    assert "Los cambios se guardaron" in visitor.text
    assert visitor.page is not None
    assert visitor.page.xpath("//option[@selected]/@value") == ["moderna"]
    assert visitor.page.xpath("//input[@name='color']/@value") == ["#7a1f3d"]
    assert visitor.page.xpath("//img[@alt='Logo actual']")

    sample = visitor.get(f"{PATH}/muestra")
    assert (sample.headers["content-type"], sample.content[:4]) == ("application/pdf", b"%PDF")

    assert save(visitor, sin_logo="1") == 303
    visitor.get(PATH)
    assert visitor.page is not None
    assert not visitor.page.xpath("//img[@alt='Logo actual']")
    assert visitor.post(f"{PATH}/restablecer", {}).status_code == 303
    visitor.get(PATH)
    assert visitor.page.xpath("//option[@selected]/@value") == ["clasica"]


def test_page_rejects_an_invalid_value(visitor: Visitor) -> None:
    assert save(visitor, b"<svg/>") == 422
    assert "PNG o JPEG" in visitor.text
    assert save(visitor, pie="x" * 301) == 422
