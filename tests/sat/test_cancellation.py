"""The client of the SAT's cancellation services against a local service with recorded and declared shapes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from lxml import etree
from tests.seals.support import minted, rsa_key
from tests.support.corpus import CORPUS, corpus_path
from tests.support.sat_access import FixedAccess
from tests.support.sat_services import SatServices, sat_services

from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.errors import ServiceError
from timbra.core.retry import Backoff, RetryPolicy
from timbra.messages import cancelling as messages
from timbra.sat.cancellation import LIMITS, CancellationAddresses, SatCancellations
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import CancellationAuthority, CfdiParties, RequestOrigin
from timbra.sat.soap import SoapService
from timbra.sat.transport import Transport
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.xml_signatures.xmldsig import sign

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
CANCEL = "http://cancelacfd.sat.gob.mx/ICancelaCFDBinding/CancelaCFD"

NOON = datetime(2026, 11, 17, 18, tzinfo=UTC)
FIRST = "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
SECOND = "1d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d12"
REQUEST = Cancelacion("EKU9003173C9", (Folio(FIRST, "02"),))
ANSWERS = AcceptReject("URE180429TM6", {FIRST: ReceiverAnswer.ACCEPT})
QUESTION = RelationsRequest(FIRST, "URE180429TM6")
ORIGIN = RequestOrigin(1, "request")
WRONG = ["500", "404", "redirect", "html", "truncated", "otherxml", "well", "fault", "empty", "bomb", "hangup"]


def envelope(operation: str, inner: str, attributes: str = "") -> str:
    return (
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
        f'<{operation}Response xmlns="http://cancelacfd.sat.gob.mx"><{operation}Result {attributes}>{inner}'
        f"</{operation}Result></{operation}Response></s:Body></s:Envelope>"
    )


def folios(uuid: str, code: str) -> str:
    return f"<Folios><UUID>{uuid}</UUID><EstatusUUID>{code}</EstatusUUID></Folios>"


PARTIES = "<Uuid>{}</Uuid><RfcEmisor>EKU9003173C9</RfcEmisor><RfcReceptor>URE180429TM6</RfcReceptor>"
FILES = {
    "cancelled.xml": envelope("CancelaCFD", folios(FIRST.upper(), "201"), 'Fecha="x" RfcEmisor="EKU9003173C9"'),
    "answered.xml": envelope("ProcesarRespuesta", folios(FIRST.upper(), "1000"), 'CodEstatus="1000"'),
    "pendings.xml": envelope("ObtenerPeticionesPendientes", f"<UUID>{FIRST.upper()}</UUID>", 'CodEstatus="1100"'),
    "nopendings.xml": envelope("ObtenerPeticionesPendientes", "", 'CodEstatus="1101"'),
    "related.xml": envelope(
        "ProcesarRespuesta",
        "<Resultado>Clave: 2000</Resultado><UuidsRelacionadosPadres/>"
        f"<UuidsRelacionadosHijos><UuidRelacionado>{PARTIES.format(SECOND.upper())}</UuidRelacionado>"
        "</UuidsRelacionadosHijos>",
    ),
    "notparty.xml": envelope("ProcesarRespuesta", "<Resultado>... Clave: 2002 ...</Resultado>"),
    "refused302.xml": envelope("CancelaCFD", "", 'CodEstatus="302"'),
    "refused301.xml": envelope("CancelaCFD", "", 'CodEstatus="301"'),
    "silent.xml": envelope("CancelaCFD", ""),
    "badfolio.xml": envelope("CancelaCFD", folios("x", "201")),
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SatServices]:
    folder = tmp_path_factory.mktemp("answers")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    if CORPUS.is_dir():
        for path in (CORPUS / "services" / "acuse").glob("*.xml"):
            shutil.copy(path, folder / path.name)
    with sat_services(folder) as services:
        yield services


def client(running: SatServices, path: str, authorization: str = "") -> SatCancellations:
    service = SoapService(f"{running.address}/{path}", Transport(), LIMITS)
    services = CancellationAddresses(service, service, service, FixedAccess(authorization))
    return SatCancellations(services, CircuitBreaker(), RetryPolicy(5, 3, Backoff(0.01)))


def document() -> bytes:
    root = REQUEST.to_root(NOON)
    sign(root, read_certificate(minted()), MemorySigner(rsa_key(1)))
    return DECLARATION + etree.tostring(root)


def rejection(running: SatServices, path: str) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as rejected:
        client(running, path).cancel(REQUEST, document(), ORIGIN)
    return rejected.value.code, rejected.value.detail


def test_cancel_sends_the_signed_request_unchanged(running: SatServices) -> None:
    authority: CancellationAuthority = client(running, "file/cancelled.xml", "WRAP access_token")
    receipt = authority.cancel(REQUEST, document(), ORIGIN)
    assert receipt.codes == {FIRST: "201"}
    seen = running.seen()
    assert seen["headers"]["soapaction"] == f'"{CANCEL}"'
    assert seen["headers"]["authorization"] == "WRAP access_token"
    [inner] = etree.fromstring(seen["body"].encode()).iter("{http://cancelacfd.sat.gob.mx}Cancelacion")
    assert etree.tostring(inner, method="c14n", exclusive=True) == etree.tostring(
        etree.fromstring(document()), method="c14n", exclusive=True
    )


def test_cancel_returns_an_acuse_with_the_tag_of_the_contract(running: SatServices) -> None:
    acuse = client(running, "file/cancelled.xml").cancel(REQUEST, document(), ORIGIN).acuse
    root = etree.fromstring(acuse)
    assert (root.tag, root.get("RfcEmisor")) == ("Acuse", "EKU9003173C9")
    assert root.findtext(".//{*}EstatusUUID") == "201"


def test_cancel_reads_a_recorded_acuse(running: SatServices) -> None:
    corpus_path()
    [recorded] = (CORPUS / "services" / "acuse").glob("*.xml")
    receipt = client(running, f"file/{recorded.name}").cancel(REQUEST, document(), ORIGIN)
    assert receipt.codes == {"a2d530d5-86ee-4ed6-afb7-1c965d72a3e2": "205"}
    signature = etree.fromstring(receipt.acuse).find("{http://www.w3.org/2000/09/xmldsig#}Signature")
    assert signature is not None
    assert signature.get("Id") == "SelloSAT"


def test_accept_reject_and_pendings_read_receiver_responses(running: SatServices) -> None:
    receipt = client(running, "file/answered.xml").accept_reject(ANSWERS, document(), ORIGIN)
    assert receipt.codes == {FIRST: "1000"}
    assert etree.fromstring(receipt.acuse).tag == "AcuseAceptacionRechazo"
    assert client(running, "file/pendings.xml").pendings("URE180429TM6") == [FIRST]
    assert client(running, "file/nopendings.xml").pendings("URE180429TM6") == []


def test_relations_returns_parents_and_children(running: SatServices) -> None:
    found = client(running, "file/related.xml").relations(QUESTION, document())
    assert found is not None
    assert found.parents == ()
    assert found.children == (CfdiParties(SECOND, "EKU9003173C9", "URE180429TM6"),)
    assert client(running, "file/notparty.xml").relations(QUESTION, document()) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("refused302.xml", ("cancel-xml", messages.SIGNATURE)),
        ("refused301.xml", ("cancel-xml", "CA301 - El SAT rechazó la solicitud.")),
        ("silent.xml", ("CASD", "El SAT no dijo nada de los folios.")),
        ("badfolio.xml", ("authority-down", "La respuesta trae un folio mal formado.")),
        ("absent.xml", ("authority-down", "La conexión falló.")),
    ],
)
def test_cancel_maps_error_codes_of_the_sat(running: SatServices, name: str, expected: tuple[str, str]) -> None:
    assert rejection(running, f"file/{name}") == expected


@pytest.mark.parametrize("kind", WRONG)
def test_cancel_raises_authority_down_for_malformed_responses(running: SatServices, kind: str) -> None:
    assert rejection(running, f"answer/{kind}")[0] == "authority-down"


def test_cancel_retries_and_stops_while_the_circuit_is_open(running: SatServices) -> None:
    authority = client(running, "answer/404")
    before = running.request_count("/answer/404")
    for _ in range(6):
        with pytest.raises(ServiceError, match="authority-down"):
            authority.cancel(REQUEST, document(), ORIGIN)
    assert running.request_count("/answer/404") - before == 5 * 3


def test_pendings_raises_co1000_without_an_address() -> None:
    authority = SatCancellations(CancellationAddresses(None, None, None), CircuitBreaker(), RetryPolicy())
    with pytest.raises(ServiceError, match="CO1000"):
        authority.pendings("URE180429TM6")
