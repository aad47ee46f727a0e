"""Messages of the SAT's bulk download, and its client over a transport in memory."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA1
from lxml import etree
from tests.seals.support import minted, rsa_key
from tests.support.sat_access import LoginKey
from tests.support.store_records import MovableClock

from timbra.core.errors import ServiceError
from timbra.sat.bulk_download import (
    BulkQuery,
    PackageReader,
    PackageReceipt,
    QueryProgress,
    QueryReceipt,
    download_message,
    query_message,
    verification_message,
)
from timbra.sat.bulk_download_client import BulkAddresses, BulkDownloadClient
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.transport import HttpResponse, PieceReader, Transport
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.signers.memory import MemorySigner

DES = "http://DescargaMasivaTerceros.sat.gob.mx"
DS = "{http://www.w3.org/2000/09/xmldsig#}"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
CERTIFICATE = read_certificate(minted(branch=None))
SIGNER = MemorySigner(rsa_key(1))
RECEIVED = BulkQuery(
    "EKU9003173C9",
    is_issued=False,
    is_metadata=False,
    starts=datetime.fromisoformat("2026-10-01T00:00:00"),
    ends=datetime.fromisoformat("2026-10-31T23:59:59"),
)
METADATA_OF_ISSUED = BulkQuery("EKU9003173C9", True, True, RECEIVED.starts, RECEIVED.ends)


def canonical(node: etree._Element) -> bytes:
    return etree.tostring(node, method="c14n", exclusive=True, with_comments=False)


def verified(message: str) -> etree._Element:
    """Verify a message as published clients sign: the operation without its signature, in the exclusive form."""
    root = etree.fromstring(message)
    signature = next(root.iter(f"{DS}Signature"))
    info = signature.find(f"{DS}SignedInfo")
    value = base64.b64decode(signature.findtext(f"{DS}SignatureValue") or "")
    assert info is not None
    algorithms = [node.get("Algorithm", "").rpartition("/")[2] for node in info.iter("*") if node.get("Algorithm")]
    assert algorithms == ["xml-exc-c14n#", "xmldsig#rsa-sha1", "xml-exc-c14n#", "xmldsig#sha1"]
    rsa_key(1).public_key().verify(value, canonical(info), PKCS1v15(), SHA1())
    parent = signature.getparent()
    assert parent is not None
    assert parent.getparent() is root
    assert parent[-1] is signature
    parent.remove(signature)
    digest = base64.b64encode(hashlib.sha1(canonical(root)).digest()).decode()
    assert info.findtext(f".//{DS}DigestValue") == digest
    return root


def test_query_message_asks_for_xml_of_received_documents_in_force() -> None:
    action, message = query_message(RECEIVED, CERTIFICATE, SIGNER)
    root = verified(message)
    assert action == f"{DES}/ISolicitaDescargaService/SolicitaDescargaRecibidos"
    assert root.tag == f"{{{DES}}}SolicitaDescargaRecibidos"
    assert {str(name): value for name, value in root[0].attrib.items()} == {
        "EstadoComprobante": "Vigente",
        "FechaInicial": "2026-10-01T00:00:00",
        "FechaFinal": "2026-10-31T23:59:59",
        "RfcReceptor": "EKU9003173C9",
        "RfcSolicitante": "EKU9003173C9",
        "TipoSolicitud": "CFDI",
    }


def test_query_message_asks_for_metadata_of_issued_documents_of_any_state() -> None:
    action, message = query_message(METADATA_OF_ISSUED, CERTIFICATE, SIGNER)
    root = verified(message)
    assert action == f"{DES}/ISolicitaDescargaService/SolicitaDescargaEmitidos"
    assert {name: root[0].get(name) for name in ("EstadoComprobante", "RfcEmisor", "TipoSolicitud")} == {
        "EstadoComprobante": "Todos",
        "RfcEmisor": "EKU9003173C9",
        "TipoSolicitud": "Metadata",
    }


def test_messages_escape_and_sign_an_rfc_with_an_ampersand() -> None:
    for message in (
        verification_message("A&Ñ010101AAA", "id", CERTIFICATE, SIGNER),
        download_message("A&Ñ010101AAA", "id_01", CERTIFICATE, SIGNER),
    ):
        assert verified(message)[0].get("RfcSolicitante") == "A&Ñ010101AAA"


def delivered(package: str, header: str = 'CodEstatus="5000" Mensaje="Solicitud Aceptada"') -> bytes:
    return (
        f'<s:Envelope xmlns:s="{SOAP}"><s:Header><h:respuesta {header} xmlns:h="{DES}"/></s:Header><s:Body>'
        f'<RespuestaDescargaMasivaTercerosSalida xmlns="{DES}"><Paquete>{package}</Paquete>'
        "</RespuestaDescargaMasivaTercerosSalida></s:Body></s:Envelope>"
    ).encode()


def pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[start : start + size] for start in range(0, len(content), size))


@pytest.mark.parametrize("size", [1, 3, 7, 100_000])
def test_package_reader_writes_the_package_while_it_arrives(size: int) -> None:
    content = bytes(range(256)) * 40
    target = io.BytesIO()
    reader = PackageReader(target)
    for piece in pieces(delivered(base64.encodebytes(content).decode()), size):
        reader.write(piece)
    assert reader.finish() == PackageReceipt("5000", "Solicitud Aceptada", len(content))
    assert target.getvalue() == content


def test_package_reader_returns_the_code_of_an_error() -> None:
    reader = PackageReader(io.BytesIO())
    reader.write(delivered("", 'CodEstatus="5008" Mensaje="Maximo de descargas permitidas."'))
    assert reader.finish() == PackageReceipt("5008", "Maximo de descargas permitidas.", 0)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html><body>Mantenimiento</html>",
        delivered("QUJD")[:-40],
        delivered("QUJ"),
        delivered("QU%D"),
        delivered("QUJD").replace(b"respuesta", b"otra"),
        b'<!DOCTYPE a [<!ENTITY b "QUJD">]>' + delivered("&b;"),
        f'<s:Envelope xmlns:s="{SOAP}"><s:Body/></s:Envelope>'.encode(),
    ],
    ids=["empty", "html", "cut", "cut base64", "no base64", "no status", "doctype", "no answer"],
)
def test_package_reader_rejects_other_answers(answer: bytes) -> None:
    with pytest.raises(ServiceError, match="authority-down"):  # noqa: PT012 - of either call
        reader = PackageReader(io.BytesIO())
        reader.write(answer)
        reader.finish()


def envelope(body: str) -> bytes:
    return f'<s:Envelope xmlns:s="{SOAP}"><s:Body>{body}</s:Body></s:Envelope>'.encode()


def fault(code: str) -> HttpResponse:
    content = f"<s:Fault><faultcode>a:{code}</faultcode><faultstring>no</faultstring></s:Fault>"
    return HttpResponse(500, envelope(content))


def login(token: str) -> HttpResponse:
    body = f"<AutenticaResult>{token}</AutenticaResult>"
    name = "http://DescargaMasivaTerceros.gob.mx"
    return HttpResponse(200, envelope(f'<AutenticaResponse xmlns="{name}">{body}</AutenticaResponse>'))


def receipt(code: str) -> HttpResponse:
    result = f'<SolicitaDescargaRecibidosResult IdSolicitud="abc" CodEstatus="{code}" Mensaje="m"/>'
    content = f'<SolicitaDescargaRecibidosResponse xmlns="{DES}">{result}</SolicitaDescargaRecibidosResponse>'
    return HttpResponse(200, envelope(content))


class ScriptedTransport(Transport):
    """Answers by the end of the path; the calls with their header Authorization are in `calls`."""

    def __init__(self, answers: dict[str, list[HttpResponse]]) -> None:
        super().__init__()
        self.answers = answers
        self.calls: list[tuple[str, str]] = []

    def exchange(self, method: str, url: str, **options: object) -> HttpResponse:
        assert method == "POST"
        return self._next(url, options)

    def post(self, url: str, content: bytes, target: PieceReader, **options: object) -> int:
        assert content
        answer = self._next(url, options)
        target.write(answer.body)
        return answer.status

    def _next(self, url: str, options: dict[str, object]) -> HttpResponse:
        headers = options["headers"]
        assert isinstance(headers, dict)
        name = url.rpartition("/")[2]
        self.calls.append((name, headers.get("Authorization", "")))
        return self.answers[name].pop(0)


ClientOf = Callable[[dict[str, list[HttpResponse]]], tuple[BulkDownloadClient, ScriptedTransport, MovableClock]]


@pytest.fixture
def client_of() -> ClientOf:
    def build(answers: dict[str, list[HttpResponse]]) -> tuple[BulkDownloadClient, ScriptedTransport, MovableClock]:
        wall, transport = MovableClock(), ScriptedTransport(answers)
        addresses = BulkAddresses(*(f"https://sat.test/{name}" for name in ("login", "request", "verify", "download")))
        key = LoginKey(CERTIFICATE, SIGNER)
        return BulkDownloadClient(addresses, lambda: key, transport, CircuitBreaker(), wall, 10), transport, wall

    return build


def test_client_sends_its_token_as_received_and_renews_it_after_four_minutes(client_of: ClientOf) -> None:
    answers = {"login": [login("a%26b"), login("c")], "request": [receipt("5000")] * 3}
    client, transport, wall = client_of(answers)
    client.authenticate()
    assert client.request(RECEIVED) == QueryReceipt("5000", "abc", "m")
    wall.advance(minutes=3, seconds=59)
    client.request(RECEIVED)
    wall.advance(seconds=2)
    client.request(RECEIVED)
    tokens = [token for name, token in transport.calls if name == "request"]
    assert tokens == ['WRAP access_token="a%26b"', 'WRAP access_token="a%26b"', 'WRAP access_token="c"']


@pytest.mark.parametrize("rejection", [receipt("300"), fault("InvalidSecurityToken")], ids=["300", "fault"])
def test_client_calls_once_more_with_a_new_token(client_of: ClientOf, rejection: HttpResponse) -> None:
    client, transport, _ = client_of({"login": [login("a"), login("b")], "request": [rejection, receipt("5000")]})
    assert client.request(RECEIVED).code == "5000"
    assert [name for name, _ in transport.calls] == ["login", "request", "login", "request"]


def test_client_reads_the_progress_of_a_request(client_of: ClientOf) -> None:
    attributes = 'CodEstatus="5000" EstadoSolicitud="3" CodigoEstadoSolicitud="5010" NumeroCFDIs="0" Mensaje="m"'
    packages = "<IdsPaquetes>A_01</IdsPaquetes><IdsPaquetes> A_02 </IdsPaquetes><IdsPaquetes>A_01</IdsPaquetes>"
    result = f"<VerificaSolicitudDescargaResult {attributes}>{packages}</VerificaSolicitudDescargaResult>"
    content = f'<VerificaSolicitudDescargaResponse xmlns="{DES}">{result}</VerificaSolicitudDescargaResponse>'
    client, _, _ = client_of({"login": [login("a")], "verify": [HttpResponse(200, envelope(content))]})
    assert client.verify("EKU9003173C9", "abc") == QueryProgress("5000", 3, "5010", 0, "m", ("A_01", "A_02"))


def test_client_downloads_again_with_a_new_token_into_the_emptied_file(client_of: ClientOf) -> None:
    rejected = HttpResponse(200, delivered("QUJDRA==", 'CodEstatus="300" Mensaje="Usuario No Válido"'))
    client, _, _ = client_of(
        {"login": [login("a"), login("b")], "download": [rejected, HttpResponse(200, delivered("QUI="))]}
    )
    target = io.BytesIO()
    assert client.download("EKU9003173C9", "A_01", target).size == 2
    assert target.getvalue() == b"AB"


@pytest.mark.parametrize("answer", [HttpResponse(503, b"<html>"), HttpResponse(200, b"<html/>"), fault("Other")])
def test_client_stops_calls_after_repeated_failures(client_of: ClientOf, answer: HttpResponse) -> None:
    client, transport, wall = client_of({"login": [login("a")], "request": [answer] * 9})
    for _ in range(7):
        with pytest.raises(ServiceError, match="authority-down"):
            client.request(RECEIVED)
        wall.instant += timedelta(0)
    assert [name for name, _ in transport.calls] == ["login", *["request"] * 5]
