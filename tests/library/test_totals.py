"""Amounts of an invoice as a program computes them."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

import timbra

IVA = {"Impuesto": "002", "TasaOCuota": "0.16"}
LINE: dict[str, Any] = {"Cantidad": 3, "ValorUnitario": "33.33", "Impuestos": {"Traslados": [IVA]}}


@pytest.mark.parametrize("form", [dict, json.dumps, lambda invoice: json.dumps(invoice).encode()])
def test_totals_takes_an_object_or_json(form: Any) -> None:
    found = timbra.totals(form({"Conceptos": [LINE]}), price_includes_tax=True)
    assert (found.total, found.difference) == (Decimal("99.99"), Decimal(0))
    assert [(line.total, line.wished) for line in found.lines] == [(Decimal("99.99"), Decimal("99.99"))]


def test_totals_are_those_of_a_valid_document() -> None:
    invoice = timbra.to_json(timbra.example())
    invoice["Conceptos"][0] |= {"Cantidad": "7", "ValorUnitario": "19.9"}
    found = timbra.totals(invoice, price_includes_tax=True, rounding="total")
    report = timbra.validate(timbra.from_json(found.comprobante))
    assert [finding.code for finding in report.errors] == ["CFDI40102"]
    assert found.total == Decimal("139.30")


def test_totals_raises_with_the_place() -> None:
    with pytest.raises(timbra.Error) as raised:
        timbra.totals({"Conceptos": [{"Cantidad": 1}]})
    location = raised.value.location
    assert location is not None
    assert (raised.value.code, location.path) == ("TB4005", "Conceptos/Concepto[1]/@ValorUnitario")
    with pytest.raises(timbra.Error, match="301"):
        timbra.totals("no")


def test_totals_uses_the_catalogs_of_a_day() -> None:
    with pytest.raises(timbra.Error) as raised:
        timbra.totals({"Conceptos": [LINE]}, on=date(2021, 12, 31))
    assert raised.value.code == "CFDI40113"
