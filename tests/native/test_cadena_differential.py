"""The programs of the cadena original, natively and in Python, against the SAT's own stylesheets in libxslt."""

from __future__ import annotations

import random
from copy import deepcopy
from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.native.pairs import native_module
from tests.native.random_documents import documents, mutate, snapshot
from tests.support.corpus import corpus_path
from tests.support.stylesheets import document_stylesheet, stamp_stylesheet

from timbra._native import cadena_python
from timbra.examples import DOCUMENTS

VERSIONS = ("4.0", "3.3", "2.0")
KEEP = etree.XMLParser(resolve_entities=False, strip_cdata=False)
EXAMPLES = [(name, version) for name, example in DOCUMENTS.items() for version in example.builders]


@cache
def source(file: str) -> Any:
    return orjson.loads(snapshot().read(f"cadena/{file}.json"))


@cache
def programs(file: str) -> tuple[Any, Any]:
    """Return a program of the snapshot, natively and in Python."""
    return native_module("cadena").CadenaProgram(source(file)), cadena_python.CadenaProgram(source(file))


def check(root: etree._Element, version: str) -> str:
    """Compare the three cadenas of a document, and return the cadena."""
    native, python = programs(f"cfdi-{version}")
    expected = str(document_stylesheet(version)(root))
    assert native.run(root) == expected
    assert python.run(root) == expected
    return expected


@pytest.mark.parametrize(("name", "version"), EXAMPLES)
def test_cadena_of_every_example_document(name: str, version: str) -> None:
    root = etree.fromstring(DOCUMENTS[name].make(version).encode())
    assert len(check(root, version)) > 50
    for other in set(VERSIONS) - {version}:
        assert check(root, other) == "|||"


def test_cadena_of_every_document_of_the_corpus() -> None:
    count = 0
    for file in sorted((corpus_path() / "docs").rglob("*.xml")):
        try:
            root = etree.parse(file, KEEP).getroot()
        except etree.XMLSyntaxError:
            continue
        count += max(len(check(root, version)) > len("|||") for version in VERSIONS)
    assert count >= 300


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_cadena_of_every_stamp_of_the_corpus(version: str) -> None:
    native, python = programs(f"tfd-{version}")
    count = 0
    for file in sorted((corpus_path() / "docs").rglob("*.xml")):
        for stamp in etree.parse(file, etree.XMLParser(recover=True)).iter("{*}TimbreFiscalDigital"):
            alone = etree.fromstring(etree.tostring(stamp, encoding="UTF-8", with_tail=False))
            expected = str(stamp_stylesheet(version)(alone))
            assert (native.run(alone), python.run(alone)) == (expected, expected)
            count += 1
    assert count >= 40


@pytest.mark.parametrize("version", VERSIONS)
def test_cadena_of_documents_with_every_complement(version: str) -> None:
    jitter = random.Random(20261117)
    cadenas = {check(root, version) for _ in range(2) for root in documents(version, jitter)}
    assert len(cadenas) > 100


@cache
def bases(version: str) -> list[etree._Element]:
    examples = [etree.fromstring(DOCUMENTS[name].make(version).encode()) for name, each in EXAMPLES if each == version]
    return examples + list(documents(version, random.Random(version)))


@given(st.sampled_from(VERSIONS), st.integers(0, 2**32), st.integers(1, 12))
def test_cadena_of_any_mutant(version: str, seed: int, changes: int) -> None:
    jitter = random.Random(seed)
    root = deepcopy(jitter.choice(bases(version)))
    for _ in range(changes):
        mutate(root, jitter)
    check(root, version)
    check(etree.fromstring(etree.tostring(root, encoding="UTF-8"), KEEP), version)


