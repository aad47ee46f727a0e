"""Findings show no values of the SAT's lists unless the reference data disclose them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.reference_data import Registry, reference_data, registry
from tests.support.rule_set_examples import EXAMPLES
from tests.support.rules import checked, only

from timbra.examples import KEMPER, ROBOTICA, ingreso
from timbra.rules.engine.ports import ReferenceData, Taxpayer
from timbra.rules.engine.result import Finding

NAME, POSTAL_CODE, REGIME, FUEL = "NOMBRE INSCRITO", "98765", "9R9", "15F99"
VALUES = (NAME, POSTAL_CODE, REGIME, FUEL)
SHOWING = {
    "CFDI40138",
    "CFDI40139",
    "CFDI40144",
    "CFDI40145",
    "CFDI40147",
    "CFDI40148",
    "CFDI40189",
    "CFDI40190",
    "CFDI40193",
    "CFDI40999",
    "Reten20115",
    "Reten20116",
    "Reten20120",
    "Reten20136",
}
"""Codes of rules that show disclosed registered values; CFDI40999 concerns fuels of permits, regimes of receivers."""


@dataclass(frozen=True)
class Permit:
    """A row of L_CNE that no document fits."""

    rfc: str = "XIA190128J61"
    fuels: frozenset[str] = frozenset({FUEL})


class ForeignData(Registry):
    """Lists in which every RFC and every permit is registered, with values that no document has."""

    def taxpayer(self, rfc: str) -> Taxpayer:
        return Taxpayer(rfc, NAME, POSTAL_CODE, frozenset({REGIME}))

    def is_registered(self, name: str) -> bool:
        return name == NAME

    def permit(self, _number: str) -> Permit:
        return Permit()


def texts(finding: Finding) -> str:
    """Return every text of a finding."""
    place = finding.location
    parts = (
        finding.found,
        finding.expected,
        finding.hint,
        finding.literal,
        finding.detail,
        place.found,
        place.expected,
    )
    return "\n".join(part for part in parts if part is not None)


def codes_that_show_registered_values(text: str, **changes: Any) -> set[str]:
    """Return the codes of findings that show a registered value."""
    lists = ForeignData()
    found = checked(text, taxpayers=lists, names=lists, permits=lists, **changes).findings
    return {finding.code for finding in found if any(value in texts(finding) for value in VALUES)}


@pytest.fixture(scope="module")
def documents() -> list[str]:
    """Return a document that violates each rule."""
    return [example.failing() for example in EXAMPLES.values()]


def test_findings_hide_registered_values_by_default(documents: list[str]) -> None:
    assert not any(
        codes_that_show_registered_values(document, discloses_registered_data=False) for document in documents
    )


def test_findings_show_registered_values_when_disclosed(documents: list[str]) -> None:
    codes = (codes_that_show_registered_values(document, discloses_registered_data=True) for document in documents)
    assert set().union(*codes) == SHOWING


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"Emisor/@Nombre": ROBOTICA.name}, "el nombre inscrito del RFC (l_RFC)"),
        (
            {"Receptor/@DomicilioFiscalReceptor": KEMPER.postal_code},
            "el código postal del domicilio fiscal inscrito (l_RFC)",
        ),
        ({"Receptor/@RegimenFiscalReceptor": "603"}, "un régimen inscrito del receptor (l_RFC)"),
    ],
)
def test_finding_names_the_compared_value_when_it_is_hidden(changes: dict[str, str], expected: str) -> None:
    assert only(ingreso(changes), discloses_registered_data=False).expected == expected


def test_name_hint_does_not_quote_the_registered_name() -> None:
    lists = registry()
    lists.add(ROBOTICA.rfc, ROBOTICA.name.title(), ROBOTICA.postal_code, ROBOTICA.regime)
    finding = only(ingreso(), taxpayers=lists, names=None, discloses_registered_data=False)
    assert finding.code == "CFDI40145"
    assert (finding.hint or "").startswith("Difiere solo en mayúsculas")
    assert ROBOTICA.name.title() not in texts(finding)


def test_name_hint_about_the_capital_regime_quotes_the_document_only() -> None:
    found = only(
        ingreso({"Receptor/@Nombre": f"{ROBOTICA.name} SA DE CV"}), names=None, discloses_registered_data=False
    )
    assert (found.hint or "").startswith("Coincide sin el régimen de capital")
    assert ROBOTICA.name not in f"{found.expected} {found.hint}"


def test_reference_data_hides_registered_data_by_default() -> None:
    data = reference_data()
    assert not ReferenceData(
        now=data.now, catalogs=data.catalogs, taxpayers=None, obligations=None
    ).discloses_registered_data
