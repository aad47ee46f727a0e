"""Structure faults in Spanish, whatever libxml2 writes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.cfdi.oracle import filled

from timbra.cfdi.structure import Structure
from timbra.cfdi.structure.declarations import SchemaDeclarations
from timbra.cfdi.structure.error_messages import attribute_of, fault_of
from timbra.cfdi.structure.errors import SchemaError, StructureFault
from timbra.cfdi.structure.paths import ElementPaths, no_declarations
from timbra.cfdi.structure.value_phrases import ValueType
from timbra.examples import DOCUMENTS, ingreso
from timbra.snapshot import Snapshot

BY_SCHEMA = "lo que establece el esquema del SAT"

ELEMENT = "Element '{http://www.sat.gob.mx/cfd/4}Emisor'"
KINDS = ("PATTERN_VALID", "ENUMERATION_VALID", "DATATYPE_VALID_1_2_1", "AU", "COMPLEX_TYPE_4", "COMPLEX_TYPE_3_2_1")
CONTENT_KINDS = (
    "SCHEMAV_ELEMENT_CONTENT",
    "SCHEMAV_CVC_COMPLEX_TYPE_2_1",
    "SCHEMAV_CVC_COMPLEX_TYPE_2_2",
    "SCHEMAV_CVC_COMPLEX_TYPE_2_3",
    "SCHEMAV_CVC_ELT_1",
    "SCHEMAV_CVC_TYPE_3_1_2",
    "SCHEMAV_CVC_PATTERN_VALID",
    "SCHEMAV_INTERNAL",
)
ENGLISH = re.compile(
    r"\b(element|attribute|value|facet|pattern|expected|missing|type|the|is|not|allowed|content|child|length)\b", re.I
)
EXPRESSION = re.compile(r"\[[^|]*\]|\{\d|\\|\(\?")


def fault(kind: str, message: str) -> StructureFault:
    element = etree.fromstring("<Emisor xmlns='http://www.sat.gob.mx/cfd/4' Rfc='X'>texto</Emisor>")
    return fault_of(SchemaError(kind, message, "/cfdi:Emisor", 1), element, ElementPaths(no_declarations))


@pytest.mark.parametrize("kind", CONTENT_KINDS)
@pytest.mark.parametrize(
    "rest",
    [
        "This element is not expected. Expected is ( {http://www.sat.gob.mx/cfd/4}Conceptos ).",
        "This element is not expected.",
        "Missing child element(s). Expected is one of ( {http://www.sat.gob.mx/cfd/4}A, {urn:b}B, ##other ).",
        "Missing child element(s). Expected is ( {http://www.sat.gob.mx/cfd/4}A ).",
        "Character content other than whitespace is not allowed because the content type is 'element-only'.",
        "Element content is not allowed, because the content type is empty.",
        "Something that no version has written.",
    ],
)
def test_fault_of_element_has_no_words_of_libxml2(kind: str, rest: str) -> None:
    sentence = fault(kind, f"{ELEMENT}: {rest}").message
    assert not ENGLISH.search(sentence), sentence
    assert sentence.endswith(".")


@given(st.sampled_from(KINDS), st.sampled_from(["", f"{ELEMENT}: ", f"{ELEMENT}, attribute 'Rfc': "]), st.text())
def test_attribute_of_accepts_any_libxml2_text(kind: str, head: str, rest: str) -> None:
    error = SchemaError(f"SCHEMAV_CVC_{kind}", head + rest, "/cfdi:Emisor", 1)
    attribute = attribute_of(error)
    assert attribute in ("", "Rfc") or f"'{attribute}'" in rest or "}" in rest


_XML_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)


@given(_XML_TEXT.map(lambda text: f"|{text}'.'|'"))
def test_fault_contains_any_value_as_written(structure: Structure, value: str) -> None:
    root = filled(etree.fromstring(ingreso().encode()))
    root.set("Folio", value)
    (found,) = structure.check(root)
    assert (found.path, found.found, found.expected) == ("@Folio", value, "de 1 a 40 caracteres, sin «|»")


def test_every_type_of_the_snapshot_has_a_spanish_phrase(structure: Structure, sat_snapshot: Snapshot) -> None:
    count = 0
    for standard in structure.supported:
        for path, attribute, kind in SchemaDeclarations(sat_snapshot, standard.file).value_types():
            count += 1
            phrase = kind.phrase
            place = f"{standard.file} {'/'.join(path)}/@{attribute}: {phrase}"
            assert BY_SCHEMA not in phrase, place
            if not kind.values and kind.fixed is None:
                assert not EXPRESSION.search(phrase), place
                assert not ENGLISH.search(phrase), place
            assert "  " not in phrase, place
    assert count > 1_500


def test_phrase_of_unknown_pattern_contains_no_expression() -> None:
    assert ValueType(patterns=("[x]{3}",)).phrase == BY_SCHEMA


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_faults_of_example_documents_without_one_value_are_spanish(structure: Structure, name: str) -> None:
    example = DOCUMENTS[name]
    root = filled(etree.fromstring(example.make().encode()))
    for element in root.iter(etree.Element):
        for attribute in element.attrib:
            if str(attribute).startswith("{") or str(attribute).lower() == "version":
                continue
            before = element.attrib[attribute]
            element.attrib[attribute] = "|"
            for found in structure.check(root):
                assert found.found == "|" or found.found is None, found
                words = found.message.replace("«|»", "")
                assert not EXPRESSION.search(re.sub(r"\w\[\d+\]", "", words)), words
            element.attrib[attribute] = before
