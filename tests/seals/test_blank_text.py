"""Removal of blank text nodes before a signature is verified, as .NET's XmlDocument loads a document."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.seals.support import rsa_key
from tests.seals.test_xmldsig import certificate
from tests.support.corpus import CORPUS, corpus_path

from timbra.core.errors import ServiceError
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.xml_signatures.blank_text import without_blank_text
from timbra.seals.xml_signatures.xmldsig import sign, verify

CANCELACION = (
    '<Cancelacion xmlns="http://cancelacfd.sat.gob.mx" RfcEmisor="EKU9003173C9">'
    '<Folios><Folio Motivo="02" UUID="a"/></Folios></Cancelacion>'
)


def indented(text: str = CANCELACION) -> bytes:
    root = etree.fromstring(text)
    sign(root, certificate(), MemorySigner(rsa_key(1)))
    etree.indent(root, space="\t")
    return etree.tostring(root)


def stripped(xml: bytes | str) -> str | None:
    plain = without_blank_text(etree.fromstring(xml))
    return None if plain is None else etree.tostring(plain).decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a> <b/>\r\n\t<c> </c></a>", "<a><b/><c/></a>"),
        ("<a> x <b/> y</a>", None),
        ("<a>&#160;<b/></a>", None),
        ("<a> x<b/>\n</a>", "<a> x<b/></a>"),
        ("<a>&#32;<b/>&#13;</a>", "<a><b/></a>"),
        ("<a> <!-- x --> <b/></a>", "<a><!-- x --><b/></a>"),
        ('<a xml:space="preserve"> <b> </b></a>', None),
        (
            '<a xml:space="preserve"> <b xml:space="default"> </b> </a>',
            '<a xml:space="preserve"> <b xml:space="default"/> </a>',
        ),
        ("<a/>", None),
    ],
)
def test_without_blank_text_removes_only_blank_nodes(text: str, expected: str | None) -> None:
    assert stripped(text) == expected


def test_without_blank_text_keeps_its_argument() -> None:
    root = etree.fromstring("<a> <b/> </a>")
    without_blank_text(root)
    assert etree.tostring(root) == b"<a> <b/> </a>"


def test_verify_accepts_an_indented_document_only_without_blank_text() -> None:
    root = etree.fromstring(indented())
    with pytest.raises(ServiceError, match="resumen"):
        verify(root)
    plain = without_blank_text(root)
    assert plain is not None
    assert verify(plain).content.decode() == CANCELACION.replace('"a"/>', '"a"></Folio>')


SAMPLES = [
    "accept-reject/SW-sdk-NetStandard__aceptacionRechazo.xml",
    "cancel-request/SW-sdk-NetStandard__CancelacionXML.xml",
    "cancel-request/python-satcfdi__cancelacion.xml",
    "relations/SW-sdk-NetStandard__RelationsXML.xml",
]


@pytest.mark.parametrize("name", SAMPLES)
def test_verify_accepts_published_indented_documents_without_blank_text(name: str) -> None:
    corpus_path()
    xml = (CORPUS / "services" / name).read_bytes().removeprefix(b"\xef\xbb\xbf")
    plain = without_blank_text(etree.fromstring(xml))
    assert plain is not None
    assert verify(plain).certificate.rfc
