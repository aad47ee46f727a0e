"""Rules that depend on taxpayer lists and catalogs, with and without these lists."""

from __future__ import annotations

from datetime import date

import pytest
from tests.support.reference_data import InMemoryCatalogs, registry
from tests.support.rules import checked, codes, only, unknown

from timbra.examples import CASAS, KEMPER, ROBOTICA, XODAR, concepto, global_invoice, ingreso, tax
from timbra.examples.codes.conceptos import on_behalf
from timbra.examples.codes.receptor import invoice_abroad
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.ports import Taxpayer
from timbra.rules.engine.profiles import STAMP, VALIDATE, Profile, VendorLeniency, profiles_of
from timbra.rules.engine.result import DataRequirement, Severity
from timbra.rules.reference.messages import full_message

THIRD = "Conceptos/Concepto/ACuentaTerceros"
POSTAL = "Receptor/@DomicilioFiscalReceptor"
CUSTOMS = "Conceptos/Concepto/InformacionAduanera/@NumeroPedimento"


@pytest.mark.parametrize("profile", [STAMP, VALIDATE], ids=lambda profile: profile.name)
@pytest.mark.parametrize(
    ("postal_code", "code", "reported_as"), [("42501", "CFDI40148", "CFDI40147"), ("99999", "CFDI40147", None)]
)
def test_any_other_postal_code_is_reported_as_cfdi40147(
    postal_code: str, code: str, reported_as: str | None, profile: Profile
) -> None:
    finding = only(ingreso({POSTAL: postal_code}), profile=profile)
    assert (finding.code, finding.reported_as) == (code, reported_as)
    assert (finding.found, finding.path) == (postal_code, POSTAL)
    assert full_message(finding.code).startswith("CFDI40147 - ")
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


@pytest.mark.parametrize(
    ("path", "codes_of_no_name", "code_of_other_name"),
    [
        ("Emisor/@Nombre", {"CFDI40138", "CFDI40139"}, "CFDI40139"),
        ("Receptor/@Nombre", {"CFDI40144", "CFDI40145"}, "CFDI40145"),
        (f"{THIRD}/@NombreACuentaTerceros", {"CFDI40189", "CFDI40190"}, "CFDI40190"),
    ],
)
def test_name_is_looked_up_among_all_registered_names(
    path: str, codes_of_no_name: set[str], code_of_other_name: str
) -> None:
    assert codes(on_behalf({path: "NADIE CON ESTE NOMBRE"})) == codes_of_no_name
    assert codes(on_behalf({path: XODAR.name})) == {code_of_other_name}
    assert unknown(on_behalf({path: XODAR.name}), names=None) == codes_of_no_name - {code_of_other_name}


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("Emisor/@Nombre", KEMPER.name, ["CFDI40139", "CFDI40138"]),
        ("Receptor/@Nombre", ROBOTICA.name, ["CFDI40145", "CFDI40144"]),
        (f"{THIRD}/@NombreACuentaTerceros", XODAR.name, ["CFDI40190", "CFDI40189"]),
    ],
)
def test_name_of_another_than_its_rfc_is_reported_first_whether_similar_or_not(
    path: str, name: str, expected: list[str]
) -> None:
    for other in ("NADIE CON ESTE NOMBRE", f"{name[:-1]}X"):
        assert [finding.code for finding in checked(on_behalf({path: other})).findings] == expected


def test_name_of_no_taxpayer_has_the_hint_of_its_rfc() -> None:
    text = ingreso({"Receptor/@Nombre": f"{ROBOTICA.name} SA DE CV"})
    findings = {finding.code: finding for finding in checked(text).findings}
    assert findings["CFDI40144"].hint == findings["CFDI40145"].hint
    assert findings["CFDI40144"].hint


def test_registered_name_of_an_unregistered_issuer_passes_cfdi40138() -> None:
    lists = registry()
    del lists.taxpayers[KEMPER.rfc]
    lists.add("TES030201001", KEMPER.name, "06300", "601")
    assert "CFDI40138" not in codes(ingreso(), taxpayers=lists, names=lists)


