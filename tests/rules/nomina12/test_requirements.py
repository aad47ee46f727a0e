"""Combinations: several payrolls, deceased workers, subsidies and their adjustments, incapacities."""

from __future__ import annotations

import pytest
from tests.support.rules import checked, codes, only

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.nomina12 import Nomina, ReceptorNomina
from timbra.examples import ExampleNode, nomina
from timbra.examples.codes.example import at
from timbra.examples.codes.nomina12 import deceased, misplaced
from timbra.examples.nomina12 import (
    balance,
    dated,
    deduction,
    earned,
    employed,
    incapacity,
    other,
    overtime,
    payroll,
    shares,
    subsidy,
)
from timbra.rules.engine.profiles import STAMP

CONCEPTO, NOMINA, WORKER = Concepto.PATH, Nomina.PATH, ReceptorNomina.PATH
OTHERS = "Complemento/Nomina/OtrosPagos"


def kinds(*others: tuple[str, str]) -> set[str]:
    """Return the codes of a receipt with the given other payments."""
    rows = [other(kind, amount, *([subsidy(amount)] if kind == "002" else [])) for kind, amount in others]
    return codes(nomina(payrolls=[employed(others=rows)]))


def test_receipt_with_every_node_is_valid() -> None:
    rows = [
        earned("001", "6000.00"),
        earned("014", "200.00"),
        earned("019", "100.00", "100.00", overtime()),
        earned("022", "0.00", "3000.00"),
        earned("039", "500.00"),
        earned("045", "200.00", "0.00", shares()),
    ]
    node = employed(
        rows,
        withheld=[deduction("001", "150.00"), deduction("002", "800.00"), deduction("002", "20.00")],
        others=[other("002", "0.00", subsidy("50.00")), other("004", "75.00", balance("2025"))],
        incapacities=[incapacity("150.00"), incapacity("50.00")],
    )
    outcome = checked(nomina(payrolls=[node]))
    assert outcome.findings == ()


def test_nom20_sums_several_payrolls() -> None:
    both = [payroll(), payroll([earned("022", "300.00")], withheld=[deduction("002", "20.00")])]
    text = nomina(payrolls=both)
    assert 'ValorUnitario="500.00"' in text
    assert codes(text) == set()
    assert codes(nomina(at(CONCEPTO, ValorUnitario="390.00"), payrolls=[payroll(), payroll()])) == {"NOM20"}


def test_finding_names_its_payroll() -> None:
    wrong = payroll(changes={"Receptor/@TipoRegimen": "03"})
    finding = only(nomina(payrolls=[payroll(), wrong]))
    assert (finding.code, finding.path) == ("NOM58", "Complemento/Nomina[2]/Receptor/@TipoRegimen")


def test_nom11_requires_regime_605_for_deceased_workers() -> None:
    assert codes(deceased("605").to_xml(nomina)) == set()
    assert codes(deceased("616").to_xml(nomina)) == {"NOM11", "CFDI40159"}


def test_misplaced_second_complement_has_three_findings() -> None:
    there = ExampleNode("cfdi:ComplementoConcepto", children=[dated(payroll(), "2026-11-17")])
    found = checked(nomina({f"{CONCEPTO}/ComplementoConcepto": there})).findings
    assert [(finding.code, finding.path) for finding in found] == [
        ("NOM13", "Conceptos/Concepto"),
        ("NOM28", "Conceptos/Concepto[1]/ComplementoConcepto"),
        ("NOM30", "Conceptos/Concepto[1]/ComplementoConcepto/Nomina"),
    ]


def test_misplaced_complement_is_not_reported_as_missing() -> None:
    finding = only(misplaced().to_xml(nomina))
    assert (finding.code, finding.path) == ("NOM30", "Conceptos/Concepto[1]/ComplementoConcepto/Nomina")


@pytest.mark.parametrize(
    ("others", "rejected"),
    [
        ([("002", "10.00")], set()),
        ([("007", "10.00")], set()),
        ([("008", "10.00")], set()),
        ([("007", "10.00"), ("008", "10.00")], set()),
        ([("002", "10.00"), ("007", "10.00")], {"NOM105"}),
        ([("003", "10.00")], {"NOM105"}),
        ([], {"NOM105"}),
    ],
)
def test_subsidy_or_its_adjustment_is_required_for_workers(others: list[tuple[str, str]], rejected: set[str]) -> None:
    assert kinds(*others) == rejected


@pytest.mark.parametrize("kind", ["002", "007", "008"])
def test_nom106_forbids_subsidies_for_others(kind: str) -> None:
    row = other(kind, "10.00", *([subsidy("10.00")] if kind == "002" else []))
    assert codes(nomina(payrolls=[payroll(others=[row])])) == {"NOM106"}


@pytest.mark.parametrize(
    ("paid", "last", "year", "holds"),
    [
        ("2026-11-17", "2026-11-17", "2025", True),
        ("2026-11-17", "2026-11-17", "2026", False),
        ("2026-12-15", "2026-12-15", "2026", True),
        ("2026-12-01", "2026-11-30", "2026", True),
        ("2026-11-30", "2026-12-15", "2026", True),
        ("2027-01-05", "2026-12-31", "2026", True),
        ("2027-01-05", "2026-12-31", "2027", False),
        ("2026-12-15", "2026-12-15", "2024", False),
    ],
)
def test_nom103_requires_the_year_before_except_in_december(paid: str, last: str, year: str, holds: bool) -> None:
    rows = [other("004", "50.00", balance(year))]
    node = payroll(changes={"@FechaPago": paid, "@FechaFinalPago": last}, others=rows)
    assert codes(nomina(payrolls=[node])) == (set() if holds else {"NOM103"})


