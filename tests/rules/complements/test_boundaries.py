"""Fuel accounts and hydrocarbon contracts: the limits are accepted, one unit beyond them is not."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.boundaries_trade import amounts, assert_equality, few_examples
from tests.support.rules import codes

from timbra.examples import estado_de_cuenta, gasolina, gastos_hidrocarburos, ingreso, ingresos_hidrocarburos
from timbra.examples.codes.ecc12 import ACCOUNT
from timbra.examples.codes.hidrocarburos10 import EXPENSE, INCOME, document, foreign
from timbra.examples.codes.hidroypetro10 import COMPLEMENT
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.conceptos import concepto
from timbra.examples.hidrocarburos10 import income
from timbra.examples.tree import Change, ExampleNode

PURCHASES = st.lists(st.tuples(amounts("0.01", "99999", 2), amounts("0.01", "9999", 2)), min_size=1, max_size=4)


def purchase(amount: Decimal, tax: Decimal) -> ExampleNode:
    transfer = ExampleNode("ecc12:Traslado", {"Impuesto": "IVA", "TasaOCuota": "0.160000", "Importe": str(tax)})
    return ExampleNode(
        "ecc12:ConceptoEstadoDeCuentaCombustible",
        {"Rfc": ROBOTICA.rfc, "TipoCombustible": "1", "Importe": str(amount)},
        [ExampleNode("ecc12:Traslados", children=[transfer])],
    )


@given(PURCHASES)
@few_examples
def test_ecc121_and_ecc122_accept_only_the_sums_of_the_purchases(pairs: list[tuple[Decimal, Decimal]]) -> None:
    subtotal = sum((amount for amount, _ in pairs), Decimal(0))
    taxes = sum((tax for _, tax in pairs), Decimal(0))

    def evaluate(written: str, total: Decimal) -> set[str]:
        changes: dict[str, Change] = {
            f"{ACCOUNT}/Conceptos": ExampleNode("ecc12:Conceptos", children=[purchase(*pair) for pair in pairs]),
            f"{ACCOUNT}/@SubTotal": written,
            f"{ACCOUNT}/@Total": f"{total:.2f}",
        }
        return codes(estado_de_cuenta(changes))

    assert_equality(lambda text: evaluate(text, Decimal(text) + taxes), subtotal, {"ECC121"}, places=2)
    assert_equality(lambda text: evaluate(str(subtotal), Decimal(text)), subtotal + taxes, {"ECC122"}, places=2)


@given(amounts("10", "99999", 2))
@few_examples
def test_ieeh105_accepts_only_the_total_of_the_document(price: Decimal) -> None:
    line = concepto(price=str(price), traslados=[])

    def evaluate(text: str) -> set[str]:
        return codes(ingreso(income(total=text), concepts=[line]))

    assert_equality(evaluate, price, {"IEEH105"}, places=2)


@pytest.mark.parametrize(("share", "accepted"), [("0.001", True), ("0.000", False), ("100.000", True)])
def test_ieeh104_and_gceh116_accept_the_least_share_above_zero(share: str, accepted: bool) -> None:
    assert codes(ingresos_hidrocarburos({f"{INCOME}/@Porcentaje": share})) == (set() if accepted else {"IEEH104"})
    assert codes(gastos_hidrocarburos({f"{EXPENSE}/@Porcentaje": share})) == (set() if accepted else {"GCEH116"})


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 28))
@few_examples
def test_ieeh103_and_gceh115_accept_the_month_of_the_date_or_the_previous(of_date: int, month: int, day: int) -> None:
    date, written = f"2026-{of_date:02}-{day:02}", f"{month:02}"
    related: dict[str, Change] = {
        f"{INCOME}/DocumentoRelacionado/@FechaFolioFiscalVinculado": date,
        f"{INCOME}/DocumentoRelacionado/@Mes": written,
    }
    accepted = (of_date - month) % 12 in (0, 1)
    assert codes(ingresos_hidrocarburos(related)) == (set() if accepted else {"IEEH103"})
    found = codes(gastos_hidrocarburos(document(FechaFolioFiscalVinculado=date, Mes=written)))
    assert found == (set() if accepted else {"GCEH115"})


@given(st.integers(0, 99))
@few_examples
def test_gceh133_accepts_years_of_the_last_ten(year: int) -> None:
    """The document is of 2026."""
    found = codes(gastos_hidrocarburos(foreign(NumeroPedimentoVinculado=f"{year:02}  48  3009  0000001")))
    assert found == (set() if 16 <= year <= 26 else {"GCEH133"})


@pytest.mark.parametrize(
    ("number", "accepted"),
    [
        ("PL/1/EXP/ES/20", False),
        ("PL/1/EXP/ES/201", True),
        (f"PL/{'1' * 20}/EXP/ES/2015", True),
        (f"PL/{'1' * 21}/EXP/ES/2015", False),
    ],
)
def test_cfdi40999_accepts_permit_numbers_of_15_to_35_characters(number: str, accepted: bool) -> None:
    """The shortest numbers also violate the format of their type."""
    found = codes(gasolina({f"{COMPLEMENT}/@NumeroPermiso": number}))
    assert ("CFDI40999" in found) != accepted
