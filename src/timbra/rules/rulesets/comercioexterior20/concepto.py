"""Conceptos of an export: CCE109 to CCE112, CCE151, CCE154 to CCE156."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.cfdi.nodes.base import NAMESPACE
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20.goods import Goods, GoodsLine
from timbra.rules.shared.conditions import decimals_of, key_of

AT: Final = "Conceptos/Concepto"
CUENTA_PREDIAL: Final = f"{NAMESPACE}CuentaPredial"
UNITS: Final = "comercioexterior20:c_UnidadAduana"
LEAST: Final = Decimal("0.001")
QUANTITY: Final = re.compile(r"[0-9]{1,14}(\.[0-9]{1,3})?")
PRICE: Final = re.compile(r"[0-9]{1,16}(\.[0-9]{1,4})?")
WHY: Final = "con el complemento Comercio Exterior"


def line_of(concepto: Concepto, ctx: EvaluationContext) -> GoodsLine:
    return ctx.memoize(Goods).lines[concepto.index - 1]


def is_counted_here(concepto: Concepto, ctx: EvaluationContext) -> bool:
    """Whether the customs take quantity, unit and price of a Mercancia from this Concepto."""
    return ctx.memoize(Goods).numbered(line_of(concepto, ctx).number).is_counted_here


@rule("CCE109", at=f"{AT}/@ObjetoImp", inseparable=("CFDI40171",))
def object_of_tax_has_its_taxes(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp != "02" or concepto.has_impuestos:
        return None
    return Violation(found="02", expected="el nodo Impuestos en el concepto")


@rule("CCE110", at=f"{AT}/@ObjetoImp", types="T")
def what_is_moved_is_no_object_of_tax(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    found = concepto.ObjetoImp
    return None if found == "01" else Violation(found=found, expected=f"01, por TipoDeComprobante T {WHY}")


@rule("CCE111", at=f"{AT}/ACuentaTerceros")
def export_is_on_own_account(third: ACuentaTerceros, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found=third.RfcACuentaTerceros, expected=f"que no exista {WHY}")


@rule("CCE112", at=f"{AT}/CuentaPredial")
def export_is_no_real_estate(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    account = line_of(concepto, ctx).element.find(CUENTA_PREDIAL)
    return None if account is None else Violation(found=account.get("Numero"), expected=f"que no exista {WHY}")


@rule("CCE151", at=f"{AT}/@NoIdentificacion")
def concepto_has_a_number(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if line_of(concepto, ctx).number is not None:
        return None
    return Violation(expected=f"el número con que la identifica su Mercancia, {WHY}")


@rule("CCE154", at=f"{AT}/@Cantidad", types="T", applies=is_counted_here)
def quantity_is_one_of_customs(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if QUANTITY.fullmatch(concepto.Cantidad) and concepto.cantidad >= LEAST:
        return None
    return Violation(found=concepto.Cantidad, expected="0.001 o más, con a lo más 14 enteros y 3 decimales")


@rule("CCE155", at=f"{AT}/@Unidad", types="T", applies=is_counted_here)
def unit_is_one_of_customs(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    unit = line_of(concepto, ctx).unidad
    if unit is None:
        return Violation(expected="una clave de c_UnidadAduana: su Mercancia no lleva UnidadAduana")
    return key_of(ctx, UNITS, unit)


@rule("CCE156", at=f"{AT}/@ValorUnitario", types="T", applies=is_counted_here)
def price_is_one_of_customs(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if not PRICE.fullmatch(concepto.ValorUnitario):
        return Violation(found=concepto.ValorUnitario, expected="un valor con a lo más 16 enteros y 4 decimales")
    return decimals_of(ctx, concepto.ValorUnitario)
