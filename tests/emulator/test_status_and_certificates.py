"""ConsultaCFDIService as measured, the certificate repository, and the product's clients of both."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4
from xml.sax.saxutils import escape

import pytest
from lxml import etree
from tests.emulator.emulator_support import SEAL, EmulatorRun

from timbra import examples
from timbra.core.clock import WallClock
from timbra.core.retry import RetryPolicy
from timbra.emulator.services.status import parse_expression
from timbra.sandbox.authority.build import sandbox_ledger
from timbra.sat.certificate_repository import SatCertificateRepository, place
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import StatusQuery
from timbra.sat.soap import SoapService
from timbra.sat.status import SatStatus
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import Transport
from timbra.seals.ports import trust_store

PATH = "/ConsultaCFDIService.svc"
ACTION = "http://tempuri.org/IConsultaCFDIService/Consulta"
CONTRACT = "{http://schemas.datacontract.org/2004/07/Sat.Cfdi.Negocio.ConsultaCfdi.Servicio}"
FOUND, INVALID, MISSING = "S - ", "N - 601", "N - 602"


def consult(emulator: EmulatorRun, expression: str) -> dict[str, str]:
    body = f'<Consulta xmlns="http://tempuri.org/"><expresionImpresa>{escape(expression)}</expresionImpresa></Consulta>'
    response = emulator.soap(PATH, ACTION, body)
    assert response.status_code == 200
    result = etree.fromstring(response.content).find(".//{http://tempuri.org/}ConsultaResult")
    assert result is not None
    assert [str(child.tag).removeprefix(CONTRACT) for child in result] == sorted(
        str(child.tag).removeprefix(CONTRACT) for child in result
    )
    return {str(child.tag).removeprefix(CONTRACT): child.text or "" for child in result}


@pytest.fixture
def delivered(emulator: EmulatorRun) -> str:
    """Return the folio of a received document."""
    xml, uuid = emulator.stamped()
    emulator.deliver(xml, uuid)
    return uuid


def expression(uuid: str, **changes: str) -> str:
    values = {
        "re": examples.KEMPER.rfc,
        "rr": examples.ROBOTICA.rfc,
        "tt": "2320.00",
        "id": uuid,
        "fe": SEAL[-8:],
        **changes,
    }
    return "?" + "&".join(f"{name}={value}" for name, value in values.items() if value)


@pytest.mark.parametrize(
    "changes", [{}, {"fe": ""}, {"tt": "2320"}, {"tt": "0000002320.000000"}], ids=["whole", "no fe", "short", "padded"]
)
def test_consulta_finds_a_received_document(emulator: EmulatorRun, delivered: str, changes: dict[str, str]) -> None:
    found = consult(emulator, expression(delivered, **changes))
    assert found["CodigoEstatus"].startswith(FOUND)
    assert (found["Estado"], found["EsCancelable"], found["ValidacionEFOS"]) == (
        "Vigente",
        "Cancelable sin aceptación",
        "200",
    )


def test_consulta_needs_neither_question_mark_nor_order(emulator: EmulatorRun, delivered: str) -> None:
    pairs = expression(delivered)[1:].split("&")
    assert consult(emulator, "&".join(reversed(pairs)))["Estado"] == "Vigente"


@pytest.mark.parametrize("name", ["tt", "id"])
def test_consulta_answers_601_without_total_or_folio(emulator: EmulatorRun, delivered: str, name: str) -> None:
    assert consult(emulator, expression(delivered, **{name: ""}))["CodigoEstatus"].startswith(INVALID)


@pytest.mark.parametrize(
    "changes", [{"tt": "2321.00"}, {"re": "x"}, {"rr": "URE"}, {"id": "x"}, {"fe": "AAAAAAAA"}], ids=str
)
def test_consulta_answers_602_for_values_that_match_nothing(
    emulator: EmulatorRun, delivered: str, changes: dict[str, str]
) -> None:
    found = consult(emulator, expression(delivered, **changes))
    assert (found["CodigoEstatus"][:7], found["Estado"], found["EsCancelable"]) == (MISSING, "No Encontrado", "")


def test_consulta_answers_602_for_a_retencion(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped(text=examples.retencion({"@Sello": SEAL}))
    emulator.container.get(sandbox_ledger).import_document(xml)
    root = etree.fromstring(xml)
    total = root.find("{*}Totales").get("MontoTotOperacion")  # type: ignore[union-attr]
    receiver = root.find(".//{*}Nacional").get("RfcR")  # type: ignore[union-attr]
    issuer = root.find("{*}Emisor").get("RfcE")  # type: ignore[union-attr]
    values = expression(uuid, re=str(issuer), rr=str(receiver), tt=str(total))
    assert consult(emulator, values)["CodigoEstatus"].startswith(MISSING)


def test_parse_expression_reads_an_ampersand_in_an_rfc() -> None:
    parsed = parse_expression("?re=A&amp;B010101AB1&rr=X&tt=1.00&id=y&fe=a+b/c==")
    assert parsed == {"re": "A&B010101AB1", "rr": "X", "tt": "1.00", "id": "y", "fe": "a+b/c=="}


def test_client_of_the_status_service_reads_the_answer(emulator: EmulatorRun, delivered: str) -> None:
    service = SoapService(emulator.url(PATH), Transport())
    client = SatStatus(service, StatusCache(WallClock()), CircuitBreaker(), RetryPolicy())
    query = StatusQuery(delivered, examples.KEMPER.rfc, examples.ROBOTICA.rfc, "2320.00", SEAL[-8:])
    assert client.status(query) == emulator.container.get(sandbox_ledger).status(query)


def test_certificates_are_at_the_place_of_their_number(emulator: EmulatorRun) -> None:
    certificate = emulator.provider().certificate
    found = emulator.client.get(emulator.url(f"/rccf/{place(certificate.number)}"))
    assert (found.status_code, found.content) == (200, certificate.der)


@pytest.mark.parametrize("path", ["x.cer", place("0" * 20), "000000/000000/00/00/01/" + "0" * 20 + ".cer"])
def test_unknown_certificates_are_not_found(emulator: EmulatorRun, path: str) -> None:
    assert emulator.client.get(emulator.url(f"/rccf/{path}")).status_code == 404


def test_client_of_the_repository_finds_the_certificate_of_a_provider(emulator: EmulatorRun, tmp_path: Path) -> None:
    client = SatCertificateRepository(
        emulator.url("/rccf"),
        tmp_path,
        emulator.container.get(trust_store),
        Transport(),
        CircuitBreaker(),
        RetryPolicy(),
    )
    number = emulator.provider().certificate.number
    found = client.provider(number)
    assert found is not None
    assert (found.number, found.rfc) == (number, emulator.provider().rfc)
    assert client.provider(str(uuid4().int)[:20]) is None
