"""Rules of CFDI 3.3 that differ from 4.0, and rules on later data."""

from __future__ import annotations

import pytest
from tests.support.rules import checked, codes, only, unknown

from timbra.examples import Change, concepto, ingreso33, tax
from timbra.examples.codes.cfdi33 import border_invoice, exempt, unrounded, with_isr_withheld
from timbra.examples.codes.impuestos import TRASLADO_TOTAL
from timbra.examples.comprobante import public_at
from timbra.rules.engine.result import DataRequirement, Severity


@pytest.mark.parametrize("rate", ["1", "1.0", "1.000000"])
def test_tipo_cambio_of_pesos_accepts_any_form_of_one(rate: str) -> None:
    assert codes(ingreso33({"@TipoCambio": rate})) == set()


@pytest.mark.parametrize(("found", "expected"), [("0.00", set()), ("0", set()), ("0.01", {"CFDI33110", "CFDI33118"})])
def test_cfdi33110_accepts_a_zero_discount_without_discounted_concepto(found: str, expected: set[str]) -> None:
    assert codes(ingreso33({"@Descuento": found})) == expected


def test_cfdi33110_rejects_a_missing_discount() -> None:
    lines = [concepto({"@Descuento": "0.00"})]
    assert codes(ingreso33({"@Descuento": None}, concepts=lines)) == {"CFDI33110"}


def test_summary_accepts_unrounded_amounts() -> None:
    """0.2345 in the rows and 0.23 in the total: compared at two decimals."""
    assert codes(unrounded()) == set()
    assert codes(unrounded("0.2346")) == set()


@pytest.mark.parametrize(("found", "expected"), [("32.004", set()), ("31.995", set()), ("32.006", {"CFDI33195"})])
def test_cfdi33195_compares_at_the_decimals_of_the_currency(found: str, expected: set[str]) -> None:
    changes: dict[str, Change] = {f"{TRASLADO_TOTAL}/@Importe": found}
    assert codes(ingreso33(changes)) - {"CFDI33183"} == expected


@pytest.mark.parametrize(
    ("total", "expected"), [("232.004", set()), ("232.005", {"CFDI33118"}), ("231", {"CFDI33118"})]
)
def test_cfdi33118_compares_at_the_decimals_of_the_currency(total: str, expected: set[str]) -> None:
    assert codes(ingreso33({"@Total": total})) == expected


def test_sum_of_traslados_excludes_exempt_ones() -> None:
    assert codes(exempt()) == set()


def test_cfdi33159_rejects_transferred_isr_at_any_rate() -> None:
    """No code covers the taxes that may be transferred, so the code of the rate reports it."""
    line = concepto(traslados=[tax("200.00", "001", "0.100000")])
    assert codes(ingreso33(concepts=[line])) == {"CFDI33159", "CFDI33193"}


def test_cuota_of_an_earlier_year_is_not_evaluated() -> None:
    """The in-memory catalogs have the cuota of 2026 only."""
    row = tax("200.00", "003", "0.500000", factor="Cuota")
    text = ingreso33(concepts=[concepto(traslados=[row])])
    assert {"CFDI33159", "CFDI33193"} <= unknown(text)


@pytest.mark.parametrize(
    ("number", "expected"), [("12  48  3009  0001234", set()), ("11  48  3009  0001234", {"CFDI33170"})]
)
def test_cfdi33170_accepts_pedimentos_of_the_last_ten_years(number: str, expected: set[str]) -> None:
    assert codes(ingreso33({"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": number})) == expected


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"@LugarExpedicion": "00001"}, "CFDI33125"),
        ({"Conceptos/Concepto/@ClaveProdServ": "00000009"}, "CFDI33142"),
    ],
)
def test_rules_on_later_catalogs_warn(changes: dict[str, Change], code: str) -> None:
    finding = only(ingreso33(changes))
    assert (finding.code, finding.severity) == (code, Severity.WARNING)


def test_finding_names_the_list_that_it_rests_on() -> None:
    """Therefore a stale list downgrades it to a warning."""
    (finding,) = checked(ingreso33({"Receptor/@Rfc": "ZZZ010101AAA"})).findings
    assert (finding.code, finding.rests_on) == ("CFDI33132", frozenset({DataRequirement.TAXPAYERS}))
    border = [finding for finding in checked(border_invoice()).findings if finding.path.startswith("Conceptos")]
    assert [finding.rests_on for finding in border] == [{DataRequirement.OBLIGATIONS}]


def test_rules_on_taxpayers_are_not_evaluated_without_the_list() -> None:
    assert {"CFDI33132", "CFDI33134"} <= unknown(ingreso33({"Receptor/@ResidenciaFiscal": "USA"}), taxpayers=None)


def test_rules_on_a_generic_receiver_need_no_list() -> None:
    text = ingreso33(receiver=public_at("42501"), uso="P01")
    assert codes(text, taxpayers=None) == set()
    assert "CFDI33132" not in unknown(text, taxpayers=None)


def test_rows_that_the_sat_does_not_apply_have_no_findings() -> None:
    lines = [concepto({"@ValorUnitario": "200.000", "@Importe": "200.000"})]
    assert codes(ingreso33(concepts=lines)) == set()
    assert codes(with_isr_withheld({"Impuestos/Retenciones/Retencion/@Importe": "20.000"})) == set()
