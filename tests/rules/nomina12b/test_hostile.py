"""Rules of payrolls of CFDI 3.3 return results for every payroll that the schema accepts; they never raise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.hostile_values import NUMBER, TEXT
from tests.support.rules import checked

from timbra.examples import nomina33
from timbra.examples.nomina12 import balance, deduction, earned, employed, incapacity, other, overtime, shares, subsidy
from timbra.examples.tree import Change

NOMINA = "Complemento/Nomina"
DAY = st.dates().map(str) | st.sampled_from(["2022-02-30", "0001-01-01", "9999-12-31", " 2022-11-17 "])

TEXTS = [
    "@FormaPago",
    "Receptor/@Rfc",
    "Conceptos/Concepto/@Descripcion",
    f"{NOMINA}/@TipoNomina",
    f"{NOMINA}/Emisor/@Curp",
    f"{NOMINA}/Receptor/@Antigüedad",
    f"{NOMINA}/Receptor/@TipoContrato",
    f"{NOMINA}/Receptor/@TipoRegimen",
    f"{NOMINA}/Receptor/@CuentaBancaria",
    f"{NOMINA}/Receptor/@Banco",
    f"{NOMINA}/Receptor/@ClaveEntFed",
    f"{NOMINA}/Percepciones/Percepcion/@TipoPercepcion",
    f"{NOMINA}/Percepciones/Percepcion/HorasExtra/@TipoHoras",
    f"{NOMINA}/Deducciones/Deduccion/@TipoDeduccion",
    f"{NOMINA}/OtrosPagos/OtroPago/@TipoOtroPago",
    f"{NOMINA}/OtrosPagos/OtroPago[2]/CompensacionSaldosAFavor/@Año",
    f"{NOMINA}/Incapacidades/Incapacidad/@TipoIncapacidad",
]
NUMBERS = [
    f"{NOMINA}/@NumDiasPagados",
    f"{NOMINA}/@TotalPercepciones",
    f"{NOMINA}/@TotalDeducciones",
    f"{NOMINA}/@TotalOtrosPagos",
    f"{NOMINA}/Emisor/EntidadSNCF/@MontoRecursoPropio",
    f"{NOMINA}/Receptor/SubContratacion/@PorcentajeTiempo",
    f"{NOMINA}/Percepciones/@TotalGravado",
    f"{NOMINA}/Percepciones/Percepcion/@ImporteExento",
    f"{NOMINA}/Deducciones/Deduccion/@Importe",
    f"{NOMINA}/OtrosPagos/OtroPago/SubsidioAlEmpleo/@SubsidioCausado",
    f"{NOMINA}/OtrosPagos/OtroPago[2]/CompensacionSaldosAFavor/@SaldoAFavor",
    f"{NOMINA}/Incapacidades/Incapacidad/@ImporteMonetario",
]
DAYS = [
    f"{NOMINA}/@FechaPago",
    f"{NOMINA}/@FechaInicialPago",
    f"{NOMINA}/@FechaFinalPago",
    f"{NOMINA}/Receptor/@FechaInicioRelLaboral",
]


def everything(changes: dict[str, Change]) -> str:
    """Return a payroll with every node."""
    node = employed(
        [earned("019", "100.00", "0.00", overtime()), earned("045", "1.00", "0.00", shares())],
        withheld=[deduction("006", "20.00")],
        others=[other("002", "0.00", subsidy("0.00")), other("004", "50.00", balance("2021"))],
        incapacities=[incapacity("20.00")],
    )
    return nomina33(changes, payrolls=[node])


@given(
    st.dictionaries(st.sampled_from(TEXTS), TEXT | NUMBER, max_size=5),
    st.dictionaries(st.sampled_from(NUMBERS), NUMBER, max_size=5),
    st.dictionaries(st.sampled_from(DAYS), DAY, max_size=3),
)
def test_rules_return_findings_for_any_payroll(
    texts: dict[str, str], amounts: dict[str, str], days: dict[str, str]
) -> None:
    changes: dict[str, Change] = {**texts, **amounts, **days}
    for finding in checked(everything(changes)).findings:
        assert finding.detail
        assert finding.path
