"""Sums of the taxes of all Conceptos."""

from __future__ import annotations

from decimal import Decimal

from tests.support.rules import nodes

from timbra.cfdi.nodes import Comprobante
from timbra.examples import concepto, ingreso, tax
from timbra.rules.engine.tax_sums import TaxSums, group_key


def document() -> Comprobante:
    """Return an invoice with three traslados of IVA, two of them exempt, and two retenciones of ISR."""
    return nodes(
        ingreso(
            concepts=[
                concepto(
                    traslados=[tax("100.00", "002", "0.160000"), tax("30.00", "002", None)],
                    retenciones=[tax("100.00", "001", "0.100000")],
                ),
                concepto(
                    traslados=[tax("12.00", "002", None), tax("7.00", "003", "0.080000")],
                    retenciones=[tax("50.00", "001", "0.100000")],
                ),
            ]
        )
    )


def test_group_key_compares_rates_as_numbers() -> None:
    assert group_key(("002", "Tasa", "0.16")) == group_key(("002", "Tasa", "0.160000"))
    assert group_key(("002", "Tasa", "0.160000")) == ("002", "Tasa", Decimal("0.16"))
    assert group_key(("002", "Exento", None)) == ("002", "Exento", None)


def test_traslado_sums_each_group() -> None:
    sums = TaxSums(document())
    assert sums.traslado(("002", "Tasa", "0.16")) == (Decimal("100.00"), Decimal("16.00"))
    assert sums.traslado(("002", "Exento", None)) == (Decimal("42.00"), Decimal(0))
    assert sums.traslado(("002", "Tasa", "0.08")) == (Decimal(0), Decimal(0))


def test_exempt_base_sums_the_exempt_traslados_of_the_tax() -> None:
    sums = TaxSums(document())
    assert (sums.exempt_base("002"), sums.exempt_base("003")) == (Decimal("42.00"), Decimal(0))


def test_retencion_sums_the_retenciones_of_the_tax() -> None:
    sums = TaxSums(document())
    assert (sums.retencion("001"), sums.retencion("002")) == (Decimal("15.00"), Decimal(0))


def test_is_first_holds_for_the_first_row_of_each_group() -> None:
    comprobante = document()
    totals = comprobante.impuestos
    assert totals is not None
    sums = TaxSums(comprobante)
    assert [sums.is_first(total) for total in totals.traslados] == [True] * len(totals.traslados)
    assert [sums.is_first(total) for total in totals.retenciones] == [True]


def test_is_first_is_false_for_a_repeated_row() -> None:
    text = ingreso(concepts=[concepto(retenciones=[tax("100.00", "001", "0.100000")])])
    head, row_start, rest = text.rpartition("<cfdi:Retencion ")
    row = row_start + rest[: rest.index(">") + 1]
    totals = (comprobante := nodes(head + row + row_start + rest)).impuestos
    assert totals is not None
    sums = TaxSums(comprobante)
    assert [sums.is_first(total) for total in totals.retenciones] == [True, False]
