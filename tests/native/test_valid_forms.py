"""The one-sided structure check accepts a tree only if libxml2 finds it valid, and nearly all valid documents."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any, cast

import pytest
from lxml import etree
from tests.cfdi.mutations import mutants
from tests.native.pairs import native_module
from tests.native.random_documents import documents, mutate, shape, snapshot, standards
from tests.native.random_documents import filled as filled_at_random
from tests.support.corpus import CORPUS, corpus_path
from tests.support.effort import rounds

from timbra import examples
from timbra._native.valid_forms_python import ValidForms as PythonForms
from timbra.cfdi.snapshot_xml import trusted_document
from timbra.cfdi.structure.check import iter_complements
from timbra.cfdi.structure.standards import XmlStandard, XmlStandards
from timbra.cfdi.structure.valid_forms import compile_program, program_of

XS = "{http://www.w3.org/2001/XMLSchema}"

EXAMPLES = (
    "ingreso", "egreso", "traslado", "global_invoice", "nomina", "nomina33", "pago", "pago10", "carta_porte", "flete",
    "estado_de_cuenta", "gasolina", "gastos_hidrocarburos", "ine", "ingresos_hidrocarburos",
)  # fmt: skip
SEALED = {"Sello": "c2VsbG8=", "NoCertificado": "00001000000500003416", "Certificado": "Y2VydA=="}
URN = "urn:one-sided"


@cache
def all_standards() -> XmlStandards:
    return XmlStandards(snapshot())


@cache
def forms_and_schema(standard: XmlStandard) -> tuple[Any, etree.XMLSchema]:
    program = compile_program(snapshot(), standard.file)
    forms = None if program is None else native_module("valid_forms").ValidForms(program)
    return forms, etree.XMLSchema(trusted_document(snapshot(), "xsd", standard.file))


def agree(root: etree._Element) -> Iterator[tuple[bool, bool]]:
    """Yield for the document and each complement: whether it is accepted, and whether it is valid."""
    for element in (root, *iter_complements(root)):
        standard = all_standards().find(element)
        if standard is not None:
            forms, schema = forms_and_schema(standard)
            accepted, valid = forms is not None and forms.accept(element), schema.validate(element)
            assert valid or not accepted, etree.tostring(element)[:2000]
            yield accepted, valid


def sealed(root: etree._Element) -> etree._Element:
    for name, value in SEALED.items():
        root.set(name, root.get(name) or value)
    return root


@pytest.mark.parametrize("name", EXAMPLES)
def test_valid_forms_accept_examples_and_no_invalid_mutant(name: str) -> None:
    root = sealed(etree.fromstring(str(getattr(examples, name)()).encode()))
    results = list(agree(root))
    assert results == [(True, True)] * len(results)
    outcomes = [result for _, mutant in mutants(root, rounds(60, 2_000), name) for result in agree(mutant)]
    assert {valid for _, valid in outcomes} == {True, False}


def test_valid_forms_agree_on_the_corpus() -> None:
    corpus = corpus_path()
    counts = {True: 0, False: 0}
    for entry in json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]:
        if entry["version"] not in ("3.3", "4.0"):
            continue
        root = etree.parse(corpus / entry["file"], etree.XMLParser(resolve_entities=False)).getroot()
        for document in (root, sealed(deepcopy(root))):
            for accepted, valid in agree(document):
                if valid:
                    counts[accepted] += 1
    assert counts[True] >= 500
    assert counts[False] < counts[True] / 10


def test_valid_forms_accept_no_invalid_random_document() -> None:
    jitter, checked = random.Random(5), 0
    for version in ("4.0", "3.3"):
        for root in documents(version, jitter):
            for _ in range(rounds(1, 20)):
                mutate(root, jitter)
                for _ in agree(root):
                    checked += 1
    assert checked > 100


def test_valid_forms_accept_no_invalid_random_complement() -> None:
    jitter, checked = random.Random(6), 0
    for standard in standards():
        for _ in range(rounds(5, 200)):
            for _ in agree(filled_at_random(standard, shape(standard), jitter)):
                checked += 1
    assert checked > 50


def declared_types() -> dict[bytes, etree._Element]:
    """Return the distinct restrictions of the schemas of the snapshot, by their text."""
    found = {}
    for standard in standards():
        for restriction in trusted_document(snapshot(), "xsd", standard.file).iter(f"{XS}restriction"):
            if (restriction.get("base") or "").startswith("xs:"):
                found[etree.tostring(restriction, with_tail=False)] = restriction
    for file in ("tdCFDI.xsd", "catCFDI.xsd", "catNomina.xsd", "catCartaPorte.xsd"):
        for restriction in trusted_document(snapshot(), "xsd", file).iter(f"{XS}restriction"):
            found[etree.tostring(restriction, with_tail=False)] = restriction
    return found


def schema_of(restriction: etree._Element) -> etree._Element:
    """Return a schema with one element whose attribute has the type."""
    head = f'<xs:schema xmlns:xs="{XS[1:-1]}" targetNamespace="{URN}" elementFormDefault="qualified">'
    before = '<xs:element name="e"><xs:complexType><xs:attribute name="v" use="required"><xs:simpleType/>'
    schema = etree.fromstring(f"{head}{before}</xs:attribute></xs:complexType></xs:element></xs:schema>")
    (kind,) = schema.iter(f"{XS}simpleType")
    kind.append(deepcopy(restriction))
    return schema


SEEDS = (
    "", "A", "a|b", "ñ" * 20, "0", "12", "12.5", "12,5", "12345678901234567.123456", "0.000000", "-5", "4.0",
    "2024-02-29", "2023-02-29", "2024-01-31T23:59:59", "2024-13-01T00:00:00", "1900-02-29", "24:00:00", "AAA010101AAA",
    "20240131", "XAXX010101000", "ÑAA010101AAA",
    "6F29D1C0-8C5E-4A1B-9D51-000000000001", "00001000000500003416", "OR000001",
    "Tasa",
    "IMO1234567", "10/20/30cm", "SAMA800101HDFNRR09", "PE-12-12345", "P1Y2M3D", "P15W", "15  23  3807  8003832",
    "x" * 300, "999999999.999999", "a b", "a  b", " a", "a ", "a \r\n\t b", " ", "  \n", "a" + " " * 3000 + "b",
    "x y " * 900, "a\tb", "a\nb", "\u00a0", "😀", "1.", ".1", "+1", "1e3", "99999", "100000", "0001",
)  # fmt: skip
CHARACTERS = "AZaz09.,-|/:T &ÑñXE\n\t"


def values_of(jitter: random.Random, restriction: etree._Element) -> Iterator[str]:
    """Yield values, some of them of the type: the seeds and choices, changed at random places."""
    choices = [str(facet.get("value")) for facet in restriction.iterfind(f"{XS}enumeration")]
    for seed in (*SEEDS, *choices[:10]):
        yield seed
        for _ in range(rounds(1, 200)):
            characters = list(seed)
            for _ in range(jitter.choice((1, 1, 2, 3))):
                place = jitter.randrange(len(characters) + 1)
                characters[place : place + jitter.choice((0, 1, 1))] = jitter.choice(("", *CHARACTERS))
            yield "".join(characters)


def test_value_forms_accept_only_values_of_their_type() -> None:
    """Every pattern and facet of the snapshot, with values that are valid and nearly valid."""
    jitter = random.Random(7)
    accepting = total = 0
    for restriction in declared_types().values():
        schema = schema_of(restriction)
        program = program_of([schema])
        assert program is not None
        forms, full = native_module("valid_forms").ValidForms(program), etree.XMLSchema(schema)
        counts = [0, 0]
        for value in values_of(jitter, restriction):
            element = etree.Element(f"{{{URN}}}e", v=value)
            accepted, valid = forms.accept(element), full.validate(element)
            assert valid or not accepted, (value, etree.tostring(restriction))
            counts[0] += accepted
            counts[1] += valid
        total += counts[1] > 0
        accepting += counts[0] > 0
    assert total > 250
    assert accepting > 0.9 * total


DOCUMENT = f"""<xs:schema xmlns:xs="{XS[1:-1]}" xmlns:t="{URN}" targetNamespace="{URN}" elementFormDefault="qualified">
<xs:element name="r"><xs:complexType><xs:sequence>
<xs:element name="a" minOccurs="0" type="t:named"/>
<xs:choice minOccurs="1" maxOccurs="2"><xs:element name="b"><xs:complexType/></xs:element>
<xs:element name="c"><xs:complexType><xs:attribute name="x" fixed="1.0"/></xs:complexType></xs:element></xs:choice>
<xs:element name="d" minOccurs="2" maxOccurs="3"><xs:complexType><xs:attribute name="x" use="required" type="xs:int"/>
</xs:complexType></xs:element>
<xs:element name="l" minOccurs="0"><xs:complexType><xs:sequence>
<xs:any maxOccurs="unbounded" processContents="lax"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="s" minOccurs="0"><xs:complexType mixed="true"><xs:sequence>
<xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/></xs:sequence>
<xs:anyAttribute processContents="skip"/></xs:complexType></xs:element>
</xs:sequence></xs:complexType></xs:element>
<xs:complexType name="named"><xs:attribute name="y" type="xs:string"/></xs:complexType>
</xs:schema>"""
D = "<d x='1'/><d x='2'/>"
XSI = "xmlns:i='http://www.w3.org/2001/XMLSchema-instance'"


@pytest.mark.parametrize(
    ("content", "accepted"),
    [
        (f"<b/>{D}", True),
        (f"<a y=''/><b/><c x='1.0'/>{D}<d x='3'/>", True),
        (f"<a y='1'/>\n <b/>{D}\n", True),
        (f"<b/>{D}<l><x:z xmlns:x='urn:x' q='1'>text<k xmlns=''/></x:z></l>", True),
        (f"<b/>{D}<l>\n<z xmlns='' xmlns:q='urn:q' q:w='1'><!-- c --><?p i?></z>\n</l><s>text</s>", True),
        (f"<b/>{D}<s u='1'><r/>text</s>", True),
        (f"<b/>{D}<l><r/></l>", False),
        (f"<b/>{D}<l><k xmlns='urn:k'><r xmlns='{URN}'><b/>{D}</r></k></l>", False),
        (f"<b/>{D}<l/>", False),
        (f"<b/>{D}<l>text<k xmlns='urn:k'/></l>", False),
        (f"<b/>{D}<l><k xmlns='urn:k' {XSI} i:type='q'/></l>", False),
        (f"<b/>{D}<l><k xmlns='urn:k' {XSI} i:schemaLocation='a b'/></l>", True),
        (f"<b {XSI} i:schemaLocation='a'/>{D}", True),
        (f"<b {XSI} i:nil='true'/>{D}", False),
        (f"<b i='1'/>{D}", False),
        (f"<b xmlns:q='urn:q' q:x='1'/>{D}", False),
        (f"<c x='1.00'/>{D}", False),
        (f"<b/><b/><b/>{D}", False),
        (f"<a/><a/><b/>{D}", False),
        (D, False),
        ("<b/><d x='1'/>", False),
        ("<b/><d x='1'/><d x='2'/><d x='3'/><d x='4'/>", False),
        ("<b/><d x='1'/><d/>", False),
        ("<b/><d x='1'/><d x='1.5'/>", False),
        (f"<b>text</b>{D}", False),
        (f"text<b/>{D}", False),
        (f"<b/><![CDATA[x]]>{D}", False),
        (f"<b/>{D}<z/>", False),
        (f"<b xmlns='urn:other'/>{D}", False),
        (f"{D}<b/>", False),
    ],
)
def test_valid_forms_of_a_content(content: str, accepted: bool) -> None:
    schema = etree.fromstring(DOCUMENT)
    program = program_of([schema])
    assert program is not None
    root = etree.fromstring(f"<r xmlns='{URN}'>{content}</r>")
    assert native_module("valid_forms").ValidForms(program).accept(root) is accepted
    assert etree.XMLSchema(schema).validate(root) or not accepted


@pytest.mark.parametrize(
    "declaration",
    [
        "<xs:complexType><xs:all><xs:element name='b'/></xs:all></xs:complexType>",
        "<xs:complexType><xs:sequence minOccurs='0'><xs:element name='b'/></xs:sequence></xs:complexType>",
        "<xs:complexType><xs:simpleContent><xs:extension base='xs:string'/></xs:simpleContent></xs:complexType>",
        "<xs:complexType mixed='true'><xs:attribute name='x'/></xs:complexType>",
        "<xs:complexType><xs:attribute name='x' default='1'/></xs:complexType>",
        "<xs:complexType><xs:attribute name='x' form='qualified'/></xs:complexType>",
        "<xs:complexType><xs:anyAttribute/></xs:complexType>",
        "<xs:simpleType><xs:restriction base='xs:string'/></xs:simpleType>",
    ],
)
def test_valid_forms_leave_other_declarations_to_libxml2(declaration: str) -> None:
    head = f"<xs:schema xmlns:xs='{XS[1:-1]}' targetNamespace='{URN}' elementFormDefault='qualified'>"
    program = program_of([etree.fromstring(f"{head}<xs:element name='r'>{declaration}</xs:element></xs:schema>")])
    assert program is not None
    assert not native_module("valid_forms").ValidForms(program).accept(etree.fromstring(f"<r xmlns='{URN}'/>"))


@pytest.mark.parametrize(
    "pattern", ["a||b", "[a-z-[aeiou]]", r"\p{L}", r"\w+", "(a", "a{2", "[ñ-ü]", "a**", "(a{400}){400}"]
)
def test_valid_forms_leave_other_patterns_to_libxml2(pattern: str) -> None:
    facets = f"<xs:restriction xmlns:xs='{XS[1:-1]}' base='xs:string'><xs:pattern value='{pattern}'/></xs:restriction>"
    program = program_of([schema_of(etree.fromstring(facets))])
    assert program is not None
    assert program.elements[0].attributes[0].form == -1


def test_valid_forms_of_python_accept_nothing() -> None:
    program = compile_program(snapshot(), "cfdv40.xsd")
    root = sealed(etree.fromstring(examples.ingreso().encode()))
    assert native_module("valid_forms").ValidForms(program).accept(root)
    assert not PythonForms(program).accept(root)
    for kind in (native_module("valid_forms").ValidForms, PythonForms):
        with pytest.raises(TypeError):
            kind(program).accept(cast("etree._Element", None))
        with pytest.raises(TypeError):
            kind(program).accept(etree.Comment("c"))
