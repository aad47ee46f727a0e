"""CancelaCFD, AceptacionRechazo and relations: requests that xmlsec and the product sign, and codes of Anexo 20."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from httpx2 import Response
from lxml import etree
from structlog.testing import capture_logs
from tests.emulator.emulator_support import (
    CANCELACFD,
    SEAL,
    EmulatorRun,
    Holder,
    fault_of,
    satcfdi_signer,
    signed_request,
    xmlsec,
)
from tests.support.sat_access import FixedAccess

from timbra import examples
from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.sandbox.authority.build import sandbox_authority, sandbox_ledger, sandbox_registry
from timbra.sat.cancellation import LIMITS, CancellationAddresses, SatCancellations
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import RequestOrigin, StatusQuery
from timbra.sat.soap import SoapService
from timbra.sat.transport import HttpResponse, Transport
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.xml_signatures.xmldsig import sign, verify

LOGIN = "/Autenticacion/Autenticacion.svc"
CANCEL = ("/Cancelacion/CancelaCFDService.svc", f"{CANCELACFD}/ICancelaCFDBinding/CancelaCFD")
ACCEPTANCE = "/AceptacionRechazo/AceptacionRechazoService.svc"
ANSWER_ACTION = f"{CANCELACFD}/IAceptacionRechazoService/ProcesarRespuesta"
PENDINGS_ACTION = f"{CANCELACFD}/IAceptacionRechazoService/ObtenerPeticionesPendientes"
RELATIONS = (
    "/ConsultaRelacionados/CfdiConsultaRelacionadosService.svc",
    f"{CANCELACFD}/ICfdiConsultaRelacionadosService/ProcesarRespuesta",
)
ISSUER, RECEIVER = examples.KEMPER.rfc, examples.ROBOTICA.rfc
ORIGIN = RequestOrigin(None, "")
SCHEMAS = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def delivered(emulator: EmulatorRun, total: str = "2320.00", **changes: str) -> str:
    xml, uuid = emulator.stamped({"@Total": total, **{f"@{name}": value for name, value in changes.items()}})
    emulator.deliver(xml, uuid)
    return uuid.lower()


def cancelacion(uuid: str, attributes: str = 'Motivo="02"', rfc: str = ISSUER, schemas: str = SCHEMAS) -> str:
    folios = f'<Folios><Folio UUID="{uuid.upper()}" {attributes}/></Folios>'
    return (
        f'<Cancelacion xmlns="{CANCELACFD}" {schemas} Fecha="2026-11-17T12:00:00" RfcEmisor="{rfc}">'
        f"{folios}</Cancelacion>"
    )


def send(emulator: EmulatorRun, document: str, token: str | None = None) -> etree._Element:
    body = f'<CancelaCFD xmlns="{CANCELACFD}">{document}</CancelaCFD>'
    return result_of(emulator.soap(*CANCEL, body, token=emulator.login(LOGIN) if token is None else token))


def result_of(response: Response) -> etree._Element:
    assert response.status_code == 200, response.text
    result = etree.fromstring(response.content).find(f"{{*}}Body/{{{CANCELACFD}}}*/{{{CANCELACFD}}}*")
    assert result is not None
    return result


def codes(result: etree._Element) -> dict[str, str]:
    return {
        (group.findtext(f"{{{CANCELACFD}}}UUID") or "").lower(): group.findtext(f"{{{CANCELACFD}}}EstatusUUID") or ""
        for group in result.iterchildren(f"{{{CANCELACFD}}}Folios")
    }


def state(emulator: EmulatorRun, uuid: str, total: str = "2320.00") -> tuple[str, str]:
    found = emulator.container.get(sandbox_ledger).status(StatusQuery(uuid, ISSUER, RECEIVER, total, SEAL[-8:]))
    return found.status, found.cancellation


@pytest.mark.parametrize("schemas", [SCHEMAS, ""], ids=["xsd and xsi", "none"])
def test_cancela_accepts_a_request_that_xmlsec_signed(emulator: EmulatorRun, schemas: str) -> None:
    uuid = delivered(emulator)
    result = send(emulator, signed_request(emulator.holder(ISSUER), cancelacion(uuid, schemas=schemas)))
    assert (codes(result), result.get("RfcEmisor")) == ({uuid: "201"}, ISSUER)
    assert state(emulator, uuid) == ("Cancelado", "Cancelado sin aceptación")


def test_cancela_accepts_a_request_whose_namespaces_the_message_declares(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    document = signed_request(emulator.holder(ISSUER), cancelacion(uuid)).replace(f" {SCHEMAS}", "", 1)
    assert codes(send(emulator, document)) == {uuid: "201"}


def test_cancela_accepts_a_request_that_was_indented_after_it_was_signed(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    root = Cancelacion(ISSUER, (Folio(uuid, "02"),)).to_root(emulator.container.get(fiscal_clock).now())
    document = signed(emulator.holder(ISSUER), root).decode().replace("<Folios>", "\n  <Folios>\n    ")
    assert codes(send(emulator, document)) == {uuid: "201"}


@pytest.mark.filterwarnings("ignore:X509.get_:DeprecationWarning")
def test_cancela_accepts_a_request_that_satcfdi_signed(emulator: EmulatorRun) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from satcfdi.create.cancela import cancelacion as satcfdi_cancelacion
    first, second = delivered(emulator), delivered(emulator)
    folios = [satcfdi_cancelacion.Folio(first, "02"), satcfdi_cancelacion.Folio(second, "03")]
    request = satcfdi_cancelacion.Cancelacion(satcfdi_signer(emulator.holder(ISSUER)), folios)
    document = etree.tostring(request.to_xml(), encoding="unicode")
    assert codes(send(emulator, document)) == {first: "201", second: "201"}


def test_cancela_answers_202_for_a_repeated_request(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    document = signed_request(emulator.holder(ISSUER), cancelacion(uuid))
    send(emulator, document)
    assert codes(send(emulator, document)) == {uuid: "202"}


def test_cancela_answers_205_for_an_unknown_folio(emulator: EmulatorRun) -> None:
    uuid = str(uuid4())
    assert codes(send(emulator, signed_request(emulator.holder(ISSUER), cancelacion(uuid)))) == {uuid: "205"}


def test_cancela_answers_203_for_the_document_of_another_issuer(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    document = signed_request(emulator.holder(RECEIVER), cancelacion(uuid, rfc=RECEIVER))
    assert codes(send(emulator, document)) == {uuid: "203"}


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ('Motivo="05"', "311"),
        ("", "311"),
        ('Motivo="01"', "312"),
        ('Motivo="02" FolioSustitucion="0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"', "312"),
    ],
)
def test_cancela_rejects_a_request_with_a_wrong_motive(emulator: EmulatorRun, attributes: str, code: str) -> None:
    uuid = delivered(emulator)
    result = send(emulator, signed_request(emulator.holder(ISSUER), cancelacion(uuid, attributes)))
    assert (result.get("CodEstatus"), codes(result)) == (code, {})
    assert state(emulator, uuid)[0] == "Vigente"


def _tampered(document: str) -> str:
    return document.replace('Motivo="02"', 'Motivo="03"')


def _wrapped(document: str) -> str:
    """Put the signed document inside an unsigned one that names another folio."""
    other = cancelacion(str(uuid4()))
    return other.replace("</Cancelacion>", f"{document}</Cancelacion>")


def _signature_of_another(document: str) -> str:
    signature = document[document.index("<Signature") : document.index("</Cancelacion>")]
    return cancelacion(str(uuid4())).replace("</Cancelacion>", f"{signature}</Cancelacion>")


def _unsigned(document: str) -> str:
    return document[: document.index("<Signature")] + "</Cancelacion>"


@pytest.mark.parametrize(
    "forge", [_tampered, _wrapped, _signature_of_another, _unsigned], ids=lambda forge: forge.__name__
)
def test_cancela_answers_302_for_a_signature_that_does_not_cover_the_request(
    emulator: EmulatorRun, forge: Callable[[str], str]
) -> None:
    uuid = delivered(emulator)
    document = signed_request(emulator.holder(ISSUER), cancelacion(uuid)).replace("ns0:", "").replace(":ns0", "")
    result = send(emulator, forge(document))
    assert (result.get("CodEstatus"), codes(result)) == ("302", {})
    assert state(emulator, uuid)[0] == "Vigente"


def test_cancela_answers_301_for_a_request_without_folios(emulator: EmulatorRun) -> None:
    text = cancelacion("x")
    empty = text[: text.index("<Folios>")] + "</Cancelacion>"
    assert send(emulator, signed_request(emulator.holder(ISSUER), empty)).get("CodEstatus") == "301"


def test_cancela_answers_300_without_a_token(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    result = send(emulator, signed_request(emulator.holder(ISSUER), cancelacion(uuid)), token="")
    assert (result.get("CodEstatus"), state(emulator, uuid)[0]) == ("300", "Vigente")


@pytest.mark.parametrize(
    ("rfc", "kind", "code"),
    [
        (RECEIVER, CertificateKind.CSD, "303"),
        (ISSUER, CertificateKind.EFIRMA, "310"),
    ],
)
def test_cancela_rejects_a_certificate_that_may_not_sign(
    emulator: EmulatorRun, rfc: str, kind: CertificateKind, code: str
) -> None:
    uuid = delivered(emulator)
    result = send(emulator, signed_request(emulator.holder(rfc, kind), cancelacion(uuid)))
    assert result.get("CodEstatus") == code


def test_cancela_answers_304_for_a_revoked_certificate(emulator: EmulatorRun) -> None:
    holder = emulator.holder("URE180429TM6")
    uuid = delivered(emulator)
    document = signed_request(holder, cancelacion(uuid, rfc=holder.rfc))
    emulator.container.get(sandbox_registry).revoke(holder.certificate.number)
    emulator.container.get(sandbox_registry).refresh()
    try:
        assert send(emulator, document).get("CodEstatus") == "304"
    finally:
        emulator.holders.clear()


def client(emulator: EmulatorRun, transport: Transport | None = None) -> SatCancellations:
    """Return the product's client, with a token of the provider."""
    transport, token = transport or Transport(), emulator.login(LOGIN)

    def service(path: str) -> SoapService:
        return SoapService(emulator.url(path), transport, LIMITS)

    addresses = CancellationAddresses(
        service(CANCEL[0]), service(ACCEPTANCE), service(RELATIONS[0]), FixedAccess(f'WRAP access_token="{token}"')
    )
    return SatCancellations(addresses, CircuitBreaker(), RetryPolicy())


