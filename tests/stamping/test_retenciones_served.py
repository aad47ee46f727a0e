"""Retenciones over HTTP, by a real server: stamp, issue, validate, look up, print, mail, cancel and verify."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pypdfium2
import pytest
import zxingcpp
from httpx2 import Client, Response
from lxml import etree
from PIL import Image
from tests.support.cancellation_app import csd_files, pfx_file
from tests.support.json_documents import as_json
from tests.support.retenciones10 import retencion10, sealed10, stamped10
from tests.support.sandbox_app import with_attribute, without_attribute
from tests.support.server import Server, foreign_retencion, invoice, minted, retencion, running, seed
from tests.support.signing import signed

from timbra.app.composition import open_container
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.cfdi.tfd import read_stamps
from timbra.container.build import fiscal_clock
from timbra.core.clock import CENTRAL_MEXICO, WallClock, to_central_mexico
from timbra.core.retry import RetryPolicy
from timbra.examples import KEMPER
from timbra.sandbox.build import sandbox_services
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import MISSING, FiscalStatus, StatusQuery
from timbra.sat.retenciones_status import SatRetencionesStatus
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import Transport
from timbra.settings import Settings

RETENCIONES1 = "http://www.sat.gob.mx/esquemas/retencionpago/1"
MAIL_NOT_CONFIGURED = (
    "El CFDI se timbró, pero no se enviará por correo: el servidor no tiene configurado un servidor de correo."
)
FOUND = "S - Comprobante obtenido satisfactoriamente."

RFC = KEMPER.rfc
STATE = "Estado CFDI Retención"

V4 = {
    "cadenaOriginalSAT",
    "noCertificadoSAT",
    "noCertificadoCFDI",
    "uuid",
    "selloSAT",
    "selloCFDI",
    "fechaTimbrado",
    "qrCode",
    "retencion",
}
JSON_CFDI = "application/jsontoxml"
LEYENDA = {"version": "1.0", "Leyenda": {"textoLeyenda": "Leyenda"}}
ANSWERS = {"v1": {"tfd"}, "v2": {"tfd", "retencion"}, "v3": {"retencion"}, "v4": V4}


PAGE = "/Home/ConsultaRetencion"


@dataclass(frozen=True)
class Served:
    """A server of a data folder."""

    server: Server
    data: Path

    def post(self, path: str, xml: bytes) -> tuple[int, dict[str, Any]]:
        with self.server.client() as client:
            answer = client.post(path, files={"xml": ("retencion.xml", xml, "text/xml")})
        return answer.status_code, answer.json()

    def post_json(self, path: str, content: object, media_type: str = JSON_CFDI) -> Response:
        with self.server.client() as client:
            return client.post(path, content=json.dumps(content).encode(), headers={"Content-Type": media_type})

    def retencion(self, folio: str) -> bytes:
        return retencion(self.data, folio)

    def issued(self, folio: str) -> str:
        """Stamp a retención and return its UUID."""
        status, body = self.post("/retencion/issue/v4", self.retencion(folio))
        assert status == 200, body
        return str(body["data"]["uuid"])

    def cancelled(self, path: str, members: object = None, xml: bytes | None = None) -> tuple[int, dict[str, Any]]:
        with self.server.client() as client:
            files = None if xml is None else {"xml": ("cancelacion.xml", xml, "text/xml")}
            answer = client.post(path, json=members, files=files)
        return answer.status_code, answer.json()

    def page(self, query: str = "") -> etree._Element:
        with Client(base_url=self.server.address) as visitor:
            answer = visitor.get(f"{PAGE}{query}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        return etree.fromstring(answer.content, etree.HTMLParser(encoding="utf-8"))

    def issued_xml(self, folio: str) -> str:
        """Issue a retención and return its XML."""
        _, body = self.post("/retencion/issue/v3", self.retencion(folio))
        return str(body["data"]["retencion"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("retenciones") / "data"
    with running(data, token=seed(data), environment={"TIMBRA_SANDBOX_MAIL": "off"}) as server:
        yield Served(server, data)


@pytest.mark.parametrize("version", ANSWERS)
@pytest.mark.parametrize("prefix", ["/retencion", "/v4/retencion"])
def test_issue_answers_in_the_version_of_the_path(served: Served, prefix: str, version: str) -> None:
    status, body = served.post(f"{prefix}/issue/{version}", served.retencion(f"{prefix[1:3]}{version}"))
    assert (status, body["status"]) == (200, "success")
    assert set(body["data"]) == ANSWERS[version]


def test_stamp_answers_with_the_earlier_stamp_of_a_repeated_document(served: Served) -> None:
    _, first = served.post("/retencion/issue/v3", served.retencion("R1"))
    document = first["data"]["retencion"]
    (stamp,) = read_stamps(etree.fromstring(document.encode()))
    status, body = served.post("/retencion/stamp/v3", document.encode())
    assert (status, body["message"]) == (400, "T307. El comprobante contiene un timbre previo.")
    assert (body["data"], body["messageDetail"]) == ({"retencion": document}, document)
    assert stamp.uuid in document


def test_issue_reads_and_answers_base64(served: Served) -> None:
    _, body = served.post("/retencion/issue/v3/b64", b64encode(served.retencion("B1")))
    assert b64decode(body["data"]["retencion"]).startswith(b"<?xml")


def test_issue_answers_with_a_qr_code_for_any_tax_id_of_a_foreigner(served: Served) -> None:
    xml = foreign_retencion(served.data, "QR1").replace(b"123456789", "Ñ".encode() * 20)
    status, body = served.post("/retencion/issue/v4", xml)
    assert (status, body["data"]["qrCode"][:11]) == (200, "iVBORw0KGgo")


@pytest.mark.parametrize("path", ["/retencion/stamp/v3/b64", "/retencion/issue/v3/b64", "/validate/retenciones"])
def test_routes_of_retenciones_reject_what_is_no_document(served: Served, path: str) -> None:
    status, body = served.post(path, b"texto, no XML")
    assert (status, body["message"][:4]) == (400, "T301")


@pytest.mark.parametrize("content", [b"", b" \r\n", b"\xef\xbb\xbf"], ids=range(3))
@pytest.mark.parametrize(
    "path",
    ["/retencion/stamp/v3", "/retencion/stamp/v3/b64", "/v4/retencion/stamp/v4", "/retencion/issue/v1"],
)
def test_routes_reject_an_empty_retencion_as_clients_expect(served: Served, path: str, content: bytes) -> None:
    status, body = served.post(path, content)
    assert status == 400
    assert body == {
        "message": "301 - La estructura del comprobante es incorrecta.",
        "messageDetail": None,
        "data": None,
        "status": "error",
    }


@pytest.mark.parametrize("path", ["/retencion/issue/v3", "/v4/retencion/issue/v4"])
def test_routes_reject_a_late_retencion_as_clients_expect(served: Served, path: str) -> None:
    then = to_central_mexico(datetime.now(UTC) - timedelta(hours=73))[:19]
    late = re.sub(rb'FechaExp="[^"]+"', f'FechaExp="{then}"'.encode(), served.retencion("LATE"))
    status, body = served.post(path, late)
    assert (status, body["message"]) == (
        400,
        "401 - El rango de la fecha de generación no debe de ser mayor a 72 horas para la emisión del timbre.",
    )


@pytest.mark.parametrize("path", ["/retencion/stamp/v3", "/retencion/issue/v3", "/v4/retencion/stamp/v4"])
def test_routes_reject_retenciones_10(served: Served, path: str) -> None:
    old = b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="1.0"/>'
    status, body = served.post(path, old)
    assert (status, body["message"][:6]) == (400, "TB4022")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b'Ejercicio="', b'Ejercicio="1', "Reten20126"),
        (b'CveRetenc="01"', b'CveRetenc="99"', "Reten20105"),
        (b'CveRetenc="01"', b'CveRetenc="16"', "Reten20107"),
        (b'MontoTotExent="0.00"', b'MontoTotExent="cero"', "T301"),
        (b"<retenciones:Periodo", b"<retenciones:Otro/><retenciones:Periodo", "T301"),
    ],
)
def test_issue_rejects_bad_values_with_their_codes(served: Served, old: bytes, new: bytes, code: str) -> None:
    status, body = served.post("/retencion/issue/v3", served.retencion("BAD").replace(old, new))
    assert (status, body["data"], body["message"].partition(" ")[0]) == (400, None, code)
    assert body["messageDetail"]


def test_stamp_rejects_an_unsealed_document(served: Served) -> None:
    status, body = served.post("/retencion/stamp/v3", served.retencion("U1"))
    assert (status, body["message"][:10]) == (400, "Reten20102")


@pytest.mark.parametrize("path", ["/retencion/issue/v3", "/validate/retenciones"])
def test_routes_of_retenciones_reject_a_cfdi(served: Served, path: str) -> None:
    status, body = served.post(path, invoice(served.data))
    assert (status, body["message"][:6]) == (400, "TB4020")


@pytest.mark.parametrize("path", ["/cfdi33/issue/v4", "/validate/cfdi"])
def test_routes_of_cfdi_reject_a_retencion(served: Served, path: str) -> None:
    status, body = served.post(path, served.retencion("C1"))
    assert (status, body["message"][:6]) == (400, "TB4021")


def test_validate_reports_a_stamped_retencion(served: Served) -> None:
    _, issued = served.post("/retencion/issue/v3", served.retencion("V1"))
    status, body = served.post("/validate/retenciones", issued["data"]["retencion"].encode())
    assert (status, body["status"], body["statusSat"]) == (200, "success", "Vigente")
    assert body["detail"][0]["section"] == "Retenciones20 - Validacion de Estructura"
    assert {entry["type"] for section in body["detail"] for entry in section["detail"]} == {1}


def retencion_10(served: Served) -> bytes:
    """Return a stamped Retenciones 1.0 of today."""
    credential = minted(served.data)
    with open_container(Settings(data=served.data)) as container:
        now = container.get(fiscal_clock).now().replace(microsecond=0)
        sealed = sealed10(retencion10({"@FechaExp": now.astimezone(CENTRAL_MEXICO).isoformat()}), credential)
        provider = container.get(sandbox_services).authority_ca.provider
        return stamped10(sealed, provider, at=to_central_mexico(now))


def test_validate_reports_on_retenciones_10(served: Served) -> None:
    status, body = served.post("/validate/retenciones", retencion_10(served))
    assert (status, body["status"], body["statusSat"]) == (200, "success", "No Encontrado")
    assert body["detail"][0]["section"] == "Retenciones10 - Validacion de Estructura"
    assert {entry["type"] for section in body["detail"] for entry in section["detail"]} == {1}
    assert [rule["code"] for rule in body["notEvaluated"]] == ["TB6042"]
    assert body["cadenaOriginalComprobante"].startswith("||1.0|")


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda xml: with_attribute(xml, "Sello", "AAAA"), ["T302", "TB6013"]),
        (lambda xml: with_attribute(xml, "montoTotRet", "1.00"), ["T302"]),
        (lambda xml: without_attribute(xml, "montoTotRet"), ["T301", "T302"]),
        (lambda xml: with_attribute(xml, "CveRetenc", "99"), ["T301", "T302"]),
    ],
    ids=["seal", "amount", "missing attribute", "key"],
)
def test_validate_reports_a_changed_retenciones_10(
    served: Served, change: Callable[[bytes], bytes], codes: list[str]
) -> None:
    status, body = served.post("/validate/retenciones", change(retencion_10(served)))
    found = [entry.get("code") for section in body["detail"] for entry in section["detail"] if entry["type"] == 0]
    assert (status, found) == (200, codes)


def credential_members(served: Served, way: str) -> dict[str, str]:
    credential = minted(served.data)
    if way == "pfx":
        file = pfx_file(credential)
        return {"b64Pfx": file.pfx, "password": file.password}
    files = csd_files(credential)
    return {"b64Cer": files.certificate, "b64Key": files.key, "password": files.password}


@pytest.mark.parametrize("way", ["csd", "pfx", "xml", "uuid"])
def test_cancel_in_every_way_and_again(served: Served, way: str) -> None:
    uuid = served.issued(f"K{way}")

    def cancelled() -> tuple[int, dict[str, Any]]:
        if way == "uuid":
            return served.cancelled(f"/retencion/cancel/{RFC}/{uuid}/02/")
        if way == "xml":
            root = Cancelacion(RFC, (Folio(uuid, "02"),), RETENCIONES1).to_root(datetime.now(UTC))
            return served.cancelled("/retencion/cancel/xml", xml=signed(minted(served.data), root))
        order = {"uuid": uuid, "rfc": RFC, "motivo": "02", "folioSustitucion": None}
        return served.cancelled(f"/retencion/cancel/{way}", {**order, **credential_members(served, way)})

    status, body = cancelled()
    assert (status, body["status"], body["data"]["uuid"]) == (200, "success", {uuid.upper(): "1201"})
    acuse = etree.fromstring(body["data"]["acuse"].encode())
    assert [node.text for node in acuse.iterfind("{*}Folios/{*}UUID")] == [uuid.upper()]
    assert cancelled()[1]["data"]["uuid"] == {uuid.upper(): "1202"}


def test_cancel_rejects_with_the_messages_of_the_contract(served: Served) -> None:
    fields, xml = "CACFDI33 - Problemas con los campos.", "CACFDI33 - Problemas con el xml."
    uuid = "FE4E71B0-8959-4FB9-8091-F5AC4FB0FEF8"

    def rejection(path: str, members: object = None, xml: bytes | None = None) -> tuple[int, str, str]:
        status, body = served.cancelled(f"/retencion/cancel/{path}", members, xml)
        return status, body["message"], (body["messageDetail"] or "")[:6]

    assert rejection("csd", {}) == (400, fields, "Son ne")
    assert rejection("pfx", {}) == (400, fields, "El arc")
    assert rejection("xml", xml=b"<a/>") == (400, "CASD - Acuse sin descripción específica.", "CR1301")
    without = {"uuid": uuid, "rfc": RFC, "motivo": "01", **credential_members(served, "csd")}
    assert rejection("csd", without) == (400, xml, "CR1311")
    assert rejection(f"{RFC}/{uuid}/09") == (400, xml, "CR1310")
    assert rejection(f"{RFC}/{uuid}") == (400, xml, "CR1310")
    assert rejection(f"URE180429TM6/{uuid}/02") == (400, "CACFDI33 - Error no controlado", "No se ")
    assert served.cancelled(f"/retencion/cancel/{RFC}/{uuid}/02")[1]["data"]["uuid"] == {uuid: "1205"}


def qr_text(png: bytes) -> str:
    found = zxingcpp.read_barcode(Image.open(BytesIO(png)).convert("L"))
    assert found is not None
    return str(found.text)


def texts(root: etree._Element, name: str) -> list[str]:
    table = root.find(".//table[@id='tbl_resultado']")
    return [] if table is None else ["".join(map(str, cell.itertext())) for cell in table.iter(name)]


def test_page_shows_the_retencion_of_the_qr_code(served: Served) -> None:
    _, body = served.post("/retencion/issue/v4", served.retencion("P1"))
    data = body["data"]
    query = f"?id={data['uuid']}&re={RFC}&rr=CACX7605101P8&tt=1000.0&fe={quote(data['selloCFDI'][-8:], safe='/=')}"
    assert qr_text(b64decode(data["qrCode"])) == f"{served.server.address}{PAGE}{query}"
    root = served.page(query)
    pairs = dict(zip(texts(root, "th"), texts(root, "td"), strict=True))
    assert pairs == {
        "RFC del Emisor": RFC,
        "Nombre o Razón Social del Emisor": "ESCUELA KEMPER URGATE",
        "RFC del Receptor": "CACX7605101P8",
        "Nombre o Razón Social del Receptor": "XOCHILT CASAS CHAVEZ",
        "Folio Fiscal": data["uuid"].upper(),
        "Fecha de Expedición": pairs["Fecha de Expedición"],
        "Fecha Certificación SAT": data["fechaTimbrado"],
        "PAC que Certificó": "TIM010101SB9",
        "Total del CFDI Retención": "$1000.00",
        "Estado CFDI Retención": "Vigente",
    }
    assert root.xpath("string(//*[@id='efosEstatus']/@value)") == "200"


def test_page_answers_the_query_of_programs_before_and_after_a_cancellation(served: Served) -> None:
    uuid = served.issued("P2")
    query = f"?folio={uuid.upper()}&rfcEmisor={RFC}&rfcReceptor=CACX7605101P8&_=1"
    assert dict(zip(*(texts(served.page(query), name) for name in ("th", "td")), strict=True))[STATE] == "Vigente"
    served.cancelled(f"/retencion/cancel/{RFC}/{uuid}/02")
    root = served.page(query)
    pairs = dict(zip(texts(root, "th"), texts(root, "td"), strict=True))
    assert pairs[STATE] == "Cancelado"
    date = root.find(".//td[@id='tdFechaCancelacion']")
    assert date is not None
    assert pairs["Fecha de Cancelación"] == "".join(map(str, date.itertext()))
    assert datetime.fromisoformat(pairs["Fecha de Cancelación"]) >= datetime.fromisoformat(pairs["Fecha de Expedición"])


def test_client_of_the_sat_reads_the_page(served: Served) -> None:
    uuid = served.issued("P3")
    retry = RetryPolicy(attempts=1)
    client = SatRetencionesStatus(
        f"{served.server.address}{PAGE}", Transport(), StatusCache(WallClock()), CircuitBreaker(), retry
    )
    query = StatusQuery(uuid, RFC, "CACX7605101P8", "", "", is_retencion=True)
    assert client.status(query) == FiscalStatus("Vigente", FOUND, None, "", "200")
    assert client.status(replace(query, issuer_rfc="URE180429TM6")) == MISSING
    served.cancelled(f"/retencion/cancel/{RFC}/{uuid}/02")
    assert client.status(query).status == "Cancelado"


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "00000000-0000-4000-8000-000000000000"},
        {"id": "x"},
        {"re": "URE180429TM6"},
        {"rr": "URE180429TM6"},
        {"tt": "1.00"},
        {"tt": ""},
        {"fe": "AAAAAAA="},
        {"id": "<script>"},
    ],
)
def test_page_shows_nothing_for_another_value(served: Served, changes: dict[str, str]) -> None:
    [(name, value)] = changes.items()
    uuid = served.issued(f"N{name}{len(value)}")
    values = {"id": uuid, "re": RFC, "rr": "CACX7605101P8", "tt": "1000.00", "fe": ""}
    assert texts(served.page(f"?{urlencode(values)}"), "td")
    root = served.page(f"?{urlencode({**values, **changes})}")
    assert texts(root, "td") == []
    assert root.find(".//*[@class='noresultados']") is not None


def test_page_does_not_find_a_cfdi(served: Served) -> None:
    _, body = served.post("/cfdi33/issue/v4", invoice(served.data))
    uuid = body["data"]["uuid"]
    root = served.page(f"?folio={uuid}&rfcEmisor={RFC}&rfcReceptor=URE180429TM6")
    assert root.find(".//*[@class='noresultados']") is not None


def test_page_without_a_query_has_the_form(served: Served) -> None:
    assert [node.get("name") for node in served.page().iter("input")] == ["id", "re", "rr", "tt", "fe"]


@pytest.mark.parametrize(
    "path", ["/retencion/issue/json/v4", "/v3/retencion/issue/json/v4", "/v4/retencion/issue/json/v4/"]
)
def test_issue_json_stamps_a_retencion(served: Served, path: str) -> None:
    content = as_json(etree.fromstring(served.retencion(path[1:3] + "J")))
    answer = served.post_json(path, content)
    assert (answer.status_code, set(answer.json()["data"])) == (200, V4)
    assert "x-timbra-ignored-keys" not in answer.headers


def test_issue_json_names_ignored_keys(served: Served) -> None:
    content = as_json(etree.fromstring(served.retencion("JI")))
    answer = served.post_json("/retencion/issue/json/v3", {**content, "CodigoInterno": "1.00"})
    assert answer.status_code == 200
    assert answer.headers["x-timbra-ignored-keys"] == "Retenciones/CodigoInterno"


def test_issue_json_reads_xml_inside_json(served: Served) -> None:
    content = {"data": b64encode(served.retencion("JX")).decode()}
    answer = served.post_json("/retencion/issue/json/v3/b64", content, "application/json")
    assert b64decode(answer.json()["data"]["retencion"]).startswith(b"<?xml")


@pytest.mark.parametrize(
    ("path", "changes", "code"),
    [
        ("/retencion/issue/json/v3", {"Version": "4.0"}, "TB4020"),
        ("/retencion/issue/json/v3", {"Version": "1.0"}, "TB4022"),
        ("/retencion/issue/json/v3", {"Version": "9.9"}, "T301"),
        ("/retencion/issue/json/v3", {"CveRetenc": "99"}, "Reten20105"),
        ("/retencion/issue/json/v3", {"Complemento": {"leyendasFisc:LeyendasFiscales": LEYENDA}}, "TB4023"),
        ("/v3/cfdi33/issue/json/v3", {}, "TB4021"),
    ],
)
def test_issue_json_rejects_with_the_code_of_the_cause(
    served: Served, path: str, changes: dict[str, Any], code: str
) -> None:
    answer = served.post_json(path, {**as_json(etree.fromstring(served.retencion("JR"))), **changes})
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(code)


def test_issue_states_that_nothing_is_mailed_without_a_mail_server(served: Served) -> None:
    with served.server.client() as client:
        files = {"xml": ("retencion.xml", served.retencion("M1"), "text/xml")}
        answer = client.post("/retencion/issue/v3", files=files, headers={"email": "a@b.mx"})
    assert list(answer.json()) == ["data", "status"]
    assert answer.headers["x-timbra-warning"] == MAIL_NOT_CONFIGURED


def test_live_returns_values_of_a_retencion(served: Served) -> None:
    document = served.issued_xml("S1")
    root = etree.fromstring(document.encode())
    (stamp,) = read_stamps(root)
    with served.server.client() as client:
        (record,) = client.get(f"/datawarehouse/v1/live/{stamp.uuid}").json()["data"]["records"]
        xml, pdf = client.get(record["urlXml"]), client.get(record["urlPdf"])
    expected = {"version": "2.0", "folio": "S1", "tipoDeComprobante": "R", "moneda": "MXN", "complementos": ""}
    parties = {"rfcEmisor": "EKU9003173C9", "rfcReceptor": "CACX7605101P8", "nombreReceptor": "XOCHILT CASAS CHAVEZ"}
    amounts = {"total": 1000, "totalImpuestosRetencion": 100, "retencionesISR": 100, "retencionesIVA": 0, "subtotal": 0}
    for name, value in {**expected, **parties, **amounts, "fecha": root.get("FechaExp")}.items():
        assert record[name] == value, name
    assert xml.text == document
    assert pdf.content.startswith(b"%PDF")


def test_pdf_of_a_retencion_has_its_values(served: Served) -> None:
    document = served.issued_xml("D1")
    with served.server.client() as client:
        generated = client.post("/pdf/v1/api/GeneratePdf", json={"xmlContent": document}).json()["data"]
        again = client.post(f"/pdf/v1/api/RegeneratePdf/{generated['uuid']}").json()["data"]
    assert (generated["folio"], generated["serie"], generated["rfcReceptor"]) == ("D1", "", "CACX7605101P8")
    assert (generated["total"], again["uuid"]) == ("1000.00", generated["uuid"])
    text = pypdfium2.PdfDocument(b64decode(again["contentB64"]))[0].get_textpage().get_text_range()
    assert "Monto total retenido" in text


def test_stamps_list_names_a_retencion(served: Served) -> None:
    served.issued_xml("L1")
    with served.server.client() as client:
        (record,) = client.get("/stamps?limit=1").json()["data"]["records"]
    assert (record["version"], record["tipoDeComprobante"], record["folio"]) == ("2.0", "R", "L1")
