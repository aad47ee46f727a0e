"""Rules that depend on taxpayer lists and catalogs, with and without these lists."""

from __future__ import annotations

from datetime import date

import pytest
from tests.support.reference_data import InMemoryCatalogs, registry
from tests.support.rules import codes, only, unknown

from timbra.examples import CASAS, ROBOTICA, concepto, global_invoice, ingreso, tax
from timbra.examples.codes.conceptos import CUSTOMS, PEDIMENTO
from timbra.examples.codes.receptor import abroad
from timbra.rules.engine.ports import Taxpayer
from timbra.rules.engine.profiles import STAMP

POSTAL = "Receptor/@DomicilioFiscalReceptor"


@pytest.mark.parametrize("postal_code", ["42501", "99999"])
def test_stamping_reports_cfdi40147_for_any_other_postal_code(postal_code: str) -> None:
    finding = only(ingreso({POSTAL: postal_code}), profile=STAMP)
    assert (finding.code, finding.found, finding.path) == ("CFDI40147", postal_code, POSTAL)
    assert finding.expected is not None
    assert finding.expected.startswith("86991")


def test_cfdi40147_hint_mentions_commercial_postal_codes() -> None:
    assert "comercial" in (only(ingreso({POSTAL: "42501"})).hint or "")


def test_cfdi40143_has_the_hint_of_the_registry() -> None:
    finding = only(ingreso({"Receptor/@Rfc": "ZZZ010101AAA"}), registry_hint="Se registra así.")
    assert (finding.code, finding.hint) == ("CFDI40143", "Se registra así.")


def test_cfdi40143_rejects_a_cancelled_receiver() -> None:
    lists = registry()
    lists.taxpayers[ROBOTICA.rfc] = Taxpayer(
        ROBOTICA.rfc, ROBOTICA.name, ROBOTICA.postal_code, frozenset(), cancelled=True
    )
    assert codes(ingreso(), taxpayers=lists) == {"CFDI40143"}


def test_rules_skip_empty_fields_of_the_list() -> None:
    lists = registry()
    lists.taxpayers[ROBOTICA.rfc] = Taxpayer(ROBOTICA.rfc, "", "", frozenset())
    changes = {"Receptor/@Nombre": "OTRO", POSTAL: "42501", "Receptor/@RegimenFiscalReceptor": "603"}
    assert codes(ingreso(changes), taxpayers=lists) == set()


def test_rules_on_taxpayers_are_not_evaluated_without_the_list() -> None:
    expected = {f"CFDI40{number}" for number in (138, 139, 143, 144, 145, 147, 148)}
    assert unknown(ingreso(), taxpayers=None) == expected
    assert codes(ingreso({POSTAL: "42501", "Receptor/@Nombre": "OTRO"}), taxpayers=None) == set()


def test_rules_on_a_generic_receiver_are_evaluated_without_the_list() -> None:
    assert unknown(global_invoice(), taxpayers=None) == {"CFDI40138", "CFDI40139"}
    assert codes(global_invoice({POSTAL: "86991"}), taxpayers=None) == {"CFDI40149"}


def test_cfdi40144_requires_the_list_of_names() -> None:
    text = ingreso({"Receptor/@Nombre": "OTRO"})
    assert codes(text) == {"CFDI40145"}
    assert unknown(text) == {"CFDI40144"}
    assert unknown(text, names=registry()) == set()
    assert codes(text, names=registry(), profile=STAMP) == {"CFDI40145"}


@pytest.mark.parametrize("regime", ["612", "603"])
def test_cfdi40158_rejects_a_regime_that_is_not_registered(regime: str) -> None:
    assert "CFDI40158" in codes(ingreso({"Receptor/@RegimenFiscalReceptor": regime}))


@pytest.mark.parametrize(
    ("uso", "rejected"), [("S01", set()), ("G03", {"CFDI40161"}), ("G02", {"CFDI40161"}), ("CP01", {"CFDI40161"})]
)
def test_cfdi40161_requires_use_s01_for_sales_to_the_public(uso: str, rejected: set[str]) -> None:
    assert codes(global_invoice({"Receptor/@UsoCFDI": uso})) == rejected


@pytest.mark.parametrize(("uso", "rejected"), [("S01", set()), ("CP01", set()), ("G02", {"CFDI40161"})])
def test_cfdi40161_requires_use_s01_or_cp01_for_foreigners(uso: str, rejected: set[str]) -> None:
    assert codes(abroad({"Receptor/@UsoCFDI": uso})) == rejected


def test_key_is_checked_on_the_date_of_the_document() -> None:
    catalogs = InMemoryCatalogs(version="dated", since={("c_FormaPago", "03"): date(2026, 11, 17)})
    assert codes(ingreso(fecha="2026-11-17T00:00:00"), catalogs=catalogs) == set()
    assert codes(ingreso(fecha="2026-11-16T23:59:59"), catalogs=catalogs) == {"CFDI40104"}


@pytest.mark.parametrize(
    ("fecha", "rejected"), [("2023-12-11T12:00:00", set()), ("2023-12-12T12:00:00", {"CFDI40172"})]
)
def test_cfdi40172_forbids_taxes_for_objects_04_and_05_since_december_2023(fecha: str, rejected: set[str]) -> None:
    for key in ("04", "05"):
        assert codes(ingreso(concepts=[concepto({"@ObjetoImp": key})], fecha=fecha)) == rejected


def test_cuota_with_a_later_start_is_not_evaluated() -> None:
    row = {**tax("200.00", "003", "10.000000", factor="Cuota"), "Importe": "2000.00"}
    text = ingreso(concepts=[concepto(traslados=[row])])
    assert codes(text) == set()
    earlier = ingreso(concepts=[concepto(traslados=[row])], fecha="2025-12-31T12:00:00")
    assert codes(earlier) == set()
    assert unknown(earlier) == {"CFDI40179", "CFDI40219"}


def test_rates_are_compared_as_numbers() -> None:
    row = {**tax("200.00", "002", "0.160000"), "TasaOCuota": "0.16"}
    text = ingreso({"Impuestos/Traslados/Traslado/@TasaOCuota": "0.160"}, concepts=[concepto(traslados=[row])])
    assert codes(text) == set()


@pytest.mark.parametrize(
    ("number", "rejected"),
    [
        (PEDIMENTO, False),
        ("16  48  3009  0001234", False),
        ("27  48  3009  0001234", True),
        ("25  99  3009  0001234", True),
        ("25  48  0000  0001234", True),
        ("25  48  3009  1000000", True),
        ("25 48 3009 0001234", True),
        ("", True),
    ],
)
def test_cfdi40194_checks_pedimentos(number: str, rejected: bool) -> None:
    text = ingreso({CUSTOMS: number})
    assert codes(text) == ({"CFDI40194"} if rejected else set())
    assert unknown(text) == (set() if rejected else {"CFDI40194"})


def test_cfdi40161_distinguishes_persons_by_their_rfc() -> None:
    person = ingreso(receiver=CASAS, uso="D01")
    assert codes(person) == set()
    assert codes(ingreso(receiver=CASAS, uso="CN01")) == {"CFDI40161"}
