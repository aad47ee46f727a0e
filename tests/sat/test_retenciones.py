"""The clients of the SAT's services for retenciones: the page with the status, and the service that cancels one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree
from tests.sat.stepped_status import SteppedClock
from tests.support.sat_access import FixedAccess
from tests.support.sat_services import SatServices, sat_services

from timbra.cfdi.cancelacion.acuse import retenciones_acuse
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.errors import ServiceError
from timbra.core.retry import Backoff, RetryPolicy
from timbra.messages.cancelling import RETENCIONES
from timbra.sat.cancellation import CancellationAddresses, SatCancellations
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import MISSING, FiscalStatus, RequestOrigin, StatusQuery
from timbra.sat.retenciones_cancellation import SatRetencionesCancellations
from timbra.sat.retenciones_status import SatRetencionesStatus, read_page
from timbra.sat.status import StatusByKind
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import Transport

RETENCIONES1 = "http://www.sat.gob.mx/esquemas/retencionpago/1"
FOUND = "S - Comprobante obtenido satisfactoriamente."
ONE_ONLY = "El SAT cancela una retención por solicitud; envíe una solicitud por folio."

NOON = datetime(2026, 11, 17, 18, tzinfo=UTC)
FIRST = "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
SECOND = "1d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d12"
QUERY = StatusQuery(FIRST, "EKU&003173C9", "CACX7605101P8", "1000.00", "Ab+/Cd==", is_retencion=True)
REQUEST = Cancelacion("EKU9003173C9", (Folio(FIRST, "02"),), RETENCIONES1)
DOCUMENT = etree.tostring(REQUEST.to_root(NOON), encoding="utf-8")
ORIGIN = RequestOrigin(1, "request")
TABLE = (
    '<table id="tbl_resultado"><tr><th> RFC del\n Emisor </th><th>Estado CFDI Retenci&oacute;n</th></tr>'
    "<tr><td><span>EKU9003173C9</span></td><td> <span>Vigente</span>\n</td></tr></table>"
    '<input hidden="hidden" id="efosEstatus" value="200" />'
)
UNKNOWN_PAGE = '<div class="aviso noresultados"><h3>No se encuentra</h3></div>'
ACUSES = {
    "cancelled.xml": etree.tostring(retenciones_acuse(NOON, "EKU9003173C9", {FIRST: "1201"})).decode(),
    "plain.xml": f"<Acuse><Folios><UUID>{FIRST}</UUID><EstatusUUID> 1202 </EstatusUUID></Folios></Acuse>",
    "badfolio.xml": "<Acuse><Folios><UUID>x</UUID><EstatusUUID>1201</EstatusUUID></Folios></Acuse>",
    "refused1308.xml": '<Acuse CodEstatus="1308"/>',
    "refused1300.xml": '<Acuse CodEstatus=" 1300 "/>',
    "silent.xml": "<Acuse/>",
    "other.xml": "<Respuesta/>",
    "page.html": TABLE,
    "unknown.html": UNKNOWN_PAGE,
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SatServices]:
    folder: Path = tmp_path_factory.mktemp("answers")
    for name, text in ACUSES.items():
        (folder / name).write_text(text, "utf-8")
    with sat_services(folder) as services:
        yield services


def status_client(running: SatServices, name: str) -> SatRetencionesStatus:
    retry = RetryPolicy(5, 1, Backoff(0.01))
    cache = StatusCache(SteppedClock())
    return SatRetencionesStatus(f"{running.address}/{name}", Transport(), cache, CircuitBreaker(), retry)


def client(running: SatServices, path: str, authorization: str = "") -> SatCancellations:
    retry, url = RetryPolicy(5, 2, Backoff(0.01)), f"{running.address}/{path}"
    retenciones = SatRetencionesCancellations(url, Transport(), CircuitBreaker(), retry, FixedAccess(authorization))
    return SatCancellations(CancellationAddresses(None, None, None), CircuitBreaker(), retry, retenciones)


def rejection(running: SatServices, path: str, request: Cancelacion = REQUEST) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as rejected:
        client(running, path).cancel(request, DOCUMENT, ORIGIN)
    return rejected.value.code, rejected.value.detail


def test_status_queries_the_page_by_folio_and_parties(running: SatServices) -> None:
    found = status_client(running, "page.html").status(QUERY)
    assert found == FiscalStatus("Vigente", FOUND, None, "", "200")
    [path] = [path for path in running.seen()["requests"] if path.startswith("/page.html?")]
    assert path == f"/page.html?folio={FIRST}&rfcEmisor=EKU%26003173C9&rfcReceptor=CACX7605101P8"


def test_status_is_not_found_for_the_page_of_an_unknown_retencion(running: SatServices) -> None:
    assert status_client(running, "unknown.html").status(QUERY) == MISSING


def test_status_raises_authority_down_without_the_page(running: SatServices) -> None:
    with pytest.raises(ServiceError) as caught:
        status_client(running, "absent.html").status(QUERY)
    assert caught.value.code == "authority-down"
    assert "404" in (caught.value.detail or "")


@pytest.mark.parametrize(
    "page",
    [
        "",
        "   ",
        "<html></html>",
        "Mantenimiento",
        TABLE.replace("tbl_resultado", "otra"),
        TABLE.replace("Estado CFDI", "Otro"),
        TABLE.replace("Vigente", ""),
        TABLE.replace("Vigente", "V" * 1000),
        TABLE.replace('value="200"', f'value="{"2" * 1000}"'),
        "\x00",
        "<" * 50,
    ],
)
def test_read_page_rejects_other_pages(page: str) -> None:
    with pytest.raises(ServiceError, match="authority-down"):
        read_page(page.encode())


def test_read_page_without_efos_has_none() -> None:
    assert read_page(TABLE.partition("<input")[0].encode()).efos == ""
    assert read_page(TABLE.replace("Vigente", "Cancelado").encode()).status == "Cancelado"


class Fixed:
    """A status service with one answer."""

    def __init__(self, status: str) -> None:
        self._status = status

    def status(self, query: StatusQuery) -> FiscalStatus:
        return FiscalStatus(self._status, query.uuid, None, "")


def test_status_by_kind_queries_the_service_of_the_kind() -> None:
    both = StatusByKind(Fixed("cfdi"), Fixed("retenciones"))
    assert both.status(QUERY).status == "retenciones"
    cfdi = StatusQuery(FIRST, "", "", "", "")
    assert both.status(cfdi).status == "cfdi"
    alone = StatusByKind(Fixed("cfdi"), None)
    assert alone.status(cfdi).status == "cfdi"
    with pytest.raises(ServiceError, match="authority-down"):
        alone.status(QUERY)


def test_cancel_sends_the_signed_document_as_body(running: SatServices) -> None:
    receipt = client(running, "file/cancelled.xml", "WRAP x").cancel(REQUEST, DOCUMENT, ORIGIN)
    assert receipt.codes == {FIRST: "1201"}
    assert etree.fromstring(receipt.acuse).tag == "{http://cancelaretencion.sat.gob.mx}Acuse"
    seen = running.seen()
    assert seen["body"].encode() == DOCUMENT
    assert (seen["headers"]["content-type"], seen["headers"]["accept"]) == ("application/xml", "application/xml")
    assert seen["headers"]["authorization"] == "WRAP x"


def test_cancel_reads_an_acuse_without_namespace(running: SatServices) -> None:
    assert client(running, "file/plain.xml").cancel(REQUEST, DOCUMENT, ORIGIN).codes == {FIRST: "1202"}


@pytest.mark.parametrize(
    ("path", "code", "detail"),
    [
        ("file/refused1308.xml", "cancel-xml", RETENCIONES.expired),
        ("file/refused1300.xml", "cancel-xml", "CR1300 - El SAT rechazó la solicitud."),
        ("file/silent.xml", "CASD", "El SAT no dijo nada de la retención."),
    ],
)
def test_cancel_raises_what_the_authority_rejects(running: SatServices, path: str, code: str, detail: str) -> None:
    assert rejection(running, path) == (code, detail)


@pytest.mark.parametrize(
    "path",
    [
        "file/other.xml",
        "file/badfolio.xml",
        "answer/500",
        "answer/html",
        "answer/empty",
        "answer/bomb",
        "answer/hangup",
    ],
)
def test_cancel_raises_authority_down_for_other_answers(running: SatServices, path: str) -> None:
    assert rejection(running, path)[0] == "authority-down"


def test_cancel_sends_no_request_with_several_retenciones(running: SatServices) -> None:
    several = Cancelacion("EKU9003173C9", (Folio(FIRST, "02"), Folio(SECOND, "02")), RETENCIONES1)
    assert rejection(running, "answer/several", several) == ("cancel-xml", ONE_ONLY)
    assert running.request_count("/answer/several") == 0


def test_cancel_needs_an_address() -> None:
    authority = SatCancellations(CancellationAddresses(None, None, None), CircuitBreaker(), RetryPolicy())
    with pytest.raises(ServiceError, match="CO1000"):
        authority.cancel(REQUEST, DOCUMENT, ORIGIN)
