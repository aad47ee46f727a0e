"""Autenticacion: messages that xmlsec and satcfdi sign are accepted, forged and stale ones are rejected."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pytest
from lxml import etree
from tests.emulator.emulator_support import (
    DSIG,
    WSSE,
    WSU,
    EmulatorRun,
    Holder,
    fault_of,
    login_message,
    satcfdi_signer,
    token_of,
)

from timbra.sandbox.authority.build import sandbox_registry
from timbra.sandbox.authority.taxpayers.models import TaxpayerChange
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.xml_signatures.ws_security import security_header

CANCELLATION = "/Autenticacion/Autenticacion.svc"
Change = Callable[[etree._Element], None]


def changed(message: bytes, change: Change) -> bytes:
    root = etree.fromstring(message)
    change(root)
    return etree.tostring(root)


def find(root: etree._Element, namespace: str, name: str) -> etree._Element:
    found = root.find(f".//{{{namespace}}}{name}")
    assert found is not None
    return found


def test_autentica_returns_a_url_encoded_token_with_an_expiry(emulator: EmulatorRun) -> None:
    before = datetime.now(UTC).timestamp()
    token = token_of(emulator.send_login(login_message(emulator.provider())))
    assert "&" not in token
    pairs = dict(pair.split("=", 1) for pair in unquote(token).split("&"))
    assert 599 <= int(pairs["ExpiresOn"]) - before <= 660
    assert pairs["Rfc"] == emulator.provider().rfc


def test_autentica_answers_with_a_timestamp(emulator: EmulatorRun) -> None:
    response = emulator.send_login(login_message(emulator.provider()))
    root = etree.fromstring(response.content)
    created, expires = (datetime.fromisoformat(find(root, WSU, name).text or "") for name in ("Created", "Expires"))
    assert expires - created == timedelta(seconds=300)


def test_autentica_accepts_the_security_header_of_the_client(emulator: EmulatorRun) -> None:
    holder = emulator.provider()
    header = security_header(holder.certificate, MemorySigner(holder.key), datetime.now(UTC))
    action = "http://tempuri.org/IAutenticacion/Autentica"
    response = emulator.soap("/Seguridad/Autenticacion.svc", action, '<Autentica xmlns="http://tempuri.org/"/>', header)
    assert token_of(response)


@pytest.mark.filterwarnings("ignore:X509.get_:DeprecationWarning")
def test_autentica_accepts_the_client_of_satcfdi(emulator: EmulatorRun) -> None:
    signer = satcfdi_signer(emulator.provider())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from satcfdi.pacs.sat import _CFDIAutenticacion
    client = _CFDIAutenticacion(signer=signer)
    # The Body, which is not signed, is that of the mass download.
    message = client.get_payload().replace(b"http://DescargaMasivaTerceros.gob.mx", b"http://tempuri.org/")
    response = emulator.send_login(message)
    read = client.process_response(etree.fromstring(response.content))
    assert read["AutenticaResult"] == token_of(response)
    assert read["Expires"] - read["Created"] == timedelta(seconds=300)


@pytest.mark.parametrize("kind", [CertificateKind.CSD, CertificateKind.EFIRMA])
def test_autentica_accepts_another_certificate_of_the_provider(emulator: EmulatorRun, kind: CertificateKind) -> None:
    assert emulator.login(holder=emulator.holder(emulator.provider().rfc, kind))


def test_autentica_rejects_a_taxpayer_that_is_no_provider(emulator: EmulatorRun) -> None:
    response = emulator.send_login(login_message(emulator.holder("EKU9003173C9")))
    assert fault_of(response)[0] == "FailedAuthentication"


def test_autentica_rejects_a_revoked_certificate_of_the_provider(emulator: EmulatorRun) -> None:
    emulator.container.get(sandbox_registry).add("REV010101AB1", TaxpayerChange(name="PROVEEDOR"))
    holder = emulator.holder(emulator.provider("REV010101AB1").rfc)
    assert emulator.login(holder=holder)
    emulator.container.get(sandbox_registry).revoke(holder.certificate.number)
    emulator.container.get(sandbox_registry).refresh()
    assert fault_of(emulator.send_login(login_message(holder)))[0] == "FailedAuthentication"


def test_autentica_rejects_a_key_of_another_certificate(emulator: EmulatorRun) -> None:
    mixed = Holder(emulator.provider().certificate, emulator.holder("EKU9003173C9").key)
    code, text = fault_of(emulator.send_login(login_message(mixed)))
    assert (code, "La firma no corresponde" in text) == ("InvalidSecurity", True)


@pytest.mark.parametrize(
    ("minutes", "seconds", "reason"),
    [(-11, 300, "venció"), (6, 300, "futuro"), (0, 301, "300 segundos"), (0, -1, "300 segundos")],
)
def test_autentica_rejects_a_timestamp_out_of_time(
    emulator: EmulatorRun, minutes: int, seconds: float, reason: str
) -> None:
    created = datetime.now(UTC) + timedelta(minutes=minutes)
    code, text = fault_of(emulator.send_login(login_message(emulator.provider(), created, seconds)))
    assert code == "InvalidSecurity"
    assert reason in text


@pytest.mark.parametrize("minutes", [-9, 4])
def test_autentica_tolerates_a_clock_that_differs_by_less_than_five_minutes(
    emulator: EmulatorRun, minutes: int
) -> None:
    assert token_of(
        emulator.send_login(login_message(emulator.provider(), datetime.now(UTC) + timedelta(minutes=minutes)))
    )


def test_autentica_rejects_a_replayed_message(emulator: EmulatorRun) -> None:
    message = login_message(emulator.provider())
    assert token_of(emulator.send_login(message))
    code, text = fault_of(emulator.send_login(message))
    assert (code, "ya se usó" in text) == ("InvalidSecurity", True)


def test_autentica_accepts_a_replayed_message_when_the_option_says_so(emulator: EmulatorRun) -> None:
    assert emulator.control("PATCH", "/options", {"replayed_logins": "accept"}).status_code == 200
    message = login_message(emulator.provider())
    assert token_of(emulator.send_login(message)) != token_of(emulator.send_login(message))


def _later_expiry(root: etree._Element) -> None:
    find(root, WSU, "Expires").text = _in_minutes(4)


def _wrapped(root: etree._Element) -> None:
    """Move the signed Timestamp elsewhere, with a later one in its place."""
    timestamp = find(root, WSU, "Timestamp")
    security = find(root, WSSE, "Security")
    forged = etree.fromstring(etree.tostring(timestamp))
    find(forged, WSU, "Expires").text = _in_minutes(4)
    forged.set(f"{{{WSU}}}Id", "_1")
    security.replace(timestamp, forged)
    root[-1][0].append(timestamp)


def _twice_the_same_id(root: etree._Element) -> None:
    root[-1][0].set(f"{{{WSU}}}Id", "_0")


def _two_signatures(root: etree._Element) -> None:
    security = find(root, WSSE, "Security")
    security.append(etree.fromstring(etree.tostring(find(root, DSIG, "Signature"))))


def _two_headers(root: etree._Element) -> None:
    root[0].append(etree.fromstring(etree.tostring(find(root, WSSE, "Security"))))


def _reference_to_the_token(root: etree._Element) -> None:
    token = find(root, WSSE, "BinarySecurityToken")
    find(root, DSIG, "Reference").set("URI", f"#{token.get(f'{{{WSU}}}Id')}")


def _reference_to_everything(root: etree._Element) -> None:
    find(root, DSIG, "Reference").set("URI", "")


def _other_token_reference(root: etree._Element) -> None:
    find(root, WSSE, "Reference").set("URI", "#_0")


def _sha256(root: etree._Element) -> None:
    find(root, DSIG, "SignatureMethod").set("Algorithm", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256")


def _xslt_transform(root: etree._Element) -> None:
    find(root, DSIG, "Transform").set("Algorithm", "http://www.w3.org/TR/1999/REC-xslt-19991116")


def _without_signature(root: etree._Element) -> None:
    signature = find(root, DSIG, "Signature")
    parent = signature.getparent()
    assert parent is not None
    parent.remove(signature)


def _without_expires(root: etree._Element) -> None:
    find(root, WSU, "Timestamp").remove(find(root, WSU, "Expires"))


def _certificate_of_nothing(root: etree._Element) -> None:
    find(root, WSSE, "BinarySecurityToken").text = "bm90aGluZw=="


def _in_minutes(minutes: int) -> str:
    at = datetime.now(UTC) + timedelta(minutes=minutes)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


FORGERIES = [
    _later_expiry,
    _wrapped,
    _twice_the_same_id,
    _two_signatures,
    _two_headers,
    _reference_to_the_token,
    _reference_to_everything,
    _other_token_reference,
    _sha256,
    _xslt_transform,
    _without_signature,
    _without_expires,
    _certificate_of_nothing,
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda change: change.__name__)
def test_autentica_rejects_a_changed_message(emulator: EmulatorRun, forgery: Change) -> None:
    response = emulator.send_login(changed(login_message(emulator.provider()), forgery))
    assert fault_of(response)[0] == "InvalidSecurity"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"", "Client"),
        (b"<html/>", "Client"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "Client"),
        (b"<a " + b" ".join(b'xmlns:p%d="urn:%d"' % (n, n) for n in range(70)) + b"/>", "Client"),
    ],
    ids=["empty", "other", "entity", "namespaces"],
)
def test_autentica_rejects_other_content(emulator: EmulatorRun, message: bytes, code: str) -> None:
    assert fault_of(emulator.send_login(message))[0] == code


def test_autentica_rejects_a_message_without_security(emulator: EmulatorRun) -> None:
    action = "http://tempuri.org/IAutenticacion/Autentica"
    response = emulator.soap("/Seguridad/Autenticacion.svc", action, '<Autentica xmlns="http://tempuri.org/"/>')
    assert fault_of(response)[0] == "InvalidSecurity"


def test_autentica_rejects_another_action(emulator: EmulatorRun) -> None:
    response = emulator.soap("/Seguridad/Autenticacion.svc", "urn:other", '<Autentica xmlns="http://tempuri.org/"/>')
    assert fault_of(response)[0] == "ActionNotSupported"


def test_autentica_rejects_another_body(emulator: EmulatorRun) -> None:
    message = login_message(emulator.provider(), body="<Otra xmlns='http://tempuri.org/'/>")
    assert fault_of(emulator.send_login(message))[0] == "Client"


def test_autentica_rejects_a_header_that_must_be_understood(emulator: EmulatorRun) -> None:
    def add(root: etree._Element) -> None:
        header = etree.SubElement(root[0], "{urn:other}Otro")
        header.set("{http://schemas.xmlsoap.org/soap/envelope/}mustUnderstand", "1")

    response = emulator.send_login(changed(login_message(emulator.provider()), add))
    assert fault_of(response)[0] == "MustUnderstand"


def test_autentica_rejects_soap_12(emulator: EmulatorRun) -> None:
    headers = {"Content-Type": "application/soap+xml; charset=utf-8"}
    response = emulator.client.post(emulator.url("/Seguridad/Autenticacion.svc"), content=b"<a/>", headers=headers)
    assert response.status_code == 415


def test_autentica_rejects_a_message_over_the_limit(emulator: EmulatorRun) -> None:
    response = emulator.send_login(login_message(emulator.provider()) + b" " * 5_000_000)
    assert response.status_code == 413


def test_path_of_a_soap_service_is_case_insensitive(emulator: EmulatorRun) -> None:
    assert token_of(emulator.send_login(login_message(emulator.provider()), "/seguridad/autenticacion.SVC"))


def test_token_of_the_reception_is_not_one_of_the_cancellation(emulator: EmulatorRun) -> None:
    action = "http://cancelacfd.sat.gob.mx/IAceptacionRechazoService/ObtenerPeticionesPendientes"
    body = (
        '<ObtenerPeticionesPendientes xmlns="http://cancelacfd.sat.gob.mx"><rfcReceptor>URE180429TM6</rfcReceptor>'
        "</ObtenerPeticionesPendientes>"
    )
    path = "/AceptacionRechazo/AceptacionRechazoService.svc"
    assert fault_of(emulator.soap(path, action, body, token=emulator.login()))[0] == "FailedAuthentication"
    assert emulator.soap(path, action, body, token=emulator.login(CANCELLATION)).status_code == 200


def test_autentica_rejects_a_second_body(emulator: EmulatorRun) -> None:
    message = login_message(emulator.provider()).replace(b"</s:Body>", b"</s:Body><s:Body/>")
    assert fault_of(emulator.send_login(message))[0] == "Client"
