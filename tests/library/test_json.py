"""Documents as JSON, there and back."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from lxml import etree

import timbra
from timbra.examples import DOCUMENTS

CASES = [(name, version) for name, document in DOCUMENTS.items() for version in document.builders]
LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"


def content(element: etree._Element) -> tuple[object, ...]:
    """Return tag, attributes and children, without the location of schemas and blank text."""
    attributes = {name: value for name, value in element.attrib.items() if name != LOCATION}
    children = [content(child) for child in element.iterchildren(etree.Element)]
    return element.tag, sorted(attributes.items()), (element.text or "").strip(), children


@pytest.mark.parametrize(("name", "version"), CASES, ids=[f"{name}-{version}" for name, version in CASES])
def test_from_json_restores_what_to_json_writes(name: str, version: str) -> None:
    text = timbra.example(name, version=version)
    written = json.dumps(timbra.to_json(text))
    assert content(etree.fromstring(timbra.from_json(written))) == content(etree.fromstring(text.encode()))


def test_to_json_writes_repeated_elements_as_arrays() -> None:
    written = timbra.to_json(timbra.example())
    assert (written["Total"], written["Emisor"]["Rfc"]) == ("232.00", "EKU9003173C9")
    assert [concepto["Importe"] for concepto in written["Conceptos"]] == ["200.00"]


def test_to_json_leaves_the_addenda_out() -> None:
    text = timbra.example().replace("</cfdi:Comprobante>", "<cfdi:Addenda><a/></cfdi:Addenda></cfdi:Comprobante>")
    assert timbra.to_json(text) == timbra.to_json(text.replace("<cfdi:Addenda><a/></cfdi:Addenda>", ""))


@pytest.mark.parametrize("added", ["<cfdi:Nada/>", "<cfdi:Complemento><x:Nada xmlns:x='urn:x'/></cfdi:Complemento>"])
def test_to_json_raises_for_an_element_without_a_schema(added: str) -> None:
    with pytest.raises(timbra.Error) as raised:
        timbra.to_json(timbra.example().replace("</cfdi:Comprobante>", f"{added}</cfdi:Comprobante>"))
    assert raised.value.code == "301"


def test_from_json_takes_an_object_with_decimals() -> None:
    written = timbra.to_json(timbra.example()) | {"Total": Decimal("232.00")}
    assert timbra.read(timbra.from_json(written)).comprobante.total == Decimal("232.00")


def test_from_json_raises_for_a_member_that_no_schema_has() -> None:
    with pytest.raises(timbra.Error, match="Inventado") as raised:
        timbra.from_json(timbra.to_json(timbra.example()) | {"Inventado": "1"})
    assert raised.value.code == "301"
