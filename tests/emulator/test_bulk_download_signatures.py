"""Signatures of requests: the forms of programs in use are accepted, changed messages are not."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable

import pytest
from lxml import etree
from tests.emulator.bulk_download_support import DES, canonical, rsa_sha1, signature_xml, signed
from tests.emulator.emulator_support import DSIG, SOAP, Holder
from tests.support.cached_keys import holder_key
from tests.support.sandbox_app import SandboxApp

from timbra.emulator.bulk.codes import BulkDownloadError
from timbra.emulator.bulk.signatures import SignatureCheck, verify_request
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key

INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
OPERATION = "SolicitaDescargaEmitidos"
ATTRIBUTES = {"RfcEmisor": "EKU9003173C9", "FechaInicial": "2026-11-01T00:00:00", "FechaFinal": "2026-11-30T23:59:59"}


@pytest.fixture(scope="module")
def holder(tmp_path_factory: pytest.TempPathFactory) -> Holder:
    app = SandboxApp(tmp_path_factory.mktemp("signatures") / "data")
    with holder_key(1):
        minted = app.mint(kind=CertificateKind.EFIRMA)
    app.container.close()
    return Holder(minted.certificate, load_private_key(minted.key_der, minted.password))


def signed_info(digest: bytes, prefix: str = "", declared: str = "") -> str:
    """Return SignedInfo with inclusive algorithms, as several programs declare them."""
    p, namespace = (f"{prefix}:", f'xmlns:{prefix}="{DSIG}"') if prefix else ("", f'xmlns="{DSIG}"')
    return (
        f'<{p}SignedInfo {namespace}{declared}><{p}CanonicalizationMethod Algorithm="{INCLUSIVE}"/>'
        f'<{p}SignatureMethod Algorithm="{DSIG}rsa-sha1"/><{p}Reference URI=""><{p}Transforms>'
        f'<{p}Transform Algorithm="{DSIG}enveloped-signature"/></{p}Transforms>'
        f'<{p}DigestMethod Algorithm="{DSIG}sha1"/><{p}DigestValue>{b64encode(digest).decode()}</{p}DigestValue>'
        f"</{p}Reference></{p}SignedInfo>"
    )


def envelope(signature: str = "", blank: str = "", declared: str = f' xmlns:des="{DES}"') -> str:
    attributes = " ".join(f'{name}="{value}"' for name, value in ATTRIBUTES.items())
    return (
        f'<s:Envelope xmlns:s="{SOAP}"{declared} xmlns:xd="{DSIG}"><s:Header/><s:Body>'
        f"<des:{OPERATION}>{blank}<des:solicitud {attributes}>{blank}{signature}{blank}</des:solicitud>{blank}"
        f"</des:{OPERATION}></s:Body></s:Envelope>"
    )


def operation_of(message: bytes) -> etree._Element:
    return etree.fromstring(message)[1][0]


def alone(holder: Holder, content: Callable[[etree._Element], bytes], prefix: str = "", blank: str = "") -> bytes:
    """Sign SignedInfo as a document of its own. content: what is digested."""
    digest = hashlib.sha1(content(operation_of(envelope(blank=blank).encode()))).digest()
    info = signed_info(digest, prefix)
    value = rsa_sha1(holder, canonical(etree.fromstring(info), exclusive=False))
    return envelope(signature_xml(holder, info, value), blank).encode()


def whole(operation: etree._Element) -> bytes:
    return canonical(etree.fromstring(etree.tostring(operation)), exclusive=False)


def inner(operation: etree._Element) -> bytes:
    return canonical(etree.fromstring(etree.tostring(operation[0], with_tail=False)), exclusive=False)


def raw(operation: etree._Element) -> bytes:
    text = envelope().encode()
    start = text.index(f"<des:{OPERATION}>".encode())
    end = text.index(f"</des:{OPERATION}>".encode()) + len(f"</des:{OPERATION}>")
    return text[start:end]


def raw_with_one_tag(operation: etree._Element) -> bytes:
    return raw(operation).replace(b"></des:solicitud>", b"/>")


def with_xsd_and_xsi(holder: Holder) -> bytes:
    digest = hashlib.sha1(whole(operation_of(envelope().encode()))).digest()
    declared = ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    value = rsa_sha1(holder, canonical(etree.fromstring(signed_info(digest, declared=declared)), exclusive=False))
    return envelope(signature_xml(holder, signed_info(digest), value)).encode()


def with_another_prefix(holder: Holder) -> bytes:
    """Sign without a prefix, and send with the one that the envelope declares, as lxml appends an element."""
    digest = hashlib.sha1(canonical(operation_of(envelope().encode()))).digest()
    value = rsa_sha1(holder, canonical(etree.fromstring(signed_info(digest)), exclusive=False))
    root = etree.fromstring(envelope())
    root[1][0][0].append(etree.fromstring(signature_xml(holder, signed_info(digest), value)))
    message = etree.tostring(root)
    assert b"<xd:SignedInfo" in message
    return message


def without_blank_after_signature(holder: Holder) -> bytes:
    """Sign as lxml does, which removes the text after an element with it."""

    def content(operation: etree._Element) -> bytes:
        operation[0].text = "\n  "
        return canonical(operation)

    return alone(holder, content, blank="\n  ")


MESSAGES: dict[str, Callable[[Holder], bytes]] = {
    "exclusive": lambda holder: signed(holder, OPERATION, ATTRIBUTES),
    "alone, all namespaces in scope": lambda holder: alone(holder, whole, "ds"),
    "alone, inner element": lambda holder: alone(holder, inner),
    "alone, text of the operation": lambda holder: alone(holder, raw),
    "alone, text with one tag": lambda holder: alone(holder, raw_with_one_tag),
    "namespaces of .NET": with_xsd_and_xsi,
    "another prefix": with_another_prefix,
    "without blank text after the signature": without_blank_after_signature,
}


@pytest.mark.parametrize("form", list(MESSAGES))
def test_signature_of_a_program_in_use_is_accepted(holder: Holder, form: str) -> None:
    message = MESSAGES[form](holder)
    assert verify_request(operation_of(message), message, "programs").number == holder.certificate.number


@pytest.mark.parametrize("form", list(MESSAGES))
def test_changed_request_is_rejected_unless_the_value_alone_counts(holder: Holder, form: str) -> None:
    message = MESSAGES[form](holder).replace(b"2026-11-30", b"2026-11-29")
    with pytest.raises(BulkDownloadError, match="302"):
        verify_request(operation_of(message), message, "programs")
    assert verify_request(operation_of(message), message, "value").number == holder.certificate.number


@pytest.mark.parametrize("check", ["programs", "declared", "value"])
def test_changed_digest_is_rejected(holder: Holder, check: SignatureCheck) -> None:
    message = signed(holder, OPERATION, ATTRIBUTES)
    start = message.index(b"<DigestValue>") + 13
    changed = message[:start] + (b"A" if message[start : start + 1] != b"A" else b"B") + message[start + 1 :]
    with pytest.raises(BulkDownloadError, match="302"):
        verify_request(operation_of(changed), changed, check)


def test_declared_algorithms_are_those_of_the_exclusive_form_only(holder: Holder) -> None:
    message = MESSAGES["exclusive"](holder)
    assert verify_request(operation_of(message), message, "declared").number == holder.certificate.number
    message = MESSAGES["alone, all namespaces in scope"](holder)
    with pytest.raises(BulkDownloadError, match="302"):
        verify_request(operation_of(message), message, "declared")


def test_request_without_signature_is_rejected() -> None:
    message = envelope().encode()
    with pytest.raises(BulkDownloadError, match="302"):
        verify_request(operation_of(message), message, "value")
