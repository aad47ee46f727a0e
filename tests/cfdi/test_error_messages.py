"""Spanish messages for libxml2's English ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.cfdi.oracle import filled

from timbra.cfdi.structure import Structure
from timbra.cfdi.structure.error_messages import attribute_and_message
from timbra.cfdi.structure.errors import SchemaError
from timbra.examples import ingreso

ELEMENT = "Element '{http://www.sat.gob.mx/cfd/4}Emisor'"
KINDS = ("PATTERN_VALID", "ENUMERATION_VALID", "DATATYPE_VALID_1_2_1", "AU", "COMPLEX_TYPE_4", "COMPLEX_TYPE_3_2_1")


def translated(kind: str, message: str) -> tuple[str, str]:
    return attribute_and_message(SchemaError(kind, message, "/cfdi:Emisor", 1), {"http://www.sat.gob.mx/cfd/4": "cfdi"})


@pytest.mark.parametrize(
    ("kind", "message", "attribute", "sentence"),
    [
        (
            "CVC_AU",
            "The value '9' does not match the fixed value constraint '2.0'.",
            "V",
            "V: el valor '9' debe ser 2.0.",
        ),
        (
            "CVC_DATATYPE_VALID_1_2_1",
            "'x' is not a valid value of the local atomic type.",
            "V",
            "V: el valor 'x' no es del tipo que el esquema exige.",
        ),
        (
            "CVC_DATATYPE_VALID_1_2_1",
            "'x' is not a valid value of the atomic type '{urn:a}t_Importe'.",
            "V",
            "V: el valor 'x' no es del tipo que el esquema exige (t_Importe).",
        ),
        (
            "CVC_TOTALDIGITS_VALID",
            "[facet 'totalDigits'] The value '123' has more digits than are allowed ('2').",
            "V",
            "V: el valor '123' tiene más de 2 dígitos.",
        ),
        (
            "CVC_MAXINCLUSIVE_VALID",
            "[facet 'maxInclusive'] The value '3' is greater than the maximum value allowed ('2').",
            "V",
            "V: el valor '3' es mayor que el máximo 2.",
        ),
        ("CVC_IDC", "Something else.", "V", "No cumple el esquema: Something else."),
        ("CVC_AU", "Said in other words.", "V", "No cumple el esquema: Said in other words."),
        (
            "CVC_COMPLEX_TYPE_2_1",
            "Element content is not allowed.",
            "",
            "El elemento Emisor no puede contener otros elementos.",
        ),
    ],
)
def test_message_exists_for_each_kind_of_error(kind: str, message: str, attribute: str, sentence: str) -> None:
    place = f"{ELEMENT}, attribute '{attribute}'" if attribute else ELEMENT
    assert translated(f"SCHEMAV_{kind}", f"{place}: {message}") == (attribute, sentence)


def test_message_keeps_text_of_unknown_errors() -> None:
    assert translated("SCHEMAV_INTERNAL", "Internal error: x\n") == ("", "No cumple el esquema: Internal error: x")


@given(st.sampled_from(KINDS), st.sampled_from(["", f"{ELEMENT}: ", f"{ELEMENT}, attribute 'Rfc': "]), st.text())
def test_message_accepts_any_libxml2_text(kind: str, head: str, rest: str) -> None:
    attribute, sentence = translated(f"SCHEMAV_CVC_{kind}", head + rest)
    assert sentence
    assert attribute in ("", "Rfc") or f"'{attribute}'" in rest


_XML_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)


@given(_XML_TEXT.map(lambda text: f"|{text}'.'|'"))
def test_message_quotes_any_value(structure: Structure, value: str) -> None:
    root = filled(etree.fromstring(ingreso().encode()))
    root.set("Folio", value)
    (fault,) = structure.check(root)
    assert fault.path == "/cfdi:Comprobante/@Folio"
    assert fault.message == f"Folio: el valor '{value}' no cumple el patrón [^|]{{1,40}}."