def signed(holder: Holder, root: etree._Element) -> bytes:
    sign(root, holder.certificate, MemorySigner(holder.key))
    return etree.tostring(root)


def fiscal_now(emulator: EmulatorRun) -> str:
    return to_central_mexico(emulator.container.get(fiscal_clock).now())


def test_client_cancels_and_its_acuse_verifies(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    request = Cancelacion(ISSUER, (Folio(uuid, "02"),))
    document = signed(emulator.holder(ISSUER), request.to_root(emulator.container.get(fiscal_clock).now()))
    receipt = client(emulator).cancel(request, document, ORIGIN)
    assert receipt.codes == {uuid: "201"}
    acuse = etree.fromstring(receipt.acuse)
    assert (acuse.tag, acuse.get("Fecha")) == ("Acuse", fiscal_now(emulator))
    assert verify(acuse).certificate == emulator.container.get(sandbox_authority).certificate


class AlteringTransport(Transport):
    """Changes a code inside each answer."""

    def exchange(self, *args: Any, **options: Any) -> HttpResponse:
        response = super().exchange(*args, **options)
        return HttpResponse(response.status, response.body.replace(b">201<", b">202<"))


def test_client_rejects_an_acuse_whose_signature_fails_and_the_repeat_gets_one(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    request = Cancelacion(ISSUER, (Folio(uuid, "02"),))
    document = signed(emulator.holder(ISSUER), request.to_root(emulator.container.get(fiscal_clock).now()))
    with capture_logs() as logs, pytest.raises(ServiceError, match=r"authority-down.*La firma del acuse"):
        client(emulator, AlteringTransport()).cancel(request, document, ORIGIN)
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["the signature of an acuse fails"]
    # The SAT has cancelled the document: the request that is sent again says so, with an acuse that verifies.
    assert client(emulator).cancel(request, document, ORIGIN).codes == {uuid: "202"}


def test_xmlsec_verifies_the_acuse(emulator: EmulatorRun) -> None:
    uuid = delivered(emulator)
    request = Cancelacion(ISSUER, (Folio(uuid, "02"),))
    document = signed(emulator.holder(ISSUER), request.to_root(emulator.container.get(fiscal_clock).now()))
    root = etree.fromstring(client(emulator).cancel(request, document, ORIGIN).acuse)
    context = xmlsec.SignatureContext()
    context.key = xmlsec.Key.from_memory(
        emulator.container.get(sandbox_authority).certificate.der, xmlsec.KeyFormat.CERT_DER
    )
    context.verify(xmlsec.tree.find_node(root, "Signature", xmlsec.Namespace.DS))


def old(emulator: EmulatorRun) -> str:
    """Return a received document whose cancellation needs acceptance: it is old and above the limit."""
    xml, uuid = emulator.stamped({"@Total": "50000.00"})
    dated = xml.replace(b"2026-11-17T11:30:00", b"2026-11-10T11:30:00")
    emulator.control("PATCH", "/options", {"stamps": "accept"})
    emulator.upload(dated, f"{uuid}.xml")
    emulator.announce(emulator.login(), uuid, Fecha="2026-11-10T11:30:00")
    return uuid.lower()


def requested(emulator: EmulatorRun) -> str:
    """Return a document whose issuer requested its cancellation."""
    uuid = old(emulator)
    assert codes(send(emulator, signed_request(emulator.holder(ISSUER), cancelacion(uuid)))) == {uuid: "201"}
    assert state(emulator, uuid, "50000.00") == ("Vigente", "En proceso")
    return uuid


def test_client_lists_a_pending_request_and_accepts_it(emulator: EmulatorRun) -> None:
    uuid = requested(emulator)
    assert uuid in client(emulator).pendings(RECEIVER)
    request = AcceptReject(RECEIVER, {uuid: ReceiverAnswer.ACCEPT}, "PAC010101AB1")
    document = signed(emulator.holder(RECEIVER), request.to_root(emulator.container.get(fiscal_clock).now()))
    assert client(emulator).accept_reject(request, document, ORIGIN).codes == {uuid: "1000"}
    assert state(emulator, uuid, "50000.00") == ("Cancelado", "Cancelado con aceptación")
    assert client(emulator).accept_reject(request, document, ORIGIN).codes == {uuid: "1002"}


def answer(uuids: dict[str, str], rfc: str = RECEIVER) -> str:
    folios = "".join(
        f"<Folios><UUID>{uuid}</UUID><Respuesta>{given}</Respuesta></Folios>" for uuid, given in uuids.items()
    )
    return (
        f'<SolicitudAceptacionRechazo xmlns="{CANCELACFD}" {SCHEMAS} Fecha="2026-11-17T12:00:00" '
        f'RfcPacEnviaSolicitud="PAC010101AB1" RfcReceptor="{rfc}">{folios}</SolicitudAceptacionRechazo>'
    )


def send_answer(emulator: EmulatorRun, document: str) -> etree._Element:
    body = f'<ProcesarRespuesta xmlns="{CANCELACFD}">{document}</ProcesarRespuesta>'
    return result_of(emulator.soap(ACCEPTANCE, ANSWER_ACTION, body, token=emulator.login(LOGIN)))


def test_answer_rejects_and_marks_malformed_folios(emulator: EmulatorRun) -> None:
    uuid = requested(emulator)
    document = signed_request(emulator.holder(RECEIVER), answer({uuid: "Rechazo", "no-uuid": "Aceptacion"}))
    result = send_answer(emulator, document)
    assert (result.get("CodEstatus"), result.get("RfcPac")) == ("1000", "PAC010101AB1")
    assert codes(result) == {uuid: "1000", "no-uuid": "1005"}
    assert state(emulator, uuid, "50000.00") == ("Vigente", "Solicitud rechazada")


@pytest.mark.parametrize(
    ("text", "signer", "code"),
    [
        (answer({str(uuid4()): "Quizá"}), RECEIVER, "301"),
        (answer({}), RECEIVER, "301"),
        (answer({str(uuid4()): "Aceptacion"}, rfc="x"), RECEIVER, "301"),
        (answer({str(uuid4()): "Aceptacion"}), ISSUER, "300"),
    ],
    ids=["answer", "no folios", "rfc", "other signer"],
)
def test_answer_is_rejected_as_a_whole(emulator: EmulatorRun, text: str, signer: str, code: str) -> None:
    result = send_answer(emulator, signed_request(emulator.holder(signer), text))
    assert (result.get("CodEstatus"), codes(result)) == (code, {})


def test_answer_is_rejected_with_300_for_a_changed_document(emulator: EmulatorRun) -> None:
    uuid = requested(emulator)
    document = signed_request(emulator.holder(RECEIVER), answer({uuid: "Rechazo"}))
    assert send_answer(emulator, document.replace("Rechazo<", "Aceptacion<")).get("CodEstatus") == "300"
    assert state(emulator, uuid, "50000.00") == ("Vigente", "En proceso")


def pendings(emulator: EmulatorRun, rfc: str) -> tuple[str | None, int]:
    body = (
        f'<ObtenerPeticionesPendientes xmlns="{CANCELACFD}"><rfcReceptor>{rfc}</rfcReceptor>'
        "</ObtenerPeticionesPendientes>"
    )
    result = result_of(emulator.soap(ACCEPTANCE, PENDINGS_ACTION, body, token=emulator.login(LOGIN)))
    return result.get("CodEstatus"), len(result)


def test_pendings_have_a_code_of_their_own(emulator: EmulatorRun) -> None:
    requested(emulator)
    code, count = pendings(emulator, RECEIVER)
    assert code == "1100"
    assert count >= 1
    assert pendings(emulator, "XIA190128J61") == ("1101", 0)
    assert pendings(emulator, "x") == ("305", 0)


def related(emulator: EmulatorRun) -> tuple[str, str]:
    """Return the folios of a document and of one that replaces it."""
    first = delivered(emulator)
    text = examples.ingreso(
        {"@Total": "2320.00", "@Sello": SEAL, "CfdiRelacionados": examples.relation("04", first)},
        fecha="2026-11-17T11:00:00",
    )
    xml, uuid = emulator.stamped(text=text)
    emulator.deliver(xml, uuid)
    return first, uuid.lower()


def test_client_reads_parents_and_children(emulator: EmulatorRun) -> None:
    first, second = related(emulator)
    sat = client(emulator)

    def ask(uuid: str) -> tuple[list[str], list[str]]:
        request = RelationsRequest(uuid, RECEIVER, "PAC010101AB1")
        found = sat.relations(request, signed(emulator.holder(RECEIVER), request.to_root()))
        assert found is not None
        return [cfdi.uuid for cfdi in found.parents], [cfdi.uuid for cfdi in found.children]

    assert ask(first) == ([], [second])
    assert ask(second) == ([first], [])


def ask_relations(emulator: EmulatorRun, holder: Holder, uuid: str, rfc: str, *, sign_it: bool = True) -> str:
    text = (
        f'<PeticionConsultaRelacionados xmlns="{CANCELACFD}" {SCHEMAS} Uuid="{uuid}" RfcReceptor="{rfc}" '
        'RfcPacEnviaSolicitud="PAC010101AB1" RfcEmisor=""/>'
    )
    document = signed_request(holder, text) if sign_it else text
    body = f'<ProcesarRespuesta xmlns="{CANCELACFD}">{document}</ProcesarRespuesta>'
    result = result_of(emulator.soap(*RELATIONS, body, token=emulator.login(LOGIN)))
    return result.findtext(f"{{{CANCELACFD}}}Resultado") or ""


def test_relations_name_the_reason_of_every_answer(emulator: EmulatorRun) -> None:
    receiver = emulator.holder(RECEIVER)
    uuid = delivered(emulator)
    other = emulator.holder("XIA190128J61")

    def key(holder: Holder, folio: str, rfc: str, *, sign_it: bool = True) -> str:
        text = ask_relations(emulator, holder, folio, rfc, sign_it=sign_it)
        assert text.startswith(f"WS Consulta CFDI relacionados RfcReceptor: {rfc} - UUID: {folio} - Clave: ")
        return text.split("Clave: ")[1].split(" - ")[0]

    assert key(receiver, uuid, RECEIVER) == "2001"
    assert key(other, uuid, "XIA190128J61") == "2002"
    assert key(other, uuid, RECEIVER) == "1003"
    assert key(receiver, uuid, "x") == "301"
    assert key(receiver, uuid, "") == "301"
    assert key(receiver, "x", RECEIVER) == "301"
    assert key(receiver, uuid, RECEIVER, sign_it=False) == "302"


@pytest.mark.parametrize("path", [ACCEPTANCE, RELATIONS[0]])
def test_services_of_the_cancellation_need_a_token(emulator: EmulatorRun, path: str) -> None:
    action = PENDINGS_ACTION if path == ACCEPTANCE else RELATIONS[1]
    name = action.rpartition("/")[2]
    response = emulator.soap(path, action, f'<{name} xmlns="{CANCELACFD}"/>')
    assert fault_of(response)[0] == "FailedAuthentication"


def test_client_reports_a_token_that_expired(emulator: EmulatorRun) -> None:
    sat = client(emulator)
    emulator.control("POST", "/tokens/expire")
    with pytest.raises(ServiceError, match="authority-down"):
        sat.pendings(RECEIVER)