TEXTS = {
    "unknown complement": "<x:y xmlns:x='urn:x'> a <!-- c -->b<![CDATA[ <c> ]]><x:z>d</x:z>\u00a0<?p i?>e </x:y>",
    "known below unknown": "<x><c:Parte xmlns:c='http://www.sat.gob.mx/cfd/4' ClaveProdServ=' 1  2 '/>t</x>",
    "no namespace": "<Comprobante>text</Comprobante>",
    "attributes of namespaces": "<d:Donatarias xmlns:d='http://www.sat.gob.mx/donat' d:version='1' version='2'/>",
    "element values": (
        "<d:detallista xmlns:d='http://www.sat.gob.mx/detallista'><d:orderIdentification>"
        "<d:referenceIdentification> a<b> b </b><!-- c --><![CDATA[  c]]> </d:referenceIdentification>"
        "<d:ReferenceDate/></d:orderIdentification><d:buyer/><d:buyer><d:gln>1</d:gln><d:gln>2</d:gln></d:buyer>"
        "</d:detallista>"
    ),
    "equal attribute": (
        "<v:VentaVehiculos xmlns:v='http://www.sat.gob.mx/ventavehiculos' version='1.1' Niv='n'>"
        "<v:Parte><v:InformacionAduanera numero='1'/></v:Parte></v:VentaVehiculos>"
    ),
    "unequal attribute": "<v:VentaVehiculos xmlns:v='http://www.sat.gob.mx/ventavehiculos' version=' 1.1' Niv='n'/>",
    "nested parts": (
        "<c:Concepto xmlns:c='http://www.sat.gob.mx/cfd/4'><c:Parte Cantidad='1'><c:InformacionAduanera/><c:Parte>"
        "<c:InformacionAduanera NumeroPedimento='9'/></c:Parte></c:Parte></c:Concepto>"
    ),
}


@pytest.mark.parametrize("content", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("version", ["4.0", "3.3"])
def test_cadena_of_unusual_complements(version: str, content: str) -> None:
    root = etree.fromstring(DOCUMENTS["ingreso"].make(version).encode())
    space = etree.QName(root).namespace
    complement = etree.SubElement(root, f"{{{space}}}Complemento")
    complement.append(etree.fromstring(content, KEEP))
    check(root, version)


@pytest.mark.parametrize("version", ["4.0", "3.3"])
@pytest.mark.parametrize("substituted", [False, True])
def test_cadena_of_a_document_with_entities(version: str, substituted: bool) -> None:
    """The parser of documents rejects them; other trees may have them."""
    space = {"4.0": "http://www.sat.gob.mx/cfd/4", "3.3": "http://www.sat.gob.mx/cfd/3"}[version]
    text = (
        "<!DOCTYPE c:Comprobante [<!ENTITY e ' one  <b>two</b>'><!ENTITY f ' &#x33; three'>"
        "<!ATTLIST c:Comprobante Folio CDATA 'default'>]>"
        f"<c:Comprobante xmlns:c='{space}' Version='1&f;&f;' Serie='&f;'><c:Complemento><x>text&f;</x>"
        "<d:detallista xmlns:d='http://www.sat.gob.mx/detallista'><d:buyer><d:gln>1&f; 2</d:gln></d:buyer>"
        "</d:detallista></c:Complemento></c:Comprobante>"
    )
    parser = etree.XMLParser(resolve_entities=substituted)
    check(etree.fromstring(text, parser), version)


def test_cadena_of_an_element_inside_another_document() -> None:
    outer = etree.fromstring(f"<outer>{DOCUMENTS['ingreso'].make('4.0').partition('?>')[2]}<after/></outer>".encode())
    check(outer[0], "4.0")


@pytest.mark.parametrize("kind", [0, 1])
def test_run_rejects_a_very_deep_document(kind: int) -> None:
    program = programs("cfdi-4.0")[kind]
    root = top = etree.Element("{http://www.sat.gob.mx/cfd/4}Comprobante")
    for _ in range(20_000):
        top = etree.SubElement(top, "{http://www.sat.gob.mx/cfd/4}Complemento")
    with pytest.raises(RecursionError):
        program.run(root)


@pytest.mark.parametrize("version", VERSIONS)
def test_cadena_of_a_document_as_deep_as_the_parser_allows(version: str) -> None:
    root = etree.fromstring(DOCUMENTS["retencion" if version == "2.0" else "ingreso"].make(version).encode())
    space = etree.QName(root).namespace
    top = root
    for _ in range(200):
        top = etree.SubElement(top, f"{{{space}}}Complemento")
    etree.SubElement(top, "unknown").text = "deep"
    assert check(root, version).endswith("deep||")


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("other", [None, "a", etree.Comment("x"), etree.ProcessingInstruction("a")])
def test_run_rejects_what_is_no_element(kind: int, other: object) -> None:
    with pytest.raises(TypeError):
        programs("cfdi-4.0")[kind].run(other)