def test_nom95_sums_rows_of_incapacity() -> None:
    paid = [earned("014", "100.00"), earned("014", "50.00", "50.00")]
    assert codes(nomina(payrolls=[payroll(paid, incapacities=[incapacity("150.00"), incapacity("50.00")])])) == set()
    withheld = [deduction("006", "15.00"), deduction("006", "5.00")]
    assert codes(nomina(payrolls=[payroll(withheld=withheld, incapacities=[incapacity("20.00")])])) == set()
    finding = only(nomina(payrolls=[payroll(withheld=withheld, incapacities=[incapacity("15.00")])]))
    assert (finding.code, finding.path, finding.found) == (
        "NOM95",
        "Complemento/Nomina/Deducciones/Deduccion[1]/@Importe",
        "20.00",
    )


def test_nom44_names_the_missing_attributes() -> None:
    missing = at(WORKER, RiesgoPuesto=None, NumSeguridadSocial=None)
    finding = only(nomina(missing, payrolls=[employed()]))
    assert (finding.code, finding.path) == ("NOM44", "Complemento/Nomina/Receptor/@NumSeguridadSocial")
    assert finding.expected == "NumSeguridadSocial, RiesgoPuesto, por el RegistroPatronal del patrón"


@pytest.mark.parametrize("discount", ["0", "0.00"])
def test_discount_of_zero_is_accepted(discount: str) -> None:
    assert codes(nomina({**at(CONCEPTO, Descuento=discount), "@Descuento": discount})) == set()


def test_nom81_rejects_attributes_of_the_other_kind_of_retirement() -> None:
    node = payroll([earned("001"), earned("044")])
    parts = "Complemento/Nomina/Percepciones/JubilacionPensionRetiro"
    assert codes(nomina(at(parts, TotalUnaExhibicion="10.00"), payrolls=[node])) == {"NOM81", "NOM89", "NOM90"}


def test_nom78_rejects_nodes_without_their_percepcion() -> None:
    there = ExampleNode("nomina12:SeparacionIndemnizacion", {"TotalPagado": "1.00", "NumAñosServicio": "1"})
    finding = only(nomina({f"{NOMINA}/Percepciones/SeparacionIndemnizacion": there}))
    assert (finding.code, finding.path) == ("NOM78", "Complemento/Nomina/Percepciones/SeparacionIndemnizacion")


def test_totals_of_other_payments_are_required() -> None:
    assert codes(nomina(at(NOMINA, TotalOtrosPagos=None), payrolls=[employed()])) == {"NOM40"}
    assert codes(nomina({OTHERS: None}, payrolls=[employed()])) == {"NOM105", "NOM111"}


def test_findings_of_absent_values_have_their_place() -> None:
    """A total of the head, keys of the worker, present and absent rows."""
    changes = {
        **at(NOMINA, TotalPercepciones="210.00"),
        **at(WORKER, PeriodicidadPago="50"),
        f"{NOMINA}/Percepciones/Percepcion/@TipoPercepcion": "014",
        f"{NOMINA}/Emisor/@Curp": "XOJI740919MQTDMN02",
    }
    node = employed(withheld=[deduction("999", "10.00")], others=[other("003", "0.00")])
    found = [finding.code for finding in checked(nomina(changes, payrolls=[node])).findings]
    assert found == ["NOM20", "NOM21", "NOM37", "NOM5", "NOM60", "NOM93", "NOM105", "NOM100", "NOM86"]


@pytest.mark.parametrize(
    ("child", "code"),
    [
        ("CuentaPredial/@Numero", "NOM27"),
        ("InformacionAduanera/@NumeroPedimento", "NOM26"),
        ("Parte/@Descripcion", "NOM29"),
    ],
)
def test_nom13_rejects_a_concepto_with_children(child: str, code: str) -> None:
    found = codes(nomina({f"{CONCEPTO}/{child}": "1"}))
    assert {"NOM13", code} <= found


def test_nom13_names_the_children_of_the_concepto() -> None:
    findings = checked(nomina({f"{CONCEPTO}/CuentaPredial/@Numero": "1"})).findings
    nom13 = next(finding for finding in findings if finding.code == "NOM13")
    assert (nom13.found, nom13.path) == ("CuentaPredial", "Conceptos/Concepto")


def test_unknown_unit_is_reported_by_the_matrix_of_the_invoice_first() -> None:
    findings = checked(nomina(at(CONCEPTO, ClaveUnidad="ZZZ")), profile=STAMP).findings
    assert [finding.code for finding in findings] == ["CFDI40165", "NOM17"]


def test_findings_of_the_invoice_precede_those_of_nomina() -> None:
    changes = {**at(CONCEPTO, ClaveUnidad="E48"), "Conceptos/Concepto/@ObjetoImp": "99"}
    findings = checked(nomina(changes), profile=STAMP).findings
    assert [finding.code for finding in findings] == ["CFDI40170", "NOM17", "NOM23"]
