"""XML signatures: interoperability with xmlsec in both directions, and rejection of forgeries."""

from __future__ import annotations

import importlib
from base64 import b64encode
from copy import deepcopy
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.seals.support import damaged, minted, rsa_key, sat_serial
from tests.support.corpus import CORPUS, corpus_path

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.rsa_signature import Digest
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.xml_signatures.xmldsig import name_text, sign, verify

DSIG = "http://www.w3.org/2000/09/xmldsig#"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"

TEXT = (
    '<Cancelacion xmlns="http://cancelacfd.sat.gob.mx" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'RfcEmisor="ÑAÑ010101AA&amp;" Fecha="2026-11-17T12:00:00">\n <!-- nota --><Folios>\n'
    '<Folio Motivo="02" UUID="a"/></Folios>&#13;\n</Cancelacion>'
)
# The stubs of xmlsec are incomplete.
xmlsec: Any = importlib.import_module("xmlsec")
DIGESTS: list[Digest] = ["sha1", "sha256"]


def certificate(**changes: object) -> Certificate:
    return read_certificate(minted(**changes))  # type: ignore[arg-type]


def signed(digest: Digest = "sha1", text: str = TEXT, name: str | None = None) -> bytes:
    root = etree.fromstring(text.encode())
    sign(root, certificate(), MemorySigner(rsa_key(1)), digest, name)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True)


@pytest.mark.parametrize("digest", DIGESTS)
def test_names_of_other_letters_are_signed_and_verified(digest: Digest) -> None:
    document = signed(digest, '<Petición Año="2026"><Dirección xmlnsƁsi="a"/></Petición>')
    assert "<Dirección" in verify(etree.fromstring(document)).content.decode()


def test_verify_rejects_a_document_with_a_dtd() -> None:
    document = signed().replace(b"<Cancelacion ", b"<!DOCTYPE Cancelacion><Cancelacion ", 1)
    with pytest.raises(ServiceError, match="DTD"):
        verify(etree.fromstring(document))


def test_verify_rejects_a_document_without_canonical_form() -> None:
    relative = etree.fromstring(signed().replace(b"http://www.w3.org/2001/XMLSchema-instance", b"relative", 1))
    with pytest.raises(ServiceError, match="forma canónica"):
        verify(relative)


def key() -> Any:
    pem = rsa_key(1).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return xmlsec.Key.from_memory(pem, xmlsec.KeyFormat.PEM)


def signed_by_xmlsec(method: str, algorithm: str, transform: str | None, text: str = TEXT) -> bytes:
    root = etree.fromstring(text.encode())
    node = xmlsec.template.create(root, getattr(xmlsec.Transform, method), getattr(xmlsec.Transform, algorithm))
    root.append(node)
    reference = xmlsec.template.add_reference(node, getattr(xmlsec.Transform, algorithm.partition("_")[2]), uri="")
    xmlsec.template.add_transform(reference, xmlsec.Transform.ENVELOPED)
    if transform is not None:
        xmlsec.template.add_transform(reference, getattr(xmlsec.Transform, transform))
    data = etree.SubElement(etree.SubElement(node, f"{{{DSIG}}}KeyInfo"), f"{{{DSIG}}}X509Data")
    etree.SubElement(data, f"{{{DSIG}}}X509Certificate").text = b64encode(minted()).decode()
    context = xmlsec.SignatureContext()
    context.key = key()
    context.sign(node)
    return etree.tostring(root)


def rejection(xml: bytes) -> str:
    with pytest.raises(ServiceError, match="xml-signature") as rejected:
        verify(etree.fromstring(xml))
    return str(rejected.value.detail)


@pytest.mark.parametrize("digest", DIGESTS)
def test_sign_is_accepted_by_xmlsec(digest: Digest) -> None:
    root = etree.fromstring(signed(digest, name="SelloSAT"))
    context = xmlsec.SignatureContext()
    context.key = key()
    context.verify(root.find(f"{{{DSIG}}}Signature"))
    assert root.find(f"{{{DSIG}}}Signature").get("Id") == "SelloSAT"  # type: ignore[union-attr]


@pytest.mark.parametrize("digest", DIGESTS)
def test_verify_returns_content_without_signature_and_comments(digest: Digest) -> None:
    found = verify(etree.fromstring(signed(digest)))
    assert found.certificate.rfc == "EKU9003173C9"
    expected = etree.tostring(etree.fromstring(TEXT.encode()), method="c14n", with_comments=False)
    assert found.content == expected


