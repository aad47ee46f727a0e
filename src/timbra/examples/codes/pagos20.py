"""Documents of the rules about Recepción de Pagos 2.0: CRP20101 to CRP20279, CRP20999."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from timbra.examples.codes.example import CodeExampleBuilder, Example
from timbra.examples.codes.pagos import CHAIN_ATTRIBUTES, HUGE
from timbra.examples.conceptos import tax
from timbra.examples.pagos20 import document, pago, payment
from timbra.examples.tree import Change, ExampleNode

Row = Mapping[str, str]
"""A tax as `timbra.examples.tax` returns it."""

IVA_ROW: Final = tax("200.00", "002", "0.160000")
IEPS_ROW: Final = tax("200.00", "003", "0.080000")
ISR_ROW: Final = tax("200.00", "001", "0.100000")


def with_chain(changes: Mapping[str, Change] | None = None) -> str:
    """Return a receipt of a payment with a payment chain."""
    return pago({**CHAIN_ATTRIBUTES, **(changes or {})})


def with_taxes(traslados: Sequence[Row], retenciones: Sequence[Row] = (), **attributes: str) -> CodeExampleBuilder:
    """Return the builder of a payment of one document.

    Args:
        traslados: transferred taxes of the document.
        retenciones: withheld taxes of the document.
        attributes: attributes of DoctoRelacionado.
    """

    def build(changes: Mapping[str, Change] | None = None) -> str:
        written: dict[str, Change] = {f"@{name}": value for name, value in attributes.items()}
        paid = document("232.00", written, traslados=traslados, retenciones=retenciones)
        return pago(changes, payments=[payment([paid])])

    return build


def with_empty_taxes() -> str:
    """Return a payment of a document with ObjetoImpDR 02 and an empty ImpuestosDR."""
    return pago(
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR": "02",
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR": ExampleNode("pago20:ImpuestosDR"),
        }
    )


def in_currency(currency: str, rate: str = "18.50") -> CodeExampleBuilder:
    """Return the builder of a payment in a currency of a document in the same currency."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        documents = [document("232.00", currency=currency)]
        return pago(changes, payments=[payment(documents, currency=currency, rate=rate)])

    return build


def pesos_in_currency(currency: str) -> CodeExampleBuilder:
    """Return the builder of a payment in a currency of a document in pesos."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        return pago(changes, payments=[payment([document()], currency=currency, decimals=0)])

    return build


def currency_in_pesos(currency: str, paid: str = "232.00", equivalence: str = "1") -> CodeExampleBuilder:
    """Return the builder of a payment in pesos of a document in a currency."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        documents = [document(paid, currency=currency, equivalence=equivalence)]
        return pago(changes, payments=[payment(documents)])

    return build


def two_currencies(changes: Mapping[str, Change] | None = None) -> str:
    """Return a payment in pesos of a document in pesos and one in dollars."""
    documents = [
        document(equivalence="1.0000000000"),
        document("100.00", currency="USD", equivalence="0.054054"),
    ]
    return pago(changes, payments=[payment(documents)])


def huge_amount(changes: Mapping[str, Change] | None = None) -> str:
    """Return a payment whose amount in pesos exceeds the maximum; the schema does not allow a total that large."""
    documents = [document(HUGE, currency="USD")]
    total = {"Complemento/Pagos/Totales/@MontoTotalPagos": "999999999999999999.99"}
    return pago({**total, **(changes or {})}, payments=[payment(documents, currency="USD", rate="2")])


def tax_rows(failing: Row, passing: Row, *, withheld: bool = False) -> Example:
    """Return two payments of a document with one tax.

    Args:
        failing: the tax that violates the rule.
        passing: the tax that satisfies it.
        withheld: whether the tax is withheld.
    """
    pair = [with_taxes([], [row]) if withheld else with_taxes([row]) for row in (passing, failing)]
    return Example(pair[0], pair[1])


taxed = with_taxes([IVA_ROW])
at_eight = with_taxes([tax("200.00", "002", "0.080000")])
at_zero = with_taxes([tax("200.00", "002", "0.000000")])
exempt = with_taxes([tax("200.00", "002", None)])
iva_withheld = with_taxes([], [tax("200.00", "002", "0.106667")])
isr_withheld = with_taxes([], [ISR_ROW])
ieps_withheld = with_taxes([], [IEPS_ROW])
dollars = in_currency("USD")
