"""Namespaces, schemaLocation, and the places of complements and stamp: one change of a valid document for each code."""

from __future__ import annotations

import re

import pytest
from lxml import etree
from tests.support.declarations import context_of

from timbra.examples import pago
from timbra.rules.engine.result import Finding, Severity
from timbra.rules.rulesets import declarations as shape

GOOD = pago()
PAGOS = "http://www.sat.gob.mx/Pagos20"
XSD = "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd"
CFD = "http://www.sat.gob.mx/cfd/4"
DECLARED = f' xmlns:pago20="{PAGOS}"'
LOCATED = f" {PAGOS} {XSD}"
TFD = '<tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1"/>'


def found(text: str, *, stamped: bool = False) -> list[Finding]:
    root = etree.fromstring(text.encode())
    return list(shape.examine(root, context_of(root, stamped=stamped)).findings)


def codes(text: str, *, stamped: bool = False) -> list[str]:
    return [finding.code for finding in found(text, stamped=stamped)]


def changed(pattern: str, replacement: str, text: str = GOOD) -> str:
    result, count = re.subn(re.escape(pattern), replacement, text, count=1)
    assert count, f"nothing like {pattern}"
    return result


WRONG = {
    "no schemaLocation": (re.sub(r' xsi:schemaLocation="[^"]*"', "", GOOD), {"CC3001", "CO1003"}),
    "an odd word": (changed(LOCATED, f" {PAGOS}"), {"CC3001", "CO1003"}),
    "the schema of 3.3": (changed("cfd/4/cfdv40.xsd", "cfd/3/cfdv33.xsd"), {"CC3001"}),
    "only the complement's schema": (re.sub(r'schemaLocation="\S+ \S+ ', 'schemaLocation="', GOOD), {"CC3001"}),
    "another prefix": (changed(DECLARED, f' xmlns:pagos="{PAGOS}"', GOOD).replace("pago20:", "pagos:"), {"CO1001"}),
    "another element": (GOOD.replace("pago20:Pagos", "pago20:pagos"), {"CO1001"}),
    "another case of the namespace": (GOOD.replace(PAGOS, PAGOS.lower()), {"CO1001", "SELLO-COMPLEMENTO"}),
    "declared at the complement": (
        changed("<pago20:Pagos ", f"<pago20:Pagos{DECLARED} ", changed(DECLARED, "")),
        {"CO1002"},
    ),
    "declared at Complemento": (
        changed("<cfdi:Complemento>", f"<cfdi:Complemento{DECLARED}>", changed(DECLARED, "")),
        {"CO1004"},
    ),
    "the complement's schema missing": (changed(LOCATED, ""), {"CO1003"}),
    "another schema for the complement": (changed("Pagos20.xsd", "Pagos10.xsd"), {"CO1003"}),
    "the schema declared at the complement": (
        changed("<pago20:Pagos ", f'<pago20:Pagos xsi:schemaLocation="{LOCATED}" ', changed(LOCATED, "")),
        {"CO1005"},
    ),
    "the schema declared twice": (
        changed("<pago20:Pagos ", f'<pago20:Pagos xsi:schemaLocation="{LOCATED}" '),
        {"CO1005"},
    ),
    "without a prefix": (
        GOOD.replace("cfdi:", "").replace("xmlns:cfdi", "xmlns"),
        {"NS-PREFIJO"},
    ),
    "declared and not used": (changed(DECLARED, f'{DECLARED} xmlns:x="urn:x"'), {"NS-SIN-USO"}),
    "two prefixes": (changed(DECLARED, f'{DECLARED} xmlns:otro="{PAGOS}"'), {"NS-REPETIDO"}),
    "two addresses": (changed(LOCATED, LOCATED + LOCATED), {"NS-REPETIDO"}),
    "not in the stylesheet": (GOOD.replace(PAGOS, "urn:otros"), {"SELLO-COMPLEMENTO"}),
    "a stamp in Comprobante": (changed("</cfdi:Comprobante>", f"{TFD}</cfdi:Comprobante>"), {"TFD-LUGAR"}),
    "a stamp in a complement": (changed("<pago20:Totales", f"{TFD}<pago20:Totales"), {"TFD-LUGAR"}),
}


def test_valid_document_has_no_findings() -> None:
    assert codes(GOOD) == []


@pytest.mark.parametrize("name", WRONG)
def test_examine_finds_the_codes_of_each_mistake(name: str) -> None:
    text, expected = WRONG[name]
    assert set(codes(text)) == expected


def test_mistakes_cover_every_code() -> None:
    assert {code for _, expected in WRONG.values() for code in expected} == {rule.code for rule in shape.RULE_SET.rules}


@pytest.mark.parametrize("code", [rule.code for rule in shape.RULE_SET.rules])
def test_examine_skips_a_rule_that_is_off(code: str) -> None:
    text = next(text for text, expected in WRONG.values() if code in expected)
    root = etree.fromstring(text.encode())
    others = [rule for rule in shape.RULE_SET.rules if rule.code != code]
    assert code in codes(text)
    assert code not in {finding.code for finding in shape.examine(root, context_of(root), others).findings}


@pytest.mark.parametrize("name", WRONG)
def test_stamped_document_has_warnings_except_for_the_place_of_the_stamp(name: str) -> None:
    for finding in found(WRONG[name][0], stamped=True):
        assert finding.severity is (Severity.ERROR if finding.code == "TFD-LUGAR" else Severity.WARNING)


def test_finding_has_place_found_and_expected() -> None:
    (finding,) = found(WRONG["another schema for the complement"][0])
    assert finding.path == "Complemento/Pagos"
    assert finding.found is not None
    assert finding.found.endswith("Pagos10.xsd")
    assert XSD in (finding.expected or "")


@pytest.mark.parametrize("address", [XSD.replace("http:", "https:"), XSD.upper().replace("HTTP:", "http:")])
def test_schema_location_ignores_case_and_scheme(address: str) -> None:
    assert codes(changed(XSD, address)) == []


def test_stamp_may_declare_itself_and_be_in_the_addenda() -> None:
    own = TFD.replace("Version=", 'xsi:schemaLocation="a b" Version=')
    inside = changed("</cfdi:Complemento>", f"{own}</cfdi:Complemento>")
    assert codes(inside) == []
    assert codes(changed("</cfdi:Comprobante>", f"<cfdi:Addenda>{TFD}</cfdi:Addenda></cfdi:Comprobante>")) == []


def test_findings_are_bounded_for_thousands_of_declarations() -> None:
    many = "".join(f' xmlns:n{number}="urn:n{number}"' for number in range(5_000))
    complements = "".join(f'<n{number}:C Version="1.0"/>' for number in range(5_000))
    text = changed("<cfdi:Complemento>", f"<cfdi:Complemento>{complements}", changed(DECLARED, DECLARED + many))
    assert len(found(text)) < 100
