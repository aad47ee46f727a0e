"""Validation over HTTP, by a real server with a simulator of the SAT."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.sat_services import sat_services
from tests.support.server import Server, invoice, running, seed

from timbra.messages.codes import FINDING_CODES

CONTRACT = {
    "detail",
    "cadenaOriginalSAT",
    "cadenaOriginalComprobante",
    "uuid",
    "statusSat",
    "statusCodeSat",
    "isCancelable",
    "statusCancelation",
    "status",
}
VIGENTE = ("Vigente", "S - Comprobante obtenido satisfactoriamente", "Cancelable con aceptación", "En proceso")
SKIPPED = ("No Aplica", "No Aplica", None, None)
RETENCIONES = b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/2" Version="2.0"/>'


@dataclass(frozen=True)
class Served:
    """A server, an invoice that can be issued, and an invoice that the server stamped."""

    server: Server
    unstamped: bytes
    stamped: bytes

    def post(self, path: str, xml: bytes) -> tuple[int, dict[str, Any]]:
        with self.server.client() as client:
            answer = client.post(path, files={"xml": ("cfdi.xml", xml, "text/xml")})
        return answer.status_code, answer.json()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data, files = tmp_path_factory.mktemp("server") / "data", tmp_path_factory.mktemp("files")
    token = seed(data)
    with sat_services(files) as sat:
        variables = {"TIMBRA_STATUS_SERVICE": "sat", "TIMBRA_SAT_STATUS_URL": f"{sat.address}/answer/well"}
        with running(data, token=token, environment=variables) as server:
            unstamped = invoice(data)
            with server.client() as client:
                answer = client.post("/cfdi33/issue/v4", files={"xml": ("cfdi.xml", unstamped, "text/xml")})
            yield Served(server, unstamped, answer.json()["data"]["cfdi"].encode())


def status_fields(body: dict[str, Any]) -> tuple[Any, ...]:
    return body["statusSat"], body["statusCodeSat"], body["isCancelable"], body["statusCancelation"]


@pytest.mark.parametrize("path", ["/validate/cfdi", "/validate/cfdi/", "/validate/cfdi33", "/validate/cfdi33/"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", VIGENTE),
        ("?validatestatus=", VIGENTE),
        ("?validatestatus=true", VIGENTE),
        ("?validatestatus=false", SKIPPED),
        ("?validateStatus=FALSE", SKIPPED),
    ],
)
def test_validate_reports_a_valid_invoice_with_its_status(
    served: Served, path: str, query: str, expected: tuple[Any, ...]
) -> None:
    status, body = served.post(path + query, served.stamped)
    assert (status, body["status"]) == (200, "success")
    assert set(body) >= CONTRACT
    assert not {"data", "message"} & set(body)
    assert status_fields(body) == expected
    assert [section["section"] for section in body["detail"]] == [
        "CFDI40 - Validacion de Estructura",
        "CFDI40 - Validaciones Proveedor Comprobante ( CFDI40 )",
        "CFDI40 - Validaciones Proveedor Complemento tfd:TimbreFiscalDigital",
    ]
    assert {entry["type"] for section in body["detail"] for entry in section["detail"][:1]} == {1}


@pytest.mark.parametrize("value", ["no", "0", "1", "yes", "falsey"])
def test_validate_rejects_other_values_of_validatestatus(served: Served, value: str) -> None:
    status, body = served.post(f"/validate/cfdi?validatestatus={value}", served.stamped)
    assert (status, body["status"], body["data"]) == (400, "error", None)
    assert "false" in body["messageDetail"]


def test_validate_answers_success_for_an_invoice_with_findings(served: Served) -> None:
    wrong = served.stamped.replace(b'UsoCFDI="G03"', b'UsoCFDI="ZZZ"')
    status, body = served.post("/validate/cfdi?validatestatus=false", b64encode(wrong))
    assert (status, body["status"]) == (200, "success")
    entries = body["detail"][1]["detail"]
    assert {(entry["type"], entry["typeValue"]) for entry in entries} <= {(0, "Error"), (2, "Warning")}
    entry = next(entry for entry in entries if entry.get("path") == "Receptor/@UsoCFDI")
    assert entry["message"].startswith(f"{entry['code']} - ")
    assert (entry["found"], entry["page"]) == ("ZZZ", f"/validador/reglas/{entry['code']}")
    seal = next(entry for entry in entries if entry.get("code") == "CFDI40102")
    assert seal["messageDetail"].startswith("CadenaOriginal: ||4.0|")
    assert "otro texto" in seal["hint"]
    assert body["dataVersion"]


@pytest.mark.parametrize(
    ("xml", "code", "status_fields"),
    [
        (RETENCIONES, "TB4021", "/validate/retenciones"),
        (b"<html/>", "301", "no es un Comprobante"),
        (b"no xml", "301", ""),
        (
            b'<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/3" Version="4.0"/>',
            "CC3002",
            "http://www.sat.gob.mx/cfd/4",
        ),
    ],
)
def test_validate_rejects_other_documents(served: Served, xml: bytes, code: str, status_fields: str) -> None:
    status, body = served.post("/validate/cfdi", xml)
    assert (status, body["status"], body["data"]) == (400, "error", None)
    assert body["message"].startswith(code)
    assert status_fields in body["messageDetail"]


def named(body: dict[str, Any], code: str) -> dict[str, Any]:
    [entry] = [entry for section in body["detail"] for entry in section["detail"] if entry.get("code") == code]
    return dict(entry)


def test_validate_answers_codes_in_place_of_the_names_of_findings(served: Served) -> None:
    other = b'<cfdi:Comprobante xmlns:otro="urn:otro"'
    answers = [
        served.post("/validate/cfdi?validatestatus=false", xml)[1]
        for xml in (
            served.unstamped.replace(b"<cfdi:Comprobante", other, 1),
            served.stamped.replace(b' SelloCFD="', b' SelloCFD="AAAA', 1),
        )
    ]
    unstamped, altered = answers
    entry = named(unstamped, "TB6001")
    assert (entry["message"], entry["type"]) == ("TB6001 - El comprobante debe llevar un timbre fiscal digital.", 2)
    entry = named(unstamped, "TB6021")
    assert entry["message"] == "TB6021 - Solo deben declararse los espacios de nombres que el comprobante usa."
    assert entry["page"] == "/validador/reglas/TB6021"
    entry = named(altered, "TB6013")
    assert entry["message"] == "TB6013 - SelloCFD del timbre debe ser el Sello del comprobante."
    for body in answers:
        assert not [name for name in FINDING_CODES if f'"{name}' in str(body).replace("'", '"')]
