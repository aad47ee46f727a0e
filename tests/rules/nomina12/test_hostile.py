"""Rules of payrolls return results for every payroll that the schema accepts; they never raise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.rules import checked

from timbra.cfdi.nodes.nomina12 import (
    Deducciones,
    EmisorNomina,
    EntidadSNCF,
    JubilacionPensionRetiro,
    Nomina,
    Percepcion,
    Percepciones,
    ReceptorNomina,
)
from timbra.examples import nomina
from timbra.examples.lists import CoordinatedEntities
from timbra.examples.nomina12 import balance, deduction, earned, employed, incapacity, other, overtime, shares, subsidy
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import Severity
from timbra.rules.rulesets.nomina12 import RULE_SET

EVERYTHING = Profile("everything", dict.fromkeys((rule.code for rule in RULE_SET.rules), Severity.ERROR))
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40)
KEYS = st.sampled_from(["O", "E", "01", "02", "09", "99", "IM", "IP", "039", "044", "014", "006", "007"])
NUMBER = st.from_regex(r"[+-]?[0-9]{1,70}(\.[0-9]{0,70})?", fullmatch=True)
DATE = st.dates().map(str) | st.sampled_from(["0001-01-01", "9999-12-31", "2026-02-30", "20261117", "2026-W47"])
LENGTH = st.from_regex(r"P([0-9]{1,6}W|([0-9]{1,5}Y)?([0-9]{1,3}M)?[0-9]{1,4}D)", fullmatch=True)

NOMINA, EMPLOYER, ENTITY, WORKER = Nomina.PATH, EmisorNomina.PATH, EntidadSNCF.PATH, ReceptorNomina.PATH
EARNINGS, EARNED, RETIREMENT = Percepciones.PATH, Percepcion.PATH, JubilacionPensionRetiro.PATH
DEDUCTIONS, OTHERS = Deducciones.PATH, "Complemento/Nomina/OtrosPagos"

TEXTS = [
    "@TipoDeComprobante",
    "Emisor/@Rfc",
    "Receptor/@Rfc",
    "Conceptos/Concepto/@Descripcion",
    f"{NOMINA}/@TipoNomina",
    f"{EMPLOYER}/@RegistroPatronal",
    f"{EMPLOYER}/@RfcPatronOrigen",
    f"{ENTITY}/@OrigenRecurso",
    f"{WORKER}/@TipoContrato",
    f"{WORKER}/@TipoRegimen",
    f"{WORKER}/@PeriodicidadPago",
    f"{WORKER}/@CuentaBancaria",
    f"{WORKER}/@Banco",
    f"{WORKER}/@ClaveEntFed",
    f"{WORKER}/SubContratacion/@RfcLabora",
    f"{EARNED}/@TipoPercepcion",
    f"{EARNED}[2]/HorasExtra/@TipoHoras",
    f"{DEDUCTIONS}/Deduccion/@TipoDeduccion",
    f"{OTHERS}/OtroPago/@TipoOtroPago",
    f"{OTHERS}/OtroPago[2]/CompensacionSaldosAFavor/@Año",
    f"{NOMINA}/Incapacidades/Incapacidad/@TipoIncapacidad",
]
NUMBERS = [
    f"{NOMINA}/@NumDiasPagados",
    f"{NOMINA}/@TotalPercepciones",
    f"{NOMINA}/@TotalDeducciones",
    f"{NOMINA}/@TotalOtrosPagos",
    f"{ENTITY}/@MontoRecursoPropio",
    f"{WORKER}/@CuentaBancaria",
    f"{WORKER}/SubContratacion/@PorcentajeTiempo",
    f"{EARNINGS}/@TotalSueldos",
    f"{EARNINGS}/@TotalGravado",
    f"{EARNED}/@ImporteGravado",
    f"{EARNED}/@ImporteExento",
    f"{RETIREMENT}/@TotalParcialidad",
    f"{DEDUCTIONS}/@TotalImpuestosRetenidos",
    f"{DEDUCTIONS}/Deduccion/@Importe",
    f"{OTHERS}/OtroPago/@Importe",
    f"{OTHERS}/OtroPago/SubsidioAlEmpleo/@SubsidioCausado",
    f"{OTHERS}/OtroPago[2]/CompensacionSaldosAFavor/@Año",
    f"{NOMINA}/Incapacidades/Incapacidad/@ImporteMonetario",
]
DATES = [
    f"{NOMINA}/@FechaPago",
    f"{NOMINA}/@FechaInicialPago",
    f"{NOMINA}/@FechaFinalPago",
    f"{WORKER}/@FechaInicioRelLaboral",
]
NODES = [EARNINGS, DEDUCTIONS, OTHERS, EMPLOYER, f"{NOMINA}/Incapacidades"]

CHANGES = st.dictionaries(st.sampled_from(TEXTS), TEXT | KEYS, max_size=6)
AMOUNTS = st.dictionaries(st.sampled_from(NUMBERS), NUMBER, max_size=6)
WHEN = st.dictionaries(st.sampled_from(DATES), DATE)


@given(CHANGES, AMOUNTS, WHEN, LENGTH, st.sets(st.sampled_from(NODES)))
def test_rules_return_findings_for_any_payroll(
    texts: dict[str, str], amounts: dict[str, str], dates: dict[str, str], length: str, without: set[str]
) -> None:
    rows = [earned("001"), earned("019", "200.00", "0.00", overtime()), earned("039"), earned("014")]
    node = employed(
        [*rows, earned("045", "200.00", "0.00", shares())],
        withheld=[deduction("002", "10.00"), deduction("006", "5.00")],
        others=[other("002", "0.00", subsidy("0.00")), other("004", "5.00", balance("2025"))],
        incapacities=[incapacity("200.00")],
    )
    changes = {**texts, **amounts, **dates, f"{WORKER}/@Antigüedad": length, **dict.fromkeys(without)}
    for finding in checked(
        nomina(changes, payrolls=[node]), profile=EVERYTHING, coordinated=CoordinatedEntities(frozenset())
    ).findings:
        assert finding.detail
        assert finding.path