def test_rules_on_taxpayers_are_not_evaluated_without_the_list() -> None:
    expected = {f"CFDI40{number}" for number in (138, 139, 143, 144, 145, 147, 148, 999)}
    assert unknown(ingreso(), taxpayers=None) == expected
    assert codes(ingreso({POSTAL: "42501", "Receptor/@Nombre": "OTRO"}), taxpayers=None) == set()


def test_rules_on_a_generic_receiver_are_evaluated_without_the_list() -> None:
    assert unknown(global_invoice(), taxpayers=None) == {"CFDI40138", "CFDI40139"}
    assert codes(global_invoice({POSTAL: "86991"}), taxpayers=None) == {"CFDI40149"}


def test_cfdi40144_requires_the_list_of_names() -> None:
    text = ingreso({"Receptor/@Nombre": "OTRO"})
    assert codes(text, names=None) == {"CFDI40145"}
    assert unknown(text, names=None) == {"CFDI40144"}
    assert unknown(text, names=registry()) == set()
    for profile in (STAMP, VALIDATE):
        assert codes(text, names=registry(), profile=profile) == {"CFDI40144", "CFDI40145"}


REGIME = "Receptor/@RegimenFiscalReceptor"


def test_cfdi40158_rejects_a_regime_of_the_other_kind_of_person() -> None:
    found = checked(ingreso({REGIME: "612"})).findings
    assert [finding.code for finding in found if finding.path == REGIME] == ["CFDI40158"]


@pytest.mark.parametrize("profile", [STAMP, VALIDATE], ids=lambda profile: profile.name)
def test_regime_that_is_not_registered_is_an_error_of_its_own(profile: Profile) -> None:
    finding = only(ingreso({REGIME: "603"}), profile=profile)
    assert (finding.code, finding.path, finding.severity) == ("CFDI40999", REGIME, Severity.ERROR)
    assert finding.expected == "un régimen inscrito del receptor (l_RFC): 601"
    assert finding.rests_on == {DataRequirement.TAXPAYERS}


def test_regime_is_not_compared_without_the_list() -> None:
    assert codes(ingreso({REGIME: "603"}), taxpayers=None, names=None) == set()
    assert "CFDI40999" in unknown(ingreso(), taxpayers=None, names=None)


@pytest.mark.parametrize("profile", [STAMP, VALIDATE], ids=lambda profile: profile.name)
def test_objeto_imp_02_with_withholdings_only_is_a_warning(profile: Profile) -> None:
    withheld = concepto(traslados=[], retenciones=[tax("200.00", "001", "0.100000")])
    finding = next(
        finding
        for finding in checked(ingreso(concepts=[withheld]), profile=profile).findings
        if finding.path == "Conceptos/Concepto[1]/Impuestos"
    )
    assert (finding.code, finding.severity) == ("CFDI40999", Severity.WARNING)
    assert "Traslados" in finding.detail
    assert "2.5.3" in finding.detail


@pytest.mark.parametrize(
    ("uso", "rejected"), [("S01", set()), ("G03", {"CFDI40161"}), ("G02", {"CFDI40161"}), ("CP01", {"CFDI40161"})]
)
def test_cfdi40161_requires_use_s01_for_sales_to_the_public(uso: str, rejected: set[str]) -> None:
    assert codes(global_invoice({"Receptor/@UsoCFDI": uso})) == rejected


@pytest.mark.parametrize(
    ("uso", "rejected"), [("S01", set()), ("CP01", {"CFDI40161"}), ("G02", {"CFDI40161"}), ("G03", {"CFDI40161"})]
)
def test_cfdi40161_requires_use_s01_for_foreigners(uso: str, rejected: set[str]) -> None:
    assert codes(invoice_abroad({"Receptor/@UsoCFDI": uso})) == rejected


