"""White space around values: removed or preserved as in the SAT's schemas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from lxml import etree
from tests.support.reference_data import reference_data
from tests.support.sat import XS, schema_folder_files

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.nodes import walk
from timbra.cfdi.nodes.complements import CONCEPTO_KINDS, KINDS
from timbra.cfdi.whitespace import PRESERVED
from timbra.examples import ROBOTICA, ExampleNode, ingreso, pago
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.registry import check

CFDI40 = "http://www.sat.gob.mx/cfd/4"


@cache
def schemas() -> dict[str, list[etree._Element]]:
    """Return all schemas by target namespace; a standard with several versions has several."""
    found: dict[str, list[etree._Element]] = {}
    for path in sorted(path for path in schema_folder_files() if path.suffix == ".xsd"):
        root = etree.parse(path).getroot()
        found.setdefault(str(root.get("targetNamespace")), []).append(root)
    return found


@cache
def types() -> dict[str, etree._Element]:
    return {
        str(found.get("name")): found
        for roots in schemas().values()
        for root in roots
        for found in root.iterchildren(f"{XS}simpleType")
    }


def collapses(simple: etree._Element) -> bool:
    restriction = simple.find(f"{XS}restriction")
    assert restriction is not None
    facet = restriction.find(f"{XS}whiteSpace")
    return facet.get("value") == "collapse" if facet is not None else named(str(restriction.get("base")))


def named(name: str) -> bool:
    local = name.rpartition(":")[2]
    return collapses(types()[local]) if local in types() else local != "string"


def keeping(schema: etree._Element) -> Iterator[str]:
    """Return the attributes with preserved white space."""
    for attribute in schema.iter(f"{XS}attribute"):
        own = attribute.find(f"{XS}simpleType")
        if not (collapses(own) if own is not None else named(attribute.get("type", "anySimpleType"))):
            yield str(attribute.get("name"))


@pytest.mark.parametrize("namespace", PRESERVED)
def test_preserved_attributes_match_the_schemas(namespace: str) -> None:
    """CFDI 3.2 has attribute names in lower case."""
    kept = {name for schema in schemas()[namespace] for name in keeping(schema)}
    assert kept - {"tipoDeComprobante"} == PRESERVED[namespace]


def test_preserved_names_the_namespace_of_each_complement_that_rules_read() -> None:
    tags = {tag for tag, _ in (*KINDS, *CONCEPTO_KINDS)}
    missing = {tag[1:].partition("}")[0] for tag in tags} - PRESERVED.keys()
    assert not missing, "add them to PRESERVED of src/timbra/cfdi/whitespace.py"


PADDED = [
    b' Rfc=" RFC"',
    b' Rfc="RFC "',
    b" Rfc='RFC '",
    b" Rfc='&#10;RFC'",
    b' Rfc="\n\t\tRFC"',
    b' Rfc="RFC&#9;"',
]


@pytest.mark.parametrize("written", PADDED)
def test_parse_strips_white_space_of_values(written: bytes) -> None:
    """The bytes keep the white space, and the cadena original omits it."""
    attribute = written.replace(b"RFC", ROBOTICA.rfc.encode())
    source = ingreso().encode().replace(b' Rfc="%b"' % ROBOTICA.rfc.encode(), attribute)
    document = DocumentParser().parse(source)
    assert document.source == source
    assert document.root.find(f"{{{CFDI40}}}Receptor").get("Rfc") == ROBOTICA.rfc  # type: ignore[union-attr]
    assert check(walk(document.root), reference_data(), VALIDATE).findings == ()


@pytest.mark.parametrize("sello", [b"A" * 342 + b"==", b"", b"una cosa="])
def test_parse_strips_value_after_value_that_ends_with_equals_sign(sello: bytes) -> None:
    plain = ingreso({"@Sello": "PLACE"}).encode().replace(b"PLACE", sello)
    assert DocumentParser().parse(plain).root.get("Sello") == sello.decode()
    padded = plain.replace(b' Rfc="%b"' % ROBOTICA.rfc.encode(), b'\n\tRfc=" %b"' % ROBOTICA.rfc.encode())
    assert padded != plain
    assert DocumentParser().parse(padded).root.find("{*}Receptor").get("Rfc") == ROBOTICA.rfc  # type: ignore[union-attr]


def test_parse_keeps_white_space_inside_values_and_outside_attributes() -> None:
    plain = ingreso({"Conceptos/Concepto/@Descripcion": "Una  &  otra"}).encode()
    spread = plain.replace(b'" ', b'"\n\t ').replace(b"><", b"> \n<")
    for source in (plain, spread):
        assert DocumentParser().parse(source).root.find(".//{*}Concepto").get("Descripcion") == "Una  &  otra"  # type: ignore[union-attr]


@pytest.mark.parametrize("written", ["15  48  3009  0001234 ", " 15  48  3009  0001234"])
def test_parse_keeps_white_space_of_preserved_attributes(written: str) -> None:
    node = ExampleNode("cfdi:InformacionAduanera", {"NumeroPedimento": written})
    source = ingreso({"Conceptos/Concepto/InformacionAduanera": node}).encode()
    root = DocumentParser().parse(source).root
    assert root.find(".//{*}InformacionAduanera").get("NumeroPedimento") == written  # type: ignore[union-attr]


def test_parse_strips_white_space_in_complements() -> None:
    source = pago({"Complemento/Pagos/Pago/@FormaDePagoP": " 03 "}).encode()
    assert check(walk(DocumentParser().parse(source).root), reference_data(), VALIDATE).findings == ()
