"""Changed and random messages: every service answers, or raises one of its own errors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.emulator.bulk_download_support import (
    ACTIONS,
    CFDI,
    DOWNLOAD,
    ISSUED,
    MONTH,
    PETITION,
    REQUEST,
    VERIFICATION,
    VERIFY,
    DownloadClient,
    signed,
    token_of,
)
from tests.emulator.emulator_support import EmulatorRun, login_message, signed_request
from tests.emulator.test_cancellation import ACCEPTANCE, ANSWER_ACTION, CANCEL, RELATIONS, answer, cancelacion

from timbra import examples
from timbra.emulator.faults import NO_FAULTS
from timbra.emulator.services.blobs import StorageError
from timbra.emulator.soap import SoapFault
from timbra.emulator.tokens import AccessTokenError
from timbra.seals.certificates.certificate import CertificateKind

FOLIO = "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
LOGIN = "/Seguridad/Autenticacion.svc"
LOGIN_ACTION = "http://tempuri.org/IAutenticacion/Autentica"
RECEPTION = ("/Recepcion/CFDI40/RecibeCFDIService.svc", "http://recibecfdi.sat.gob.mx/IRecibeCFDIService/Recibe")
STATUS = ("/ConsultaCFDIService.svc", "http://tempuri.org/IConsultaCFDIService/Consulta")
Message = tuple[str, str, bytes, str]
PIECES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([b"<", b"&", b'"', b"]]>", b"<!DOCTYPE a>", b"&lt;", b"</s:Body>", b"\xff", b"\x00", b"xmlns=''"]),
)


def envelope(body: str, header: str = "") -> bytes:
    soap = "http://schemas.xmlsoap.org/soap/envelope/"
    return f'<s:Envelope xmlns:s="{soap}"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>'.encode()


@pytest.fixture(scope="module")
def messages(module_emulator: EmulatorRun) -> list[Message]:
    """Return good messages of every operation: path, action, message, token."""
    run = module_emulator
    issuer, receiver = run.holder(examples.KEMPER.rfc), run.holder(examples.ROBOTICA.rfc)
    token, cancelling = run.login(), run.login("/Autenticacion/Autenticacion.svc")
    cancel = (
        f'<CancelaCFD xmlns="http://cancelacfd.sat.gob.mx">{signed_request(issuer, cancelacion(FOLIO))}</CancelaCFD>'
    )
    reply = signed_request(receiver, answer({FOLIO: "Rechazo"}))
    text = (
        f'<PeticionConsultaRelacionados xmlns="http://cancelacfd.sat.gob.mx" Uuid="{FOLIO}" '
        f'RfcReceptor="{receiver.rfc}" RfcPacEnviaSolicitud="PAC010101AB1"/>'
    )
    relations = signed_request(receiver, text)
    header = (
        '<EncabezadoCFDI xmlns="http://recibecfdi.sat.gob.mx"><RfcEmisor>EKU9003173C9</RfcEmisor>'
        f"<UUID>{FOLIO}</UUID><Fecha>2026-11-17T11:00:00</Fecha><NumeroCertificado>1</NumeroCertificado>"
        "<VersionComprobante>4.0</VersionComprobante></EncabezadoCFDI>"
    )
    announcement = f'<CFDI xmlns="http://recibecfdi.sat.gob.mx"><RutaCFDI>http://x/y/{FOLIO}.xml</RutaCFDI></CFDI>'
    expression = "?re=A&amp;rr=B&amp;tt=1&amp;id=x"
    query = f'<Consulta xmlns="http://tempuri.org/"><expresionImpresa>{expression}</expresionImpresa></Consulta>'
    process = '<ProcesarRespuesta xmlns="http://cancelacfd.sat.gob.mx">{}</ProcesarRespuesta>'
    return [
        *bulk_download_messages(run),
        (LOGIN, LOGIN_ACTION, login_message(run.provider()), ""),
        (*RECEPTION, envelope(announcement, header), token),
        (*CANCEL, envelope(cancel), cancelling),
        (ACCEPTANCE, ANSWER_ACTION, envelope(process.format(reply)), cancelling),
        (*RELATIONS, envelope(process.format(relations)), cancelling),
        (*STATUS, envelope(query), ""),
    ]


def bulk_download_messages(run: EmulatorRun) -> list[Message]:
    holder = run.holder(examples.KEMPER.rfc, CertificateKind.EFIRMA)
    token = token_of(DownloadClient(run, holder).login())
    attributes = {**MONTH, "RfcEmisor": holder.rfc, "TipoSolicitud": "CFDI"}
    identifier = {"IdSolicitud": FOLIO, "IdPaquete": f"{FOLIO}_01", "RfcSolicitante": holder.rfc}
    return [
        (CFDI + path, ACTIONS[operation], signed(holder, operation, values), token)
        for path, operation, values in (
            (REQUEST, ISSUED, attributes),
            (VERIFICATION, VERIFY, identifier),
            (DOWNLOAD, PETITION, identifier),
        )
    ]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_message_is_answered_or_is_a_fault(emulator: EmulatorRun, messages: list[Message], data: Any) -> None:
    path, action, message, token = data.draw(st.sampled_from(messages))
    start = data.draw(st.integers(0, len(message)))
    end = start + data.draw(st.integers(0, 40))
    changed = message[:start] + data.draw(PIECES) + message[end:]
    headers = {"soapaction": action, "authorization": f'WRAP access_token="{token}"'}
    endpoint = emulator.emulator.soap[path].endpoint
    try:
        response = endpoint.respond(headers, changed)
    except SoapFault as fault:
        response = fault.to_xml()
    assert isinstance(response, bytes)
    assert etree.fromstring(response).tag == "{http://schemas.xmlsoap.org/soap/envelope/}Envelope"


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(text="²", body=b"")
@given(text=st.text(max_size=60), body=st.binary(max_size=60))
def test_random_values_are_rejected_by_errors_of_the_services(emulator: EmulatorRun, text: str, body: bytes) -> None:
    services, encoded = emulator.emulator, quote(text)
    calls: list[Callable[[], object]] = [
        lambda: services.storage.put(text, encoded, f"?sig={encoded}", {"x-ms-blob-type": "BlockBlob"}, body),
        lambda: services.storage.put_metadata("tim010101sb9", text, text, {}),
        lambda: services.lists.listing("http://x", {"restype": text, "comp": text}),
        lambda: services.lists.download(text, {"if-modified-since": text}),
        lambda: services.retenciones.receive(text, text, text, body, NO_FAULTS),
        lambda: services.retenciones_cancellation.cancel_one(text, body, NO_FAULTS),
        lambda: services.retenciones_cancellation.acuse(text, text, NO_FAULTS),
    ]
    with suppress(StorageError):
        services.lists.listing("http://x", {"restype": "container", "comp": "list", "maxresults": text, "prefix": text})
    name = services.list_files.files()[0].name
    assert services.lists.download(name, {"if-modified-since": text}).status in (200, 304)
    for call in calls:
        with pytest.raises((StorageError, AccessTokenError)):
            call()
