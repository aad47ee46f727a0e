"""Permits to sell fuel: dates, holders, and rules that require the list L_CNE."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from tests.support.fuel_catalogs import SmallPermits
from tests.support.rules import checked, codes, unknown

from timbra.examples import concepto, egreso, gasolina, ingreso, traslado
from timbra.examples.codes.hidroypetro10 import COMPLEMENT, PERMIT_OF_OTHER_ISSUER
from timbra.examples.hidroypetro10 import NAMESPACE, PREMIUM, fuel, permit

FUELS = frozenset({"15101505", "15101514", "15101515"})

BEFORE, SINCE = "2026-04-23T12:00:00", "2026-04-24T12:00:00"
OF_LIST = {"CCHYP107", "CCHYP108", "CFDI40999"}
NEVER = {f"CCHYP{number}" for number in (101, 102, 103, 104, 105, 106, 109)}


@pytest.mark.parametrize(("fecha", "rejected"), [(BEFORE, set()), (SINCE, {"CFDI140228"})])
def test_cfdi140228_requires_the_complement_since_april_2026(fecha: str, rejected: set[str]) -> None:
    assert codes(ingreso(concepts=[fuel()], fecha=fecha)) == rejected
    assert codes(egreso(concepts=[fuel()], fecha=fecha)) == rejected


def test_cfdi140228_applies_since_the_day_of_the_setting() -> None:
    text, since = ingreso(concepts=[fuel()]), date(2026, 11, 17)
    assert codes(text, cfdi140228_since=since) == {"CFDI140228"}
    assert codes(text, cfdi140228_since=since + timedelta(days=1)) == set()
    before = ingreso(concepts=[fuel()], fecha="2026-03-25T12:00:00")
    assert codes(before, cfdi140228_since=date(2026, 3, 25)) == {"CFDI140228"}
    assert codes(before) == set()


def test_cfdi140228_concerns_three_products() -> None:
    assert {"15101505", "15101514", "15101515"} == FUELS
    assert codes(ingreso(concepts=[fuel()])) == {"CFDI140228"}


def test_cfdi140228_exempts_traslados() -> None:
    assert (
        codes(traslado({"Conceptos/Concepto/@ClaveProdServ": PREMIUM, "Conceptos/Concepto/@ClaveUnidad": "LTR"}))
        == set()
    )


def test_cfdi140228_requires_one_complement_for_each_concepto() -> None:
    space = {"@xmlns:hidrocarburospetroliferos": NAMESPACE}
    lines = [concepto(), fuel(permit()), fuel(), fuel(permit(), permit())]
    found = [(finding.path, finding.found) for finding in checked(ingreso(space, concepts=lines)).findings]
    assert found == [
        ("Conceptos/Concepto[3]/@ClaveProdServ", None),
        ("Conceptos/Concepto[4]/@ClaveProdServ", "2 complementos"),
    ]


def test_finding_of_another_product_has_its_place() -> None:
    space = {"@xmlns:hidrocarburospetroliferos": NAMESPACE}
    wrong = fuel(permit(), permit({"@ClaveHYP": "15101514", "@SubProductoHYP": "SP16"}))
    (double, other) = checked(ingreso(space, concepts=[fuel(permit()), wrong])).findings
    assert double.path == "Conceptos/Concepto[2]/@ClaveProdServ"
    assert other.path == "Conceptos/Concepto[2]/ComplementoConcepto/HidroYPetro[2]/@ClaveHYP"
    assert (other.found, other.rule_set) == ("15101514", "hidroypetro10")


def test_rules_on_the_list_are_not_evaluated_without_it() -> None:
    assert unknown(gasolina()) == OF_LIST | NEVER
    assert unknown(gasolina(), permits=SmallPermits()) == NEVER
    assert unknown(ingreso()) == set()


def test_cchyp107_checks_the_form_without_the_list() -> None:
    assert codes(gasolina({f"{COMPLEMENT}/@TipoPermiso": "PER03"})) == {"CCHYP107"}


def test_cchyp108_rejects_a_permit_of_another_issuer_with_the_list() -> None:
    text = gasolina({f"{COMPLEMENT}/@NumeroPermiso": PERMIT_OF_OTHER_ISSUER})
    assert codes(text) == set()
    assert codes(text, permits=SmallPermits()) == {"CCHYP108"}
