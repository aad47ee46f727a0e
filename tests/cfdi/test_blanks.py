"""Blanks around values: dropped where SAT's schemas drop them, kept where they keep them, at no price for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from lxml import etree
from tests.support.sat import CFD, XS, package
from tests.support.world import world

from timbra.cfdi.blanks import KEPT
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.nodes import walk
from timbra.examples import ROBOTICA, Node, ingreso, pago
from timbra.rules.checking import check
from timbra.rules.profiles import VALIDATE

CFDI40 = "http://www.sat.gob.mx/cfd/4"


@cache
def schemas() -> dict[str, list[etree._Element]]:
    """All schemas by their target namespace; several where a standard had editions."""
    found: dict[str, list[etree._Element]] = {}
    for path in sorted((package() / CFD).rglob("*.xsd")):
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
    """The attributes whose blanks count."""
    for attribute in schema.iter(f"{XS}attribute"):
        own = attribute.find(f"{XS}simpleType")
        if not (collapses(own) if own is not None else named(attribute.get("type", "anySimpleType"))):
            yield str(attribute.get("name"))


@pytest.mark.parametrize("namespace", KEPT)
def test_what_is_kept_is_what_the_schema_keeps(namespace: str) -> None:
    """CFDI 3.2 wrote the names of its attributes small."""
    kept = {name for schema in schemas()[namespace] for name in keeping(schema)}
    assert kept - {"tipoDeComprobante"} == KEPT[namespace]


PADDED = [
    b' Rfc=" RFC"',
    b' Rfc="RFC "',
    b" Rfc='RFC '",
    b" Rfc='&#10;RFC'",
    b' Rfc="\n\t\tRFC"',
    b' Rfc="RFC&#9;"',
]


@pytest.mark.parametrize("written", PADDED)
def test_rules_read_a_value_without_its_blanks(written: bytes) -> None:
    """The bytes keep them, and the cadena original leaves them out."""
    attribute = written.replace(b"RFC", ROBOTICA.rfc.encode())
    source = ingreso().encode().replace(b' Rfc="%b"' % ROBOTICA.rfc.encode(), attribute)
    document = DocumentParser().parse(source)
    assert document.source == source
    assert document.root.find(f"{{{CFDI40}}}Receptor").get("Rfc") == ROBOTICA.rfc  # type: ignore[union-attr]
    assert check(walk(document.root), world(), VALIDATE).findings == ()


@pytest.mark.parametrize("sello", [b"A" * 342 + b"==", b"", b"una cosa="])
def test_a_value_that_ends_in_a_sign_of_equality_hides_no_padded_one(sello: bytes) -> None:
    plain = ingreso({"@Sello": "PLACE"}).encode().replace(b"PLACE", sello)
    assert DocumentParser().parse(plain).root.get("Sello") == sello.decode()
    padded = plain.replace(b' Rfc="%b"' % ROBOTICA.rfc.encode(), b'\n\tRfc=" %b"' % ROBOTICA.rfc.encode())
    assert padded != plain
    assert DocumentParser().parse(padded).root.find("{*}Receptor").get("Rfc") == ROBOTICA.rfc  # type: ignore[union-attr]


def test_what_stands_in_no_value_or_not_at_its_ends_changes_nothing() -> None:
    plain = ingreso({"Conceptos/Concepto/@Descripcion": "Una  &  otra"}).encode()
    spread = plain.replace(b'" ', b'"\n\t ').replace(b"><", b"> \n<")
    for source in (plain, spread):
        assert DocumentParser().parse(source).root.find(".//{*}Concepto").get("Descripcion") == "Una  &  otra"  # type: ignore[union-attr]


@pytest.mark.parametrize("written", ["15  48  3009  0001234 ", " 15  48  3009  0001234"])
def test_a_value_whose_blanks_count_keeps_them(written: str) -> None:
    node = Node("cfdi:InformacionAduanera", {"NumeroPedimento": written})
    source = ingreso({"Conceptos/Concepto/InformacionAduanera": node}).encode()
    root = DocumentParser().parse(source).root
    assert root.find(".//{*}InformacionAduanera").get("NumeroPedimento") == written  # type: ignore[union-attr]


def test_complements_are_read_without_blanks_too() -> None:
    source = pago({"Complemento/Pagos/Pago/@FormaDePagoP": " 03 "}).encode()
    assert check(walk(DocumentParser().parse(source).root), world(), VALIDATE).findings == ()