@pytest.mark.parametrize("transform", [None, "C14N", "C14N_COMMENTS", "EXCL_C14N", "EXCL_C14N_COMMENTS"])
@pytest.mark.parametrize("algorithm", ["RSA_SHA1", "RSA_SHA256"])
@pytest.mark.parametrize("method", ["C14N", "C14N_COMMENTS", "EXCL_C14N", "EXCL_C14N_COMMENTS"])
def test_verify_accepts_signatures_of_xmlsec(method: str, algorithm: str, transform: str | None) -> None:
    xml = signed_by_xmlsec(method, algorithm, transform)
    assert b"nota" not in verify(etree.fromstring(xml)).content
    assert "resumen" in rejection(xml.replace(b'"02"', b'"03"'))


def test_verify_ignores_comments() -> None:
    text = TEXT.replace("<Folios>", "<Folios><UUID>ab<!---->cd</UUID>")
    content = verify(etree.fromstring(signed(text=text))).content
    assert b"<UUID>abcd</UUID>" in content


TRANSFORM = '<Transform Algorithm="{}"/>'
METHOD = f'SignatureMethod Algorithm="{DSIG}rsa-sha1"'
CANONICAL = f'CanonicalizationMethod Algorithm="{INCLUSIVE}"'
END = "</Transforms>"
FORGERIES = [
    ('URI=""', 'URI="#x"', "abarcar"),
    ('URI=""', "", "abarcar"),
    ('URI=""', 'URI="file:///etc/hostname"', "abarcar"),
    ("enveloped-signature", "base64", "primera"),
    (END, TRANSFORM.format("http://www.w3.org/TR/1999/REC-xslt-19991116") + END, "canónica"),
    (END, TRANSFORM.format("http://www.w3.org/TR/1999/REC-xpath-19991116") + END, "canónica"),
    (END, TRANSFORM.format(INCLUSIVE) * 2 + END, "otras"),
    (END, f"<XSLT/>{END}", "otras"),
    ("</Reference>", '</Reference><Reference URI=""/>', "mal formada"),
    ("</Signature>", "<Object><Folio/></Object></Signature>", "mal formada"),
    (METHOD, METHOD.replace("rsa-sha1", "hmac-sha1"), "algoritmo"),
    (f"{METHOD}/>", f"{METHOD}><a/></SignatureMethod>", "algoritmo"),
    (f'"{DSIG}sha1"', '"http://www.w3.org/2001/04/xmldsig-more#md5"', "algoritmo"),
    (CANONICAL, CANONICAL.replace(INCLUSIVE, "x"), "canónica"),
    (f"{CANONICAL}/>", f"{CANONICAL}><a/></CanonicalizationMethod>", "parámetros"),
    ("<X509SerialNumber>", "<X509SerialNumber>1", "X509IssuerSerial"),
    ("<X509Certificate>", "<X509Certificate>!", "base64"),
    ("<X509Certificate>", "<X509Certificate>AAAA", "certificado"),
    ("<X509Data>", "<X509Data/><X509Data>", "X509Data"),
    ("<SignatureValue>", "<SignatureValue>AAAA", "no corresponde"),
    ("<SignatureValue>", "<SignatureValue>=", "base64"),
    ('Motivo="02"', 'Motivo="01"', "resumen"),
    ("</Cancelacion>", "<Folios/></Cancelacion>", "resumen"),
]


@pytest.mark.parametrize(("old", "new", "message"), FORGERIES)
def test_verify_rejects_forgeries(old: str, new: str, message: str) -> None:
    xml = signed().decode()
    assert old in xml
    assert message in rejection(xml.replace(old, new, 1).encode())


def test_verify_rejects_a_second_issuer_serial_when_both_name_the_certificate() -> None:
    root = etree.fromstring(signed())
    [serial] = root.iter(f"{{{DSIG}}}X509IssuerSerial")
    serial.addnext(deepcopy(serial))
    assert "X509IssuerSerial" in rejection(etree.tostring(root))


def test_verify_rejects_recomputed_digest() -> None:
    """The digest of a changed document is replaced, so that the signature over the digest is wrong."""
    mine = etree.fromstring(signed(text=TEXT.replace('"02"', '"03"')))
    theirs = etree.fromstring(signed())
    [there], [here] = (list(root.iter(f"{{{DSIG}}}DigestValue")) for root in (theirs, mine))
    there.text = here.text
    theirs.find(".//{*}Folio").set("Motivo", "03")  # type: ignore[union-attr]
    assert "no corresponde" in rejection(etree.tostring(theirs))


def test_verify_rejects_wrapped_duplicate_or_absent_signature() -> None:
    root = etree.fromstring(signed())
    wrapped = etree.Element("Cancelacion")
    wrapped.append(etree.fromstring(signed()))
    assert "una sola" in rejection(etree.tostring(wrapped))
    root.append(etree.fromstring(signed())[-1])
    assert "una sola" in rejection(etree.tostring(root))
    assert "una sola" in rejection(TEXT.encode())
    moved = etree.fromstring(signed())
    moved[1].append(moved[-1])
    assert "una sola" in rejection(etree.tostring(moved))
    alone = etree.fromstring(signed())[-1]
    assert "una sola" in rejection(etree.tostring(alone))


