"""What CFDI 3.3 means otherwise than 4.0, and what only later data tell."""

from __future__ import annotations

import pytest
from tests.support.rules import checked, codes, only, unknown

from timbra.examples import Change, concepto, ingreso33, tax
from timbra.examples.codes.cfdi33 import exempt, in_border, summed, unrounded
from timbra.examples.codes.conceptos import CUSTOMS
from timbra.examples.codes.impuestos import SUMMED
from timbra.examples.comprobante import public_at
from timbra.rules.engine.result import DataRequirement, Severity


@pytest.mark.parametrize("rate", ["1", "1.0", "1.000000"])
def test_pesos_are_worth_one_however_written(rate: str) -> None:
    assert codes(ingreso33({"@TipoCambio": rate})) == set()


@pytest.mark.parametrize(("found", "expected"), [("0.00", set()), ("0", set()), ("0.01", {"CFDI33110", "CFDI33118"})])
def test_a_discount_of_zero_needs_no_discounted_concepto(found: str, expected: set[str]) -> None:
    assert codes(ingreso33({"@Descuento": found})) == expected


def test_a_discount_that_is_left_out_is_found() -> None:
    lines = [concepto({"@Descuento": "0.00"})]
    assert codes(ingreso33({"@Descuento": None}, concepts=lines)) == {"CFDI33110"}


def test_the_summary_may_be_unrounded() -> None:
    """0.2345 in the rows and 0.23 in the total: compared at two decimals."""
    assert codes(unrounded()) == set()
    assert codes(unrounded("0.2346")) == set()


@pytest.mark.parametrize(("found", "expected"), [("32.004", set()), ("31.995", set()), ("32.006", {"CFDI33195"})])
def test_amounts_of_the_summary_are_compared_at_the_decimals_of_the_currency(found: str, expected: set[str]) -> None:
    changes: dict[str, Change] = {f"{SUMMED}/@Importe": found}
    assert codes(ingreso33(changes)) - {"CFDI33183"} == expected


@pytest.mark.parametrize(
    ("total", "expected"), [("232.004", set()), ("232.005", {"CFDI33118"}), ("231", {"CFDI33118"})]
)
def test_the_total_is_compared_at_the_decimals_of_the_currency(total: str, expected: set[str]) -> None:
    assert codes(ingreso33({"@Total": total})) == expected


def test_exempt_traslados_are_not_summed() -> None:
    assert codes(exempt()) == set()


def test_isr_is_not_transferred_at_any_rate() -> None:
    """No code says which taxes may be transferred, so the rate's does."""
    line = concepto(traslados=[tax("200.00", "001", "0.100000")])
    assert codes(ingreso33(concepts=[line])) == {"CFDI33159", "CFDI33193"}


def test_a_quota_of_an_earlier_year_cannot_be_evaluated() -> None:
    """The small world knows that of 2026."""
    row = tax("200.00", "003", "0.500000", factor="Cuota")
    text = ingreso33(concepts=[concepto(traslados=[row])])
    assert {"CFDI33159", "CFDI33193"} <= unknown(text)


@pytest.mark.parametrize(
    ("number", "expected"), [("12  48  3009  0001234", set()), ("11  48  3009  0001234", {"CFDI33170"})]
)
def test_customs_numbers_are_of_the_ten_years_before_the_document(number: str, expected: set[str]) -> None:
    assert codes(ingreso33({CUSTOMS: number})) == expected


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"@LugarExpedicion": "00001"}, "CFDI33125"),
        ({"Conceptos/Concepto/@ClaveProdServ": "00000009"}, "CFDI33142"),
    ],
)
def test_what_only_later_catalogs_tell_warns(changes: dict[str, Change], code: str) -> None:
    finding = only(ingreso33(changes))
    assert (finding.code, finding.severity) == (code, Severity.WARNING)


def test_what_rests_on_a_list_names_it() -> None:
    """So a list of another time makes it a warning."""
    (finding,) = checked(ingreso33({"Receptor/@Rfc": "ZZZ010101AAA"})).findings
    assert (finding.code, finding.rests_on) == ("CFDI33132", frozenset({DataRequirement.TAXPAYERS}))
    border = [finding for finding in checked(in_border()).findings if finding.path.startswith("Conceptos")]
    assert [finding.rests_on for finding in border] == [{DataRequirement.OBLIGATIONS}]


def test_without_the_list_nothing_about_taxpayers_is_said_to_hold() -> None:
    assert {"CFDI33132", "CFDI33134"} <= unknown(ingreso33({"Receptor/@ResidenciaFiscal": "USA"}), taxpayers=None)


def test_a_generic_receiver_needs_no_list() -> None:
    text = ingreso33(receiver=public_at("42501"), uso="P01")
    assert codes(text, taxpayers=None) == set()
    assert "CFDI33132" not in unknown(text, taxpayers=None)


def test_rows_not_to_be_applied_are_silent() -> None:
    lines = [concepto({"@ValorUnitario": "200.000", "@Importe": "200.000"})]
    assert codes(ingreso33(concepts=lines)) == set()
    assert codes(summed({"Impuestos/Retenciones/Retencion/@Importe": "20.000"})) == set()