@pytest.mark.parametrize(("uso", "severity"), [("CP01", "warning"), ("G02", "warning"), ("G03", "error")])
def test_cfdi40161_warns_of_an_admitted_use_of_foreigners_by_the_decision_of_the_vendor(
    uso: str, severity: str
) -> None:
    profiles = profiles_of([VendorLeniency.FOREIGN_USE])
    for profile in (profiles.stamp, profiles.validate):
        found = checked(invoice_abroad({"Receptor/@UsoCFDI": uso}), profile=profile).findings
        assert [(finding.code, finding.severity) for finding in found] == [("CFDI40161", severity)]
        domestic = checked(global_invoice({"Receptor/@UsoCFDI": uso}), profile=profile).findings
        assert [(finding.code, finding.severity) for finding in domestic] == [("CFDI40161", "error")]


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
        ("25  48  3009  0001234", False),
        ("16  48  3009  0001234", False),
        ("27  48  3009  0001234", True),
        ("25  99  3009  0001234", True),
        ("25  48  0000  0001234", True),
        ("25  48  3009  1000000", True),
        ("25  48  3009  1000001", False),
        ("25  01  3009  0001234", True),
        ("25 48 3009 0001234", True),
        ("", True),
    ],
)
def test_cfdi40194_checks_pedimentos(number: str, rejected: bool) -> None:
    text = ingreso({CUSTOMS: number})
    assert codes(text) == ({"CFDI40194"} if rejected else set())
    assert unknown(text) == set()


def test_cfdi40194_is_not_evaluated_for_a_row_that_may_be_newer_than_the_table() -> None:
    class Older(InMemoryCatalogs):
        def published(self, catalog: str) -> date:
            return date(2026, 8, 21)

    missing = ingreso({CUSTOMS: "25  01  3009  0001234"})
    assert (codes(missing, catalogs=Older()), unknown(missing, catalogs=Older())) == (set(), {"CFDI40194"})
    assert unknown(ingreso({CUSTOMS: "25  48  3009  0001234"}), catalogs=Older()) == set()


def test_cfdi40194_rejects_a_number_above_the_quantity() -> None:
    catalogs = InMemoryCatalogs()
    catalogs.keys["c_NumPedimentoAduana"]["48|3009|25"] = {"cantidad": "1233"}
    assert (
        only(ingreso({CUSTOMS: "25  48  3009  0001234"}), catalogs=catalogs).expected
        == "un número de 000001 a 001233 al final"
    )


def test_cfdi40194_is_not_evaluated_without_the_table() -> None:
    catalogs = InMemoryCatalogs()
    del catalogs.keys["c_NumPedimentoAduana"]
    assert unknown(ingreso({CUSTOMS: "25  48  3009  0001234"}), catalogs=catalogs) == {"CFDI40194"}


def test_cfdi40164_accepts_a_product_that_requires_iva_only_with_iva() -> None:
    product = {"@ClaveProdServ": "80111700"}
    assert codes(ingreso(concepts=[concepto(product)])) == set()
    (finding,) = (only(ingreso(concepts=[concepto(product, traslados=[tax("200.00", "003", "0.080000")])])),)
    assert (finding.code, finding.expected) == ("CFDI40164", "un Traslado con Impuesto 002")


def test_cfdi40163_accepts_the_complement_that_the_product_requires() -> None:
    catalogs = InMemoryCatalogs(version="with complements")
    row = {**catalogs.keys["c_ClaveProdServ"]["50211503"], "complemento": "instEducativas"}
    catalogs.keys["c_ClaveProdServ"]["50211503"] = row
    text = ingreso({"Conceptos/Concepto/@ClaveProdServ": "50211503"})
    assert codes(text, catalogs=catalogs) == {"CFDI40163"}
    assert codes(text) == set()
    school = ExampleNode("iedu:instEducativas", {"version": "1.0"})
    carried = ingreso(
        {
            "@xmlns:iedu": "http://www.sat.gob.mx/iedu",
            "Conceptos/Concepto/@ClaveProdServ": "50211503",
            "Conceptos/Concepto/ComplementoConcepto/instEducativas": school,
        }
    )
    assert "CFDI40163" not in codes(carried, catalogs=catalogs)


def test_cfdi40161_distinguishes_persons_by_their_rfc() -> None:
    person = ingreso(receiver=CASAS, uso="D01")
    assert codes(person) == set()
    assert codes(ingreso(receiver=CASAS, uso="CN01")) == {"CFDI40161"}