def test_verify_rejects_another_certificate() -> None:
    root = etree.fromstring(signed())
    [holder] = root.iter(f"{{{DSIG}}}X509Certificate")
    holder.text = b64encode(minted(key=2)).decode()
    assert "no corresponde" in rejection(etree.tostring(root))


@pytest.mark.parametrize("written", ["{0:d}", "{0:x}", "{0:X}", "30001000000500009999", " {0:d}\n"])
def test_verify_accepts_every_form_of_serial(written: str) -> None:
    serial = int.from_bytes(b"30001000000500009999", "big")
    xml = signed().replace(str(serial).encode(), written.format(serial).encode())
    assert verify(etree.fromstring(xml)).certificate.number == "30001000000500009999"


def with_prefixes(*names: str) -> bytes:
    """Return a signature whose exclusive form lists inclusive prefixes; it is not signed again."""
    empty = f'CanonicalizationMethod Algorithm="{EXCLUSIVE}"'
    listed = f'<i:InclusiveNamespaces xmlns:i="{EXCLUSIVE}" PrefixList="{" ".join(names)}"/>'
    xml = signed_by_xmlsec("EXCL_C14N", "RSA_SHA256", None).decode()
    return xml.replace(f"{empty}/>", f"{empty}>{listed}</CanonicalizationMethod>", 1).encode()


def test_verify_bounds_prefixes_of_exclusive_form() -> None:
    assert "prefijos" in rejection(with_prefixes(*(f"p{place}" for place in range(33))))
    assert "no corresponde" in rejection(with_prefixes("xsi"))


def test_name_text_formats_rfc4514() -> None:
    assert name_text(certificate(issuer='AC, "de" la casa ').issuer) == 'CN=AC\\, \\"de\\" la casa'


def test_verify_rejects_public_requests_that_changed_after_signing() -> None:
    """Every published sample was indented or anonymised after it was signed: signatures that do not verify as sent."""
    corpus_path()
    for path in sorted((CORPUS / "services" / "cancel-request").glob("*.xml")):
        assert rejection(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))


@given(damaged([signed(), signed("sha256")]))
def test_verify_rejects_damage_of_signed_content(xml: bytes) -> None:
    try:
        root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return
    try:
        found = verify(root)
    except ServiceError as error:
        assert error.code == "xml-signature"  # noqa: PT017
        return
    assert found.content == verify(etree.fromstring(signed())).content


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=30))
def test_sign_and_verify_preserve_any_text(text: str) -> None:
    root = etree.Element("{http://cancelacfd.sat.gob.mx}Cancelacion", RfcEmisor=text.replace("￾", "").replace("￿", ""))
    sign(root, certificate(), MemorySigner(rsa_key(1)))
    content = verify(etree.fromstring(etree.tostring(root, encoding="utf-8"))).content
    assert etree.fromstring(content).get("RfcEmisor") == root.get("RfcEmisor")


def test_verify_accepts_32_prefixes() -> None:
    assert "no corresponde" in rejection(with_prefixes(*(f"p{place}" for place in range(32))))


@pytest.mark.parametrize(
    ("method", "covers_comments"),
    [("C14N", False), ("C14N_COMMENTS", True), ("EXCL_C14N", False), ("EXCL_C14N_COMMENTS", True)],
)
def test_verify_covers_comments_of_signed_info_only_with_comments(method: str, covers_comments: bool) -> None:
    xml = signed_by_xmlsec(method, "RSA_SHA256", None)
    root = etree.fromstring(xml)
    [info] = root.iter(f"{{{DSIG}}}SignedInfo")
    info.append(etree.Comment("nota"))
    changed = etree.tostring(root)
    if covers_comments:
        assert "no corresponde" in rejection(changed)
    else:
        assert verify(etree.fromstring(changed)).content == verify(etree.fromstring(xml)).content


@pytest.mark.parametrize("serial", [0x1234, 0xAB12, sat_serial("30001000000500009999"), sat_serial("3" * 19)])
def test_sign_writes_the_serial_as_a_decimal_number(serial: int) -> None:
    root = etree.fromstring(TEXT.encode())
    sign(root, certificate(serial=serial), MemorySigner(rsa_key(1)))
    assert root.findtext(f".//{{{DSIG}}}X509SerialNumber") == str(serial)
    assert verify(root).certificate.der == certificate(serial=serial).der
