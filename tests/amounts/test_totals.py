"""Amounts of an invoice whose values were computed by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from tests.support.reference_data import reference_data

from timbra.amounts.totals import Rounding, Totals, totals_of
from timbra.core.errors import ServiceError

IVA = {"Impuesto": "002", "TasaOCuota": "0.16"}
ISR = {"Impuesto": "001", "TasaOCuota": "0.1"}
IEPS = {"Impuesto": "003", "TasaOCuota": "0.08"}
EXEMPT = {"Impuesto": "002", "TipoFactor": "Exento"}
ISH = {"ImpLocTrasladado": "ISH"}
LODGING = "Complemento/ImpuestosLocales/TrasladosLocales[1]"


def local(*transferred: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"implocal:ImpuestosLocales": {"TrasladosLocales": list(transferred), **members}}


def line(
    price: str, *traslados: dict[str, Any], withheld: tuple[dict[str, Any], ...] = (), **members: Any
) -> dict[str, Any]:
    taxes = {"Traslados": list(traslados), "Retenciones": list(withheld)}
    rows = {name: found for name, found in taxes.items() if found}
    return {"Cantidad": "1", "ValorUnitario": price, **members, **({"Impuestos": rows} if rows else {})}


def totals(*lines: dict[str, Any], included: bool = False, rounding: Rounding = "line", **members: Any) -> Totals:
    invoice = {"Conceptos": list(lines), **members}
    return totals_of(invoice, reference_data(), price_includes_tax=included, rounding=rounding)


def concepto(found: Totals) -> dict[str, Any]:
    (only,) = found.comprobante["Conceptos"]
    return only  # type: ignore[no-any-return]


def rejection(*lines: dict[str, Any], included: bool = False, **members: Any) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as raised:
        totals(*lines, included=included, **members)
    location = raised.value.location
    return raised.value.code, None if location is None else location.path


def test_totals_has_sums_by_tax_and_keeps_other_members() -> None:
    found = totals(
        line("99.9", IVA, Cantidad=3, Descripcion="Venta", withheld=(ISR,)),
        line("50", EXEMPT, Descuento="5.5"),
        line("10", IVA, Total="no"),
        Serie="A",
        Total="9",
    )
    assert {name: value for name, value in found.comprobante.items() if name != "Conceptos"} == {
        "Version": "4.0",
        "TipoDeComprobante": "I",
        "Serie": "A",
        "Moneda": "MXN",
        "SubTotal": "359.70",
        "Descuento": "5.50",
        "Total": "373.78",
        "Impuestos": {
            "TotalImpuestosRetenidos": "29.97",
            "Retenciones": [{"Impuesto": "001", "Importe": "29.97"}],
            "TotalImpuestosTrasladados": "49.55",
            "Traslados": [
                {
                    "Base": "309.70",
                    "Impuesto": "002",
                    "TipoFactor": "Tasa",
                    "TasaOCuota": "0.160000",
                    "Importe": "49.55",
                },
                {"Base": "44.50", "Impuesto": "002", "TipoFactor": "Exento"},
            ],
        },
    }
    first = found.comprobante["Conceptos"][0]
    assert (first["Descripcion"], first["Cantidad"], first["Importe"]) == ("Venta", "3", "299.70")
    assert (found.total, found.difference) == (Decimal("373.78"), Decimal(0))


def test_totals_rounds_lines_or_sums_as_wished() -> None:
    lines = [line("0.333", IVA)] * 3
    by_line, by_sum = totals(*lines), totals(*lines, rounding="total")
    assert (by_line.comprobante["SubTotal"], by_line.total) == ("0.99", Decimal("1.14"))
    assert (by_sum.comprobante["SubTotal"], by_sum.total) == ("1.00", Decimal("1.16"))
    assert by_sum.comprobante["Conceptos"][0]["Impuestos"]["Traslados"][0]["Importe"] == "0.053280"


@pytest.mark.parametrize(
    ("price", "base", "tax"),
    [
        ("100", "86.21", "13.79"),
        # No Base of two decimals and its rounded tax add up to these: the tax is within the limits by one unit.
        ("0.04", "0.03", "0.01"),
        ("10.04", "8.66", "1.38"),
    ],
)
def test_line_adds_up_to_a_price_that_includes_taxes(price: str, base: str, tax: str) -> None:
    found = totals(line(price, IVA), included=True)
    (row,) = concepto(found)["Impuestos"]["Traslados"]
    assert (row["Base"], row["Importe"]) == (base, tax)
    assert (found.total, found.lines[0].wished, found.difference) == (Decimal(price), Decimal(price), Decimal(0))


def test_price_that_includes_taxes_includes_those_of_the_discount() -> None:
    found = totals(line("116", IVA, Descuento="11.6"), included=True)
    assert {name: concepto(found)[name] for name in ("ValorUnitario", "Importe", "Descuento")} == {
        "ValorUnitario": "100.00",
        "Importe": "100.00",
        "Descuento": "10.00",
    }
    assert found.total == Decimal("104.40")


def test_withheld_taxes_are_subtracted_from_a_price_that_includes_taxes() -> None:
    found = totals(line("116", IVA, withheld=(ISR,)), included=True)
    assert (found.total, found.lines[0].total, found.difference) == (Decimal("106.00"), Decimal("116.00"), Decimal(0))


def test_unit_price_has_the_decimals_that_the_amount_needs() -> None:
    assert concepto(totals(line("33.33", IVA, Cantidad="3"), included=True))["ValorUnitario"] == "28.733"
    assert concepto(totals(line("0.02", IVA, Cantidad="1000000"), included=True))["ValorUnitario"] == "0.017241"


def test_base_of_iva_includes_ieps_unless_the_line_says_otherwise() -> None:
    quota = {"Impuesto": "003", "TipoFactor": "Cuota", "TasaOCuota": "0.5", "Base": "40"}
    rows = concepto(totals(line("100", IVA, IEPS, quota)))["Impuestos"]["Traslados"]
    assert [(row["Base"], row["Importe"]) for row in rows] == [("128.00", "20.48"), ("100.00", "8.00"), ("40", "20.00")]
    rows = concepto(totals(line("100", IVA, {**quota, "EnBaseDeIVA": False})))["Impuestos"]["Traslados"]
    assert [(row["Base"], row["Importe"]) for row in rows] == [("100.00", "16.00"), ("40", "20.00")]
    assert "EnBaseDeIVA" not in rows[1]


def test_quota_without_base_is_one_of_the_quantity() -> None:
    quota = {"Impuesto": "003", "TipoFactor": "Cuota", "TasaOCuota": "1.5"}
    rows = concepto(totals(line("10", quota, Cantidad="2.5")))["Impuestos"]["Traslados"]
    assert [(row["Base"], row["Importe"]) for row in rows] == [("2.5", "3.75")]


def test_ieps_and_iva_add_up_to_the_price() -> None:
    found = totals(
        line("47", IEPS, withheld=({"Impuesto": "002", "TasaOCuota": "0.106667"},)), included=True, Moneda="JPY"
    )
    assert (found.lines[0].total, found.difference) == (Decimal(47), Decimal(0))


def test_amounts_have_the_decimals_of_the_currency() -> None:
    found = totals(line("100.5", IVA), Moneda="JPY")
    assert (found.comprobante["SubTotal"], concepto(found)["Importe"], found.total) == ("101", "101", Decimal(117))


def test_line_whose_base_would_be_zero_has_more_decimals() -> None:
    assert concepto(totals(line("0.01", IVA, Cantidad="0.1")))["Importe"] == "0.001"


def test_objeto_imp_follows_from_the_taxes() -> None:
    assert [concepto(totals(each))["ObjetoImp"] for each in (line("1"), line("1", IVA), line("1", ObjetoImp="03"))] == [
        "01",
        "02",
        "03",
    ]


def test_numbers_of_programs_keep_their_digits() -> None:
    found = totals({"Cantidad": Decimal("1E+2"), "ValorUnitario": 0.1, "Descuento": 1})
    assert (found.comprobante["SubTotal"], found.total) == ("10.00", Decimal("9.00"))


@pytest.mark.parametrize(
    ("rejected", "code", "path"),
    [
        (line("0", IVA), "CFDI40166", "Conceptos/Concepto[1]/@ValorUnitario"),
        (line("1", IVA, Descuento="1"), "CFDI40174", "Conceptos/Concepto[1]/Impuestos/Traslados/Traslado[1]/@Base"),
        (line("1", Descuento="2"), "CFDI40110", "@Descuento"),
        (line("1", IVA, ObjetoImp="01"), "CFDI40172", "Conceptos/Concepto[1]/Impuestos"),
        (line("1", ObjetoImp="02"), "CFDI40171", "Conceptos/Concepto[1]/Impuestos"),
        (
            line("1", {**IVA, "TasaOCuota": "0.15"}),
            "CFDI40179",
            "Conceptos/Concepto[1]/Impuestos/Traslados/Traslado[1]/@TasaOCuota",
        ),
        (line("1e3"), "TB4005", "Conceptos/Concepto[1]/@ValorUnitario"),
        (line("1", Cantidad=True), "TB4005", "Conceptos/Concepto[1]/@Cantidad"),
        (line("1", Cantidad="0"), "TB4005", "Conceptos/Concepto[1]/@Cantidad"),
        (line("1.0000001"), "TB4005", "Conceptos/Concepto[1]/@ValorUnitario"),
        ({"Cantidad": "1"}, "TB4005", "Conceptos/Concepto[1]/@ValorUnitario"),
        (line("9" * 18, Cantidad="2", Descuento="9" * 18), "TB4005", "@SubTotal"),
        (line("9" * 18, IVA), "TB4005", "@SubTotal"),
        (line("1", ObjetoImp="\x00"), "TB4005", "Conceptos/Concepto[1]/@ObjetoImp"),
        (
            line("1", {**IEPS, "EnBaseDeIVA": "no"}),
            "TB4005",
            "Conceptos/Concepto[1]/Impuestos/Traslados/Traslado[1]/EnBaseDeIVA",
        ),
        (line("1", *[IVA] * 11), "TB4005", "Conceptos/Concepto[1]/Impuestos"),
        (line("1", Impuestos=[]), "TB4005", "Conceptos/Concepto[1]/Impuestos"),
        (line("1", withheld=({"Impuesto": "001", "TasaOCuota": "0.35"},) * 3), "TB4005", "@Total"),
    ],
)
def test_totals_rejects_lines_without_amounts(rejected: dict[str, Any], code: str, path: str) -> None:
    assert rejection(rejected) == (code, path)


@pytest.mark.parametrize(
    ("members", "code", "path"),
    [
        ({"Moneda": "ZZZ"}, "CFDI40113", "@Moneda"),
        ({"Version": "3.3"}, "TB4005", "@Version"),
        ({"TipoDeComprobante": "P"}, "TB4005", "@TipoDeComprobante"),
        ({"Complemento": {"implocal:ImpuestosLocales": {}}}, "TB4005", "Complemento/ImpuestosLocales"),
        ({"Complemento": [{"ImpuestosLocales": 1}]}, "TB4005", "Complemento/ImpuestosLocales"),
        ({"Complemento": [local(), local()]}, "TB4005", "Complemento/ImpuestosLocales"),
        ({"Complemento": local(TrasladosLocales=[{"TasadeTraslado": "3"}])}, "TB4005", f"{LODGING}/@ImpLocTrasladado"),
        ({"Complemento": local(ISH)}, "TB4005", f"{LODGING}/@TasadeTraslado"),
        ({"Complemento": local({**ISH, "TasadeTraslado": "1.555"})}, "TB4005", f"{LODGING}/@TasadeTraslado"),
        ({"Complemento": local({**ISH, "TasadeTraslado": "1", "Base": "-1"})}, "TB4005", f"{LODGING}/@Base"),
        ({"Complemento": local(*[{**ISH, "TasadeTraslado": "1"}] * 21)}, "TB4005", "Complemento/ImpuestosLocales"),
        ({"Conceptos": {}}, "TB4005", "Conceptos"),
        ({"Conceptos": []}, "TB4005", "Conceptos"),
        ({"rounding": "half"}, "TB4005", "rounding"),
    ],
)
def test_totals_rejects_other_documents(members: dict[str, Any], code: str, path: str) -> None:
    assert rejection(line("1"), **members) == (code, path)


@pytest.mark.parametrize("included", [False, True])
def test_local_taxes_are_computed_of_the_net_amount_or_of_their_base(included: bool) -> None:
    withheld = [{"ImpLocRetenido": "Cedular", "TasadeRetencion": 2, "Base": "33.33", "Importe": "9"}]
    complement = local({**ISH, "TasadeTraslado": "3.5"}, RetencionesLocales=withheld, otro="x")
    found = totals(
        line("116" if included else "100", IVA, Descuento="11.60" if included else "10"),
        included=included,
        Complemento={"ine:INE": {}, **complement},
    )
    assert found.comprobante["Complemento"] == {
        "ine:INE": {},
        "implocal:ImpuestosLocales": {
            "otro": "x",
            "version": "1.0",
            "TotaldeRetenciones": "0.67",
            "TotaldeTraslados": "3.15",
            "RetencionesLocales": [{"ImpLocRetenido": "Cedular", "TasadeRetencion": "2.00", "Importe": "0.67"}],
            "TrasladosLocales": [{"ImpLocTrasladado": "ISH", "TasadeTraslado": "3.50", "Importe": "3.15"}],
        },
    }
    assert (found.total, found.difference) == (Decimal("106.88"), Decimal(0))


def test_local_taxes_have_no_more_decimals_than_the_currency() -> None:
    found = totals(line("150"), Moneda="JPY", Complemento=[local({**ISH, "TasadeTraslado": "3"})])
    (complement,) = found.comprobante["Complemento"]
    assert complement["implocal:ImpuestosLocales"]["TotaldeTraslados"] == "5.00"
    assert found.total == 155


@pytest.mark.parametrize(
    "rejected",
    [
        line("1", IVA, Descuento="1"),
        line("1", {"Impuesto": "003", "TipoFactor": "Cuota", "TasaOCuota": "2"}),
        line("0.001", IVA),
    ],
)
def test_price_that_includes_taxes_must_exceed_discount_and_quotas(rejected: dict[str, Any]) -> None:
    assert rejection(rejected, included=True) == ("TB4005", "Conceptos/Concepto[1]/@ValorUnitario")


@pytest.mark.parametrize("included", [False, True])
def test_amounts_of_the_invoice_are_replaced(included: bool) -> None:
    assert totals(line("116", {**IVA, "Base": "1", "Importe": "1"}, Importe="1"), included=included) == totals(
        line("116", IVA), included=included
    )


def test_totals_uses_the_catalogs_of_fecha() -> None:
    quota = {"Impuesto": "003", "TipoFactor": "Cuota", "TasaOCuota": "1"}
    assert totals(line("10", quota), Fecha="2026-01-01T00:00:00").total == 11
    found = totals_of(
        {"Conceptos": [line("10", IVA)]},
        replace(reference_data(), taxpayers=None),
        price_includes_tax=False,
        rounding="line",
    )
    assert "Fecha" not in found.comprobante
