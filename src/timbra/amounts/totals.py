"""The amounts of an invoice: those of its lines, the sums of taxes, SubTotal, Descuento and Total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any, Literal, NoReturn, get_args

from timbra.amounts.invoice_reading import Invoice, read_invoice
from timbra.amounts.lines import MAX_DECIMALS, ZERO, Line, LineAmounts, TaxAmounts, amounts_of, amounts_within
from timbra.amounts.rule_check import check_amounts, currency_decimals
from timbra.core.clock import to_central_mexico
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.core.money import half_up
from timbra.rules.engine.engine import WIDE
from timbra.rules.engine.ports import ReferenceData

Rounding = Literal["line", "total"]
"""`line`: the amounts of lines have the decimals of the currency. `total`: they have up to six; sums are rounded."""
LARGEST = Decimal(10) ** 18
"""Amounts have at most 18 digits before the point."""


@dataclass(frozen=True, slots=True)
class LineTotal:
    """What a line adds up to.

    Attributes:
        total: Importe less Descuento plus transferred taxes.
        wished: The price of the line with taxes, rounded to the currency; None when prices do not include taxes.
    """

    total: Decimal
    wished: Decimal | None

    @property
    def difference(self) -> Decimal:
        """What `wished` exceeds `total` by: 0 unless no amounts within the limits add up to the price."""
        return ZERO if self.wished is None else self.wished - self.total


@dataclass(frozen=True, slots=True)
class Totals:
    """An invoice with its amounts.

    Attributes:
        comprobante: The invoice as it was given, with all amounts as texts; `timbra.from_json` converts it.
        total: Total.
        difference: What the prices with taxes exceed SubTotal less Descuento and transferred taxes by; 0 when prices do
            not include taxes.
        lines: The lines, in the order of Conceptos.
    """

    comprobante: dict[str, Any] = field(repr=False)
    total: Decimal
    difference: Decimal
    lines: tuple[LineTotal, ...] = field(repr=False)


def totals_of(
    members: Mapping[str, Any],
    reference_data: ReferenceData,
    *,
    price_includes_tax: bool,
    rounding: Rounding,
    check: bool = True,
) -> Totals:
    """Compute the amounts of a JSON invoice.

    Args:
        members: the invoice by the SAT's names; amounts that it has are replaced.
        reference_data: catalogs and time; lists are not used.
        price_includes_tax: whether ValorUnitario and Descuento include the transferred taxes.
        rounding: where amounts are rounded to the currency.
        check: whether the rules of the SAT must accept the amounts; a caller that evaluates the whole document later
            passes False.

    Raises:
        ServiceError: "TB4005" for a value that is absent or not valid; the SAT's code of the first rule that no amounts
            satisfy, such as "CFDI40179" for a rate that does not exist.
    """
    if rounding not in get_args(Rounding):
        _reject("rounding", rounding, "line o total")
    with localcontext(WIDE):
        return _totals(members, reference_data, price_includes_tax, rounding, check=check)


def _totals(
    members: Mapping[str, Any],
    reference_data: ReferenceData,
    price_includes_tax: bool,
    rounding: Rounding,
    *,
    check: bool,
) -> Totals:
    invoice = read_invoice(members)
    fecha = invoice.fecha or to_central_mexico(reference_data.now)
    decimals = currency_decimals(invoice.moneda, fecha, reference_data)
    found: list[Totals] = []
    for places in (decimals,) if rounding == "line" else range(MAX_DECIMALS, decimals - 1, -1):
        found.append(_with_amounts(members, invoice, places, decimals, price_includes_tax))
        if not found[-1].difference:
            break
    best = min(found, key=lambda each: abs(each.difference))
    if check:
        check_amounts(best.comprobante, fecha, reference_data)
    if best.total < ZERO:
        _reject("@Total", f"{best.total:f}", "desde cero: las retenciones son mayores que los demás importes")
    subtotal = Decimal(best.comprobante["SubTotal"])
    if subtotal >= LARGEST or sum(line.total for line in best.lines) >= LARGEST:
        _reject("@SubTotal", f"{subtotal:f}", "importes de a lo más 18 enteros")
    return best


def _with_amounts(
    members: Mapping[str, Any], invoice: Invoice, places: int, decimals: int, price_includes_tax: bool
) -> Totals:
    """Return the invoice with its amounts.

    Args:
        places: decimals of the amounts of lines.
        decimals: decimals of the currency.
    """
    lines = [
        _line_amounts(number, line, places, decimals, price_includes_tax)
        for number, line in enumerate(invoice.lines, 1)
    ]
    subtotal = _rounded((Decimal(line.importe) for line in lines), decimals)
    discounts = [Decimal(line.descuento) for line in lines if line.descuento is not None]
    discount = _rounded(discounts, decimals)
    taxes = [each for line in lines for each in line.taxes]
    traslados = _traslados(taxes, decimals)
    retenciones = _retenciones(taxes, decimals)
    transferred, withheld = _sum_of(traslados), _sum_of(retenciones)
    local, local_total = invoice.local_taxes.written(subtotal - discount, decimals)
    total = subtotal - discount + transferred - withheld + local_total
    comprobante: dict[str, Any] = {
        **{name: value for name, value in members.items() if name not in ("Descuento", "Impuestos")},
        "Version": "4.0",
        "TipoDeComprobante": invoice.tipo,
        "Moneda": invoice.moneda,
        "SubTotal": f"{subtotal:f}",
        **({"Descuento": f"{discount:f}"} if discounts else {}),
        "Total": f"{total:f}",
        "Conceptos": [
            _concepto(concepto, line, amounts, impuesto)
            for concepto, line, amounts, impuesto in zip(
                members["Conceptos"], invoice.lines, lines, invoice.objects, strict=True
            )
        ],
    }
    impuestos = {
        **({"TotalImpuestosRetenidos": f"{withheld:f}", "Retenciones": retenciones} if retenciones else {}),
        **({"TotalImpuestosTrasladados": f"{transferred:f}"} if any("Importe" in row for row in traslados) else {}),
        **({"Traslados": traslados} if traslados else {}),
    }
    if impuestos:
        comprobante["Impuestos"] = impuestos
    if invoice.local_taxes.taxes:
        comprobante["Complemento"] = _replaced(members["Complemento"], invoice.local_taxes.member, local)
    wished = [line.wished for line in lines if line.wished is not None]
    difference = sum(wished, ZERO) - (subtotal - discount + transferred) if wished else ZERO
    return Totals(comprobante, total, difference, tuple(LineTotal(line.total, line.wished) for line in lines))


def _replaced(complements: Any, member: str, changed: Mapping[str, Any]) -> Any:
    """Return `Complemento` with a changed complement."""
    if isinstance(complements, list):
        return [_replaced(each, member, changed) for each in complements]
    return {**complements, member: {**complements[member], **changed}} if member in complements else complements


def _line_amounts(number: int, line: Line, places: int, decimals: int, price_includes_tax: bool) -> LineAmounts:
    if not price_includes_tax:
        return amounts_of(line, places, decimals)
    found = amounts_within(line, places, decimals)
    if found is None:
        why = "un precio mayor que su descuento y sus cuotas, que deje una Base mayor que cero"
        _reject(f"Conceptos/Concepto[{number}]/@ValorUnitario", f"{line.price:f}", why)
    return found


def _concepto(given: Mapping[str, Any], line: Line, amounts: LineAmounts, objeto: str) -> dict[str, Any]:
    kept = {name: value for name, value in given.items() if name not in ("Descuento", "Impuestos")}
    concepto = {
        **kept,
        "Cantidad": line.quantity.text,
        "ValorUnitario": amounts.valor_unitario,
        "Importe": amounts.importe,
        **({} if amounts.descuento is None else {"Descuento": amounts.descuento}),
        "ObjetoImp": objeto,
    }
    rows = {
        container: [_tax_row(each) for each in amounts.taxes if each.tax.transfer is transfer]
        for container, transfer in (("Traslados", True), ("Retenciones", False))
    }
    impuestos = {container: found for container, found in rows.items() if found}
    return {**concepto, "Impuestos": impuestos} if impuestos else concepto


def _tax_row(amounts: TaxAmounts) -> dict[str, str]:
    tax = amounts.tax
    row = {"Base": amounts.base, "Impuesto": tax.impuesto, "TipoFactor": tax.factor}
    if tax.rate is None or amounts.importe is None:
        return row
    return {**row, "TasaOCuota": f"{tax.rate:.6f}", "Importe": amounts.importe}


def _traslados(taxes: Iterable[TaxAmounts], decimals: int) -> list[dict[str, str]]:
    groups: dict[tuple[str, str, Decimal | None], list[TaxAmounts]] = {}
    for each in taxes:
        if each.tax.transfer:
            groups.setdefault((each.tax.impuesto, each.tax.factor, each.tax.rate), []).append(each)
    rows = []
    for (impuesto, factor, rate), group in groups.items():
        base = _rounded((Decimal(each.base) for each in group), decimals)
        row = {"Base": f"{base:f}", "Impuesto": impuesto, "TipoFactor": factor}
        if rate is not None:
            importe = _rounded((each.amount for each in group), decimals)
            row |= {"TasaOCuota": f"{rate:.6f}", "Importe": f"{importe:f}"}
        rows.append(row)
    return rows


def _retenciones(taxes: Iterable[TaxAmounts], decimals: int) -> list[dict[str, str]]:
    groups: dict[str, list[Decimal]] = {}
    for each in taxes:
        if not each.tax.transfer:
            groups.setdefault(each.tax.impuesto, []).append(each.amount)
    return [
        {"Impuesto": impuesto, "Importe": f"{_rounded(amounts, decimals):f}"} for impuesto, amounts in groups.items()
    ]


def _sum_of(rows: Iterable[Mapping[str, str]]) -> Decimal:
    return sum((Decimal(row["Importe"]) for row in rows if "Importe" in row), ZERO)


def _rounded(amounts: Iterable[Decimal], decimals: int) -> Decimal:
    return half_up(sum(amounts, ZERO), decimals)


def _reject(path: str, found: str, expected: str) -> NoReturn:
    location = DocumentLocation(path, found, expected)
    raise ServiceError("TB4005", f"{path}: {found}; se esperaba {expected}.", location=location)
