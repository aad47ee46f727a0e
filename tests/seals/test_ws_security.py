"""WS-Security headers: xmlsec verifies what is signed, and the bounds of time."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from lxml import etree
from tests.seals.support import minted, rsa_key

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.xml_signatures.ws_security import security_header, verify_security

MAX_SKEW = timedelta(minutes=5)
SECURITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
UTILITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"

# The stubs of xmlsec are incomplete.
xmlsec: Any = importlib.import_module("xmlsec")
NOON = datetime(2026, 11, 17, 18, 0, 0, 123_000, tzinfo=UTC)
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"


def certificate() -> Certificate:
    return read_certificate(minted())


def header(at: datetime = NOON) -> etree._Element:
    """Return a signed header inside a message with other namespaces in scope."""
    text = security_header(certificate(), MemorySigner(rsa_key(1)), at)
    message = f'<a:Envelope xmlns:a="{SOAP}" xmlns:x="urn:x" xmlns="urn:y"><a:Header>{text}</a:Header></a:Envelope>'
    return etree.fromstring(message)[0][0]


def context_of(security: etree._Element, key: Any) -> tuple[Any, etree._Element]:
    """Return a context of xmlsec that finds the Timestamp, and the signature."""
    context = xmlsec.SignatureContext()
    context.key = key
    context.register_id(security.find(f"{{{UTILITY}}}Timestamp"), "Id", UTILITY)
    return context, xmlsec.tree.find_node(security, "Signature", xmlsec.Namespace.DS)


def verify_with_xmlsec(security: etree._Element) -> None:
    context, signature = context_of(security, xmlsec.Key.from_memory(certificate().der, xmlsec.KeyFormat.CERT_DER))
    context.verify(signature)


def signed_again(security: etree._Element) -> etree._Element:
    """Sign a changed header with xmlsec."""
    pem = rsa_key(1).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    context, signature = context_of(security, xmlsec.Key.from_memory(pem, xmlsec.KeyFormat.PEM))
    context.sign(signature)
    return security


def test_xmlsec_verifies_the_header() -> None:
    security = header()
    verify_with_xmlsec(security)
    security[0][1].text = "2027-01-01T00:00:00.000Z"
    with pytest.raises(xmlsec.Error):
        verify_with_xmlsec(security)


def test_verify_accepts_a_header_that_xmlsec_signed() -> None:
    security = header()
    security[0][1].text = "2026-11-17T18:04:00Z"
    assert verify_security(signed_again(security), NOON).expires_at == datetime(2026, 11, 17, 18, 4, tzinfo=UTC)


def test_header_has_the_parts_of_the_profile_in_their_order() -> None:
    security = header()
    assert [etree.QName(child).localname for child in security] == ["Timestamp", "BinarySecurityToken", "Signature"]
    assert security.tag == f"{{{SECURITY}}}Security"
    assert security.get(f"{{{SOAP}}}mustUnderstand") == "1"
    assert [child.text for child in security[0]] == ["2026-11-17T18:00:00.123Z", "2026-11-17T18:05:00.123Z"]
    assert security[0].get(f"{{{UTILITY}}}Id") == "_0"


def test_verify_returns_the_certificate_and_the_end() -> None:
    verified = verify_security(header(), NOON)
    assert verified.certificate == certificate()
    assert verified.expires_at == NOON + timedelta(seconds=300)


@pytest.mark.parametrize(
    ("offset", "accepted"),
    [
        (-MAX_SKEW, True),
        (-MAX_SKEW - timedelta(seconds=1), False),
        (timedelta(seconds=599), True),
        (timedelta(seconds=600), False),
    ],
    ids=["early", "too early", "late", "too late"],
)
def test_verify_tolerates_a_difference_of_clocks(offset: timedelta, accepted: bool) -> None:
    if accepted:
        assert verify_security(header(), NOON + offset).certificate == certificate()
        return
    with pytest.raises(ServiceError, match="xml-signature"):
        verify_security(header(), NOON + offset)


@pytest.mark.parametrize(
    "text", ["2026-11-17T18:00:00", "2026-11-17T12:00:00-06:00", "2026-13-17T18:00:00Z", "ayer", ""]
)
def test_verify_rejects_other_forms_of_an_instant(text: str) -> None:
    security = header()
    security[0][0].text = text
    with pytest.raises(ServiceError, match="Created y Expires"):
        verify_security(signed_again(security), NOON)


def test_verify_rejects_a_comment_inside_an_instant() -> None:
    security = header()
    created = security[0][0]
    text = created.text or ""
    created.text = text[:10]
    comment = etree.Comment("x")
    comment.tail = text[10:]
    created.append(comment)
    with pytest.raises(ServiceError, match="Created"):
        verify_security(security, NOON)


DSIG = "http://www.w3.org/2000/09/xmldsig#"


def part(security: etree._Element, name: str, namespace: str = DSIG) -> etree._Element:
    found = security.find(f".//{{{namespace}}}{name}")
    assert found is not None
    return found


def _repeated_identifier(security: etree._Element) -> None:
    security.getroottree().getroot().set(f"{{{UTILITY}}}Id", "_0")


def _without_token(security: etree._Element) -> None:
    security.remove(part(security, "BinarySecurityToken", SECURITY))


def _two_tokens(security: etree._Element) -> None:
    token = etree.fromstring(etree.tostring(part(security, "BinarySecurityToken", SECURITY)))
    del token.attrib[f"{{{UTILITY}}}Id"]
    security.append(token)


def _other_pointer(security: etree._Element) -> None:
    part(security, "Reference", SECURITY).set("URI", "#other")


def _other_holder(security: etree._Element) -> None:
    part(security, "SecurityTokenReference", SECURITY).tag = f"{{{SECURITY}}}KeyIdentifier"


def _other_content_of_holder(security: etree._Element) -> None:
    part(security, "Reference", SECURITY).tag = f"{{{SECURITY}}}KeyIdentifier"


def _other_algorithm(security: etree._Element) -> None:
    part(security, "SignatureMethod").set("Algorithm", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256")


def _other_transform(security: etree._Element) -> None:
    part(security, "Transform").set("Algorithm", "http://www.w3.org/TR/1999/REC-xslt-19991116")


def _other_reference(security: etree._Element) -> None:
    part(security, "Reference").set("URI", "#other")


def _later_end(security: etree._Element) -> None:
    part(security, "Expires", UTILITY).text = "2026-11-17T18:05:00.000Z"


def _no_base64(security: etree._Element) -> None:
    part(security, "SignatureValue").text = "*"


def _other_signature(security: etree._Element) -> None:
    value = part(security, "SignatureValue")
    value.text = "AAAA" + str(value.text).strip()[4:]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_repeated_identifier, "se repite"),
        (_without_token, "uno de cada uno"),
        (_two_tokens, "uno de cada uno"),
        (_other_pointer, "KeyInfo no señala"),
        (_other_holder, "KeyInfo debe llevar"),
        (_other_content_of_holder, "KeyInfo debe llevar"),
        (_other_algorithm, "SignatureMethod debe ser"),
        (_other_transform, "Transform debe ser"),
        (_other_reference, "debe abarcar el Timestamp"),
        (_later_end, "su resumen es otro"),
        (_no_base64, "SignatureValue no es base64"),
        (_other_signature, "no corresponde al certificado"),
    ],
)
def test_verify_rejects_a_changed_header_with_its_reason(change: Callable[[etree._Element], None], reason: str) -> None:
    security = header()
    change(security)
    with pytest.raises(ServiceError, match="xml-signature") as raised:
        verify_security(security, NOON)
    assert reason in (raised.value.detail or "")
