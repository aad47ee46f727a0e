"""Namespaces, schemaLocation, and the places of complements and stamp: one change of a valid document for each code."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.support.declarations import context_of
from tests.support.wrong_declarations import DECLARED, GOOD, TFD, WRONG, XSD, changed

from timbra.rules.engine.result import Finding, Severity
from timbra.rules.rulesets.declarations import RULE_SET, evaluation


def found(text: str, *, stamped: bool = False) -> list[Finding]:
    root = etree.fromstring(text.encode())
    return list(evaluation.examine(root, context_of(root, stamped=stamped)).findings)


def codes(text: str, *, stamped: bool = False) -> list[str]:
    return [finding.code for finding in found(text, stamped=stamped)]


def test_valid_document_has_no_findings() -> None:
    assert codes(GOOD) == []


@pytest.mark.parametrize("name", WRONG)
def test_examine_finds_the_codes_of_each_mistake(name: str) -> None:
    text, expected = WRONG[name]
    assert set(codes(text)) == expected


def test_mistakes_cover_every_code() -> None:
    assert {code for _, expected in WRONG.values() for code in expected} == {rule.code for rule in RULE_SET.rules}


@pytest.mark.parametrize("code", [rule.code for rule in RULE_SET.rules])
def test_examine_skips_a_rule_that_is_off(code: str) -> None:
    text = next(text for text, expected in WRONG.values() if code in expected)
    root = etree.fromstring(text.encode())
    others = [rule for rule in RULE_SET.rules if rule.code != code]
    assert code in codes(text)
    assert code not in {finding.code for finding in evaluation.examine(root, context_of(root), others).findings}


@pytest.mark.parametrize("name", WRONG)
def test_stamped_document_has_warnings_except_for_dates_and_the_place_of_the_stamp(name: str) -> None:
    for finding in found(WRONG[name][0], stamped=True):
        never_accepted = finding.code in ("TFD-LUGAR", "VERSION-FECHA", "COMPLEMENTO-FECHA")
        assert finding.severity is (Severity.ERROR if never_accepted else Severity.WARNING)


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
