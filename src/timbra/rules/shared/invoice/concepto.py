"""Conceptos and their Partes: products of quantity and price, discounts, required taxes, NumeroPedimento."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml.etree import QName

from timbra.cfdi.nodes import Concepto, InformacionAduanera, Parte
from timbra.cfdi.nodes.base import ZERO
from timbra.core.money import written_decimals
from timbra.rules.engine.amount_forms import AtMost, DecimalsOf, Positive, Product, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.shortcuts import satisfied_if, selects
from timbra.rules.shared.amounts import Factor, is_below_unit, is_near, is_within_product_limits, product_limits
from timbra.rules.shared.predicates import absent, has_comercio_exterior

REQUIRED_TAXES = (("iva_trasladado", "002"), ("ieps_trasladado", "003"))
"""Columns of c_ClaveProdServ, and the tax that the value 1 requires."""
COMPLEMENT = "complemento"
COMPLEMENT_COLUMN = ("c_ClaveProdServ", COMPLEMENT)
_REQUIREMENTS = (COMPLEMENT, *[column for column, _ in REQUIRED_TAXES])
REQUIRED_TAX_COLUMNS = tuple(("c_ClaveProdServ", column) for column, _ in REQUIRED_TAXES)
YEARS_BACK = 10
PEDIMENTOS = "c_NumPedimentoAduana"
_FORM = re.compile(r"(?P<year>[0-9]{2})  (?P<aduana>[0-9]{2})  (?P<patente>[0-9]{4})  [0-9](?P<number>[0-9]{6})")


def _requires_nothing(concepto: Concepto, ctx: EvaluationContext) -> bool:
    """Whether c_ClaveProdServ requires neither a complement nor a tax, as for nearly every product."""
    return concepto.ClaveProdServ not in ctx.catalogs.keys_with("c_ClaveProdServ", _REQUIREMENTS)


@satisfied_if(_requires_nothing, "ClaveProdServ")
def has_required_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """The Concepto has the traslados that c_ClaveProdServ requires; an unknown product passes."""
    product = concepto.ClaveProdServ
    row = None if _requires_nothing(concepto, ctx) else ctx.row("c_ClaveProdServ", product)
    if row is None:
        return None
    required = [tax for column, tax in REQUIRED_TAXES if row[column] == "1"]
    present = {traslado.Impuesto for traslado in concepto.traslados}
    missing = [tax for tax in required if tax not in present]
    if not missing:
        return None
    return Violation(found=product, expected=f"un Traslado con Impuesto {' y otro con '.join(missing)}")


@satisfied_if(_requires_nothing, "ClaveProdServ")
def has_required_complement(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """The document or the Concepto has the complement that c_ClaveProdServ requires; an unknown product passes.

    The column has the local name of the complement's element; it is empty for every product of the edition in force.
    """
    product = concepto.ClaveProdServ
    row = None if _requires_nothing(concepto, ctx) else ctx.row("c_ClaveProdServ", product)
    required = "" if row is None else row[COMPLEMENT]
    if not required:
        return None
    complements = (*concepto.complementos, *ctx.comprobante.complementos)
    if any(QName(element.tag).localname == required for element in complements):
        return None
    return Violation(expected=f"el complemento {required}, por ClaveProdServ {product}")


def _without_price(conceptos: Sequence[Concepto], _ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if concepto.valor_unitario <= ZERO]


@selects(_without_price)
@implied_by(Positive("ValorUnitario"))
def price_is_positive(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """ValorUnitario is greater than zero."""
    if concepto.valor_unitario > ZERO:
        return None
    tipo = ctx.comprobante.TipoDeComprobante
    return Violation(found=concepto.ValorUnitario, expected=f"mayor que cero, por el tipo {tipo}")


def _with_other_amount(conceptos: Sequence[Concepto], ctx: EvaluationContext) -> Sequence[Concepto]:
    found = []
    for concepto in conceptos:
        difference = concepto.cantidad * concepto.valor_unitario - concepto.importe
        if difference and not is_below_unit(difference, concepto.Importe):
            found.append(concepto)
    return [concepto for concepto in found if part_amount_equals_quantity_times_price(concepto, ctx) is not None]


@selects(_with_other_amount)
@implied_by(Product("Cantidad", "ValorUnitario", "Importe"))
def amount_equals_quantity_times_price(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """Importe is within the limits of Cantidad times ValorUnitario."""
    if is_near(concepto.cantidad * concepto.valor_unitario, concepto.importe, concepto.Importe):
        return None
    return part_amount_equals_quantity_times_price(concepto, ctx)


@implied_by(Product("Cantidad", "ValorUnitario", "Importe"))
def part_amount_equals_quantity_times_price(line: Concepto | Parte, _ctx: EvaluationContext) -> RuleResult:
    """As `amount_equals_quantity_times_price`; passes when ValorUnitario or Importe are absent."""
    if line.Importe is None or line.ValorUnitario is None:
        return None
    quantity = Factor(line.Cantidad, line.cantidad)
    price = Factor(line.ValorUnitario, line.valor_unitario)
    amount = Factor(line.Importe, line.importe)
    if is_within_product_limits(quantity, price, amount):
        return None
    limits = product_limits(quantity, price, amount.decimals)
    return Violation(found=amount.text, expected=f"{limits}, de {quantity.text} por {price.text}")


@implied_by(Positive("ValorUnitario"))
def part_price_is_positive(parte: Parte, _ctx: EvaluationContext) -> RuleResult:
    """ValorUnitario of a Parte, when present, is greater than zero."""
    if parte.ValorUnitario is None or parte.valor_unitario > ZERO:
        return None
    return Violation(found=parte.ValorUnitario, expected="mayor que cero")


def _with_more_decimals(conceptos: Sequence[Concepto], _ctx: EvaluationContext) -> Sequence[Concepto]:
    return [
        concepto
        for concepto in conceptos
        if concepto.Descuento is not None and written_decimals(concepto.Descuento) > written_decimals(concepto.Importe)
    ]


@selects(_with_more_decimals)
@implied_by(DecimalsOf("Descuento", "Importe"))
def discount_has_decimals_of_amount(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """Descuento, when present, has no more decimals than Importe of its Concepto."""
    if concepto.Descuento is None:
        return None
    allowed = written_decimals(concepto.Importe)
    if written_decimals(concepto.Descuento) <= allowed:
        return None
    return Violation(
        found=concepto.Descuento, expected=f"a lo más {allowed} decimales, los de Importe {concepto.Importe}"
    )


def _with_greater_discount(conceptos: Sequence[Concepto], _ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if concepto.descuento > concepto.importe]


@selects(_with_greater_discount)
@implied_by(AtMost("Descuento", "Importe"))
def discount_is_at_most_amount(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """Descuento is not greater than Importe of its Concepto."""
    if concepto.descuento <= concepto.importe:
        return None
    return Violation(found=concepto.Descuento, expected=f"a lo más {concepto.Importe}, el Importe del concepto")


def _with_tax_node(conceptos: Sequence[Concepto], _ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if concepto.has_impuestos]


@selects(_with_tax_node)
def has_tax_node(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    """Whether the Concepto has Impuestos."""
    return concepto.has_impuestos


def _without_taxes(conceptos: Sequence[Concepto], _ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if not concepto.traslados and not concepto.retenciones]


@selects(_without_taxes)
def tax_node_is_not_empty(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """Impuestos has a Traslado or a Retencion."""
    if concepto.traslados or concepto.retenciones:
        return None
    return Violation(found="Impuestos vacío", expected="al menos un Traslado o una Retencion")


def possible(
    number: str, ctx: EvaluationContext, years_back: int = YEARS_BACK, *, per_patent: bool = True
) -> RuleResult:
    """Check the parts of a NumeroPedimento: year, customs office, patent and number.

    Args:
        number: as written.
        years_back: age in years of the oldest allowed year.
        per_patent: whether the matrix asks for the row of customs office, patent and year; False when it names customs
            office and year only, so that the absence of that row decides nothing.
    """
    parts = _FORM.fullmatch(number)
    if parts is None:
        return Violation(found=number, expected="AA  BB  CCCC  DDDDDDD, con dos espacios entre los grupos")
    years = {f"{year % 100:02}" for year in range(ctx.issued.year - years_back, ctx.issued.year + 1)}
    if parts["year"] not in years:
        return Violation(found=number, expected=f"un año de {min(years)} a {max(years)} en las posiciones 1 y 2")
    if not ctx.in_force("c_Aduana", parts["aduana"]):
        return Violation(found=number, expected="una clave de c_Aduana en las posiciones 5 y 6")
    if not ctx.in_force("c_PatenteAduanal", parts["patente"]):
        return Violation(found=number, expected="una clave de c_PatenteAduanal en las posiciones 9 a 12")
    if parts["number"] == "000000":
        return Violation(found=number, expected="un número desde 000001 en las últimas seis posiciones")
    return _assigned(parts, number, ctx, per_patent)


def _assigned(parts: re.Match[str], number: str, ctx: EvaluationContext, per_patent: bool) -> RuleResult:
    """Check the quantity of numbers that c_NumPedimentoAduana assigns to customs office, patent and year.

    The SAT adds rows during the year: a row that is missing on a date after the publication is indeterminate.
    """
    if not ctx.catalogs.has(PEDIMENTOS, "cantidad"):
        return Indeterminate(PEDIMENTOS)
    row = ctx.row(PEDIMENTOS, f"{parts['aduana']}|{parts['patente']}|{parts['year']}")
    if row is None:
        published = ctx.catalogs.published(PEDIMENTOS)
        if published is None or not per_patent:
            return Indeterminate(PEDIMENTOS)
        if ctx.issued > published:
            return Indeterminate(f"{PEDIMENTOS} posterior al {published}")
        return Violation(found=number, expected="una aduana, patente y año de c_NumPedimentoAduana")
    if int(parts["number"]) > int(row["cantidad"]):
        return Violation(found=number, expected=f"un número de 000001 a {row['cantidad']:0>6} al final")
    return None


def pedimento_is_valid(aduana: InformacionAduanera, ctx: EvaluationContext) -> RuleResult:
    """NumeroPedimento has a valid year, customs office, patent and number."""
    return possible(aduana.NumeroPedimento, ctx)


def pedimento_is_absent_in_exports(aduana: InformacionAduanera, ctx: EvaluationContext) -> RuleResult:
    """NumeroPedimento is absent with the complement Comercio Exterior."""
    if not has_comercio_exterior(ctx.comprobante):
        return None
    return absent(aduana.NumeroPedimento, "con el complemento Comercio Exterior")
