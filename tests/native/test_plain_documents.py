"""The reader of plain documents accepts only what libxml2 reads in the same way, and what the schema accepts."""

from __future__ import annotations

import random
from functools import cache

import pytest
from lxml import etree
from tests.native.random_documents import snapshot
from tests.support.effort import rounds
from tests.support.plain_mutants import base_documents, mutant, values_of

from timbra import examples
from timbra._native import STATE, PlainDocument, PlainReader
from timbra.cfdi.cadena import CadenaOriginal
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.snapshot_xml import trusted_document
from timbra.stamping.plain.build import plain_reader

pytestmark = pytest.mark.skipif(not STATE.active, reason="without native code no document is plain")

SEED = 21
NUMBER, CERTIFICATE, SEAL = b"00001000000500003416", b"Y2VydA==", b"c2VsbG8="
PLAIN = examples.ingreso()
HEAD = PLAIN[: PLAIN.index("<cfdi:Comprobante")]


@cache
def reader() -> PlainReader:
    return plain_reader(snapshot())[0]


@cache
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(trusted_document(snapshot(), "xsd", "cfdv40.xsd"))


@cache
def originals() -> CadenaOriginal:
    return CadenaOriginal(snapshot())


def has_good_prolog(document: PlainDocument) -> bool:
    """Whether the declarations of the root, which the reader leaves to `DeclaredPrologs`, can be parsed."""
    try:
        root = etree.fromstring(b"<cfdi:Comprobante%b/>" % document.prolog)
    except etree.XMLSyntaxError:
        return False
    return set(root.keys()) <= {"{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"}


def test_plain_reader_accepts_what_libxml2_and_the_schema_accept_with_the_same_cadena() -> None:
    chance, documents, accepted = random.Random(SEED), base_documents(), 0
    pool, count = values_of(documents), rounds(2_000, 100_000)
    for _ in range(count):
        xml = mutant(chance.choice(documents), pool, chance).encode()
        document = reader().read(xml)
        if document is not None and has_good_prolog(document):
            accepted += 1
            root = DocumentParser().parse(xml).root
            for name, value in (("NoCertificado", NUMBER), ("Certificado", CERTIFICATE), ("Sello", SEAL)):
                root.set(name, value.decode())
            assert document.prepare(NUMBER, CERTIFICATE).decode() == originals().build(root, "4.0"), xml
            assert schema().validate(root), xml
            finished = etree.fromstring(document.finish(b"<c/>", (NUMBER, CERTIFICATE, SEAL)))
            assert sorted(finished.items()) == sorted(root.items()), xml
            complement = finished.find("{*}Complemento")
            assert complement is not None
            assert complement[-1].tag == "c", xml
            complement.remove(complement[-1])
            if not len(complement):
                finished.remove(complement)
            root.attrib.clear()
            finished.attrib.clear()
            assert etree.canonicalize(finished) == etree.canonicalize(root), xml
    assert accepted > count / 10


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.removeprefix(HEAD),
        PLAIN.replace("/>", " />"),
        PLAIN.replace("><", ">\r\n\t<"),
        PLAIN + "\n",
        PLAIN.replace(" Moneda=", "\n  Moneda="),
        PLAIN.replace('Nombre="', 'Nombre="A &amp; &lt;B&gt; &quot;&apos;', 1),
        PLAIN.replace('UsoCFDI="G03"/>', 'UsoCFDI="G03"></cfdi:Receptor>'),
    ],
)
def test_plain_reader_accepts_forms_in_which_programs_write(text: str) -> None:
    assert reader().read(text.encode()) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<",
        PLAIN[:-1],
        PLAIN + "x",
        PLAIN + "<a/>",
        "\ufeff" + PLAIN,
        " " + PLAIN,
        PLAIN.replace("<cfdi:Emisor", "<!-- c --><cfdi:Emisor"),
        PLAIN.replace("<cfdi:Emisor", "<cfdi:Otro/><cfdi:Emisor"),
        PLAIN.replace("cfdi:", "c:").replace("xmlns:cfdi", "xmlns:c"),
        PLAIN.replace('xmlns:cfdi="http://www.sat.gob.mx/cfd/4"', 'xmlns:cfdi="http://www.sat.gob.mx/cfd/3"'),
        PLAIN.replace("<cfdi:Emisor", '<cfdi:Emisor xmlns:a="urn:a"'),
        PLAIN.replace('Nombre="', 'Nombre="&#65;', 1),
        PLAIN.replace('Nombre="', 'Nombre=" ', 1),
        PLAIN.replace('Nombre="', 'Nombre="\t', 1),
        PLAIN.replace('Nombre="', 'Nombre="\ufffd', 1),
        PLAIN.replace('Nombre="', 'Nombre="<', 1),
        PLAIN.replace(' Nombre="', ' Nombre="x" Nombre="', 1),
        PLAIN.replace(' Nombre="', ' Nombre = "', 1),
        PLAIN.replace('" Nombre="', '"Nombre="', 1),
        PLAIN.replace('SubTotal="200.00"', 'SubTotal="200.01"'),
        PLAIN.replace('UsoCFDI="G03"/>', 'UsoCFDI="G03"> </cfdi:Receptor>'),
    ],
)
def test_plain_reader_leaves_other_documents_to_the_ordinary_path(text: str) -> None:
    assert reader().read(text.encode()) is None


def test_plain_reader_leaves_bytes_that_are_no_utf8_to_the_ordinary_path() -> None:
    assert reader().read(PLAIN.replace('Nombre="', 'Nombre="#', 1).encode().replace(b"#", b"\xe9")) is None
    assert reader().read(PLAIN.encode().replace(b"<cfdi:Emisor", b"\0<cfdi:Emisor")) is None
