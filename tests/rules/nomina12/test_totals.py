"""Totals of payrolls: exact sums are accepted, one cent more or less is rejected."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.rules import codes

from timbra.cfdi.nodes.nomina12 import Deducciones, Nomina, Percepciones
from timbra.examples import ExampleNode, nomina
from timbra.examples.nomina12 import deduction, earned, other, payroll

NOMINA, EARNINGS, DEDUCTIONS = Nomina.PATH, Percepciones.PATH, Deducciones.PATH
OTHERS = "Complemento/Nomina/OtrosPagos"
AMOUNT = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("999999.99"), places=2).map(str)
EXEMPT = st.decimals(min_value=0, max_value=Decimal("999999.99"), places=2).map(str)
EARNED = st.lists(st.builds(earned, st.sampled_from(["001", "022", "023", "044", "046"]), AMOUNT, EXEMPT), min_size=1)
WITHHELD = st.lists(st.builds(deduction, st.sampled_from(["001", "002", "004"]), AMOUNT))
PAID = st.lists(st.builds(other, st.sampled_from(["001", "003", "999"]), AMOUNT))


@given(EARNED, WITHHELD, PAID)
def test_exact_totals_are_accepted(
    rows: list[ExampleNode], withheld: list[ExampleNode], paid: list[ExampleNode]
) -> None:
    """The matrix of payrolls does not check whether the net wage is negative."""
    node = payroll(rows, withheld=withheld, others=paid)
    assert codes(nomina(payrolls=[node])) <= {"CFDI40110", "CFDI40169"}


TOTALS = {
    f"{NOMINA}/@TotalPercepciones": "NOM37",
    f"{NOMINA}/@TotalDeducciones": "NOM39",
    f"{NOMINA}/@TotalOtrosPagos": "NOM40",
    f"{EARNINGS}/@TotalSueldos": "NOM70",
    f"{EARNINGS}/@TotalSeparacionIndemnizacion": "NOM71",
    f"{EARNINGS}/@TotalJubilacionPensionRetiro": "NOM72",
    f"{EARNINGS}/@TotalGravado": "NOM73",
    f"{EARNINGS}/@TotalExento": "NOM74",
    f"{DEDUCTIONS}/@TotalImpuestosRetenidos": "NOM91",
    f"{DEDUCTIONS}/@TotalOtrasDeducciones": "NOM111",
}


def everything() -> ExampleNode:
    return payroll(
        [earned("001", "100.00", "100.00"), earned("022"), earned("039")],
        withheld=[deduction("002", "10.00"), deduction("004", "5.00")],
        others=[other("003", "5.00")],
    )


@pytest.mark.parametrize("cent", ["0.01", "-0.01"])
@pytest.mark.parametrize(("total", "code"), TOTALS.items(), ids=TOTALS.values())
def test_total_rejects_a_cent_more_or_less(total: str, code: str, cent: str) -> None:
    name = total.partition("@")[2]
    text = nomina(payrolls=[everything()])
    written = Decimal(text.partition(f'{name}="')[2].partition('"')[0])
    assert code in codes(nomina({total: str(written + Decimal(cent))}, payrolls=[everything()]))


@pytest.mark.parametrize("node", [f"{EARNINGS}/SeparacionIndemnizacion", OTHERS, DEDUCTIONS])
def test_totals_require_their_nodes(node: str) -> None:
    assert codes(nomina(payrolls=[everything()])) == set()
    assert codes(nomina({node: None}, payrolls=[everything()])) & {"NOM78", "NOM38", "NOM39", "NOM111"}


def test_totals_sum_a_thousand_rows() -> None:
    rows = [earned("001", "1.00", "1.00") for _ in range(1000)]
    withheld = [deduction("002", "0.10") for _ in range(1000)]
    assert codes(nomina(payrolls=[payroll(rows, withheld=withheld)])) == set()
