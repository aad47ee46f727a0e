"""The verification page of the sandbox, and the QR codes that lead to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import pytest
from lxml import etree
from tests.support.browser import Visitor, portal_app
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.app.composition import open_container
from timbra.examples import ingreso
from timbra.settings import Settings
from timbra.stamping.models import StampResult

ADDRESS = "https://verificacfdi.facturaelectronica.sat.gob.mx/default.aspx"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def stamped(sandbox_app: SandboxApp) -> StampResult:
    return sandbox_app.issue(ingreso(fecha=FECHA).encode())


def values_of(stamped: StampResult) -> dict[str, str]:
    """Return the values of the query of a stamp."""
    total = etree.fromstring(stamped.cfdi.encode()).get("Total") or ""
    tail = stamped.sello_cfdi[-8:]
    return {"id": stamped.uuid, "re": "EKU9003173C9", "rr": "URE180429TM6", "tt": total, "fe": tail}


def opened(visitor: Visitor, values: Mapping[str, str]) -> int:
    return visitor.get(f"/default.aspx?{urlencode(values)}").status_code


def test_page_shows_the_values_of_the_query_in_the_qr_code(sandbox_app: SandboxApp, stamped: StampResult) -> None:
    visitor = Visitor(sandbox_app)
    assert visitor.get(f"/default.aspx{stamped.verification_query.text}").status_code == 200
    assert visitor.page is not None
    pairs = dict(zip(visitor.page.xpath("//main//dt/text()"), visitor.page.xpath("//main//dd/text()"), strict=True))
    assert pairs == {
        "RFC del emisor": "EKU9003173C9",
        "Nombre o razón social del emisor": "ESCUELA KEMPER URGATE",
        "RFC del receptor": "URE180429TM6",
        "Nombre o razón social del receptor": "UNIVERSIDAD ROBOTICA ESPAÑOLA",
        "Folio fiscal": stamped.uuid.upper(),
        "Fecha de expedición": FECHA,
        "Fecha certificación SAT": stamped.fecha_timbrado,
        "PAC que certificó": "TIM010101SB9",
        "Total del CFDI": f"${values_of(stamped)['tt']}",
        "Efecto del comprobante": "Ingreso",
        "Estado CFDI": "Vigente",
        "Estado de cancelación": "sin solicitud",
        "Es cancelable": pairs["Es cancelable"],
    }
    assert pairs["Es cancelable"].startswith("Cancelable")


@pytest.mark.parametrize("absent", [[], ["fe"]])
def test_page_needs_no_end_of_the_seal(sandbox_app: SandboxApp, stamped: StampResult, absent: list[str]) -> None:
    values = {name: value for name, value in values_of(stamped).items() if name not in absent}
    assert opened(Visitor(sandbox_app), values) == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "00000000-0000-4000-8000-000000000000"),
        ("id", "x"),
        ("id", ""),
        ("re", "XIA190128J61"),
        ("re", ""),
        ("rr", "XIA190128J61"),
        ("tt", "1.00"),
        ("tt", ""),
        ("tt", "NaN"),
        ("fe", "AAAAAAA="),
    ],
)
def test_page_shows_nothing_for_another_value(
    sandbox_app: SandboxApp, stamped: StampResult, name: str, value: str
) -> None:
    visitor = Visitor(sandbox_app)
    assert opened(visitor, {**values_of(stamped), name: value}) == 404
    assert "no se encuentra registrado" in visitor.text
    assert "ESCUELA KEMPER" not in visitor.text
    assert "Vigente" not in visitor.text


def test_page_without_a_query_has_the_form(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    assert opened(visitor, {}) == 200
    assert visitor.page is not None
    assert visitor.page.xpath("//main//form//input/@name") == ["id", "re", "rr", "tt", "fe"]


def test_page_does_not_exist_in_production(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path / "production", environment="production")) as container:
        visitor = Visitor(sandbox_app)
        visitor._app = portal_app(container)
        assert opened(visitor, {}) == 404
