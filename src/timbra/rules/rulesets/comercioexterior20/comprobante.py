"""The document with the complement, and its Conceptos: CCE101, CCE105 to CCE112, CCE114, CCE151, CCE154 to CCE156."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes import ACuentaTerceros, Comprobante, Concepto, InformacionGlobal, Receptor
from timbra.cfdi.nodes.base import NAMESPACE
from timbra.cfdi.nodes.comercioexterior20 import ComercioExteriorDeConcepto
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.comercioexterior20.goods import Goods, GoodsLine
from timbra.rules.shared.predicates import decimals_of, equals, is_in_comprobante_complemento, key_of
from timbra.rules.shared.presence import is_forbidden

TYPES = ("I", "E", "T")
CUENTA_PREDIAL: Final = f"{NAMESPACE}CuentaPredial"
UNITS: Final = "comercioexterior20:c_UnidadAduana"
MINIMUM: Final = Decimal("0.001")
"""Minimum of CantidadAduana in the SAT's schema."""
QUANTITY: Final = re.compile(r"[0-9]{1,14}(\.[0-9]{1,3})?")
PRICE: Final = re.compile(r"[0-9]{1,16}(\.[0-9]{1,4})?")
WHY: Final = "con el complemento Comercio Exterior"


@rule(
    "CCE101",
    at="@TipoDeComprobante",
    says="Con el complemento Comercio Exterior, TipoDeComprobante debe ser I, E o T.",
    inseparable=("CFDI40121",),
)
def is_of_type_i_e_or_t(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.TipoDeComprobante
    return None if found in TYPES else Violation(found=found, expected="I, E o T, por el complemento Comercio Exterior")


@rule(
    "CCE105",
    at="@Exportacion",
    says="Con Exportacion 03 no debe existir el complemento Comercio Exterior.",
    inseparable=("CFDI40222",),
)
def is_no_temporary_export(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Exportacion != "03":
        return None
    return Violation(
        found="03", expected="otra clave: una exportación temporal no lleva el complemento Comercio Exterior"
    )


CCE106 = row(
    "CCE106",
    InformacionGlobal,
    at="InformacionGlobal",
    says="Una factura de exportación no debe llevar InformacionGlobal.",
    check=is_forbidden("InformacionGlobal", "con el complemento Comercio Exterior"),
)


def is_not_generic_foreign(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return receptor.Rfc != FOREIGN


@rule(
    "CCE107",
    at="Receptor/@Rfc",
    says="El receptor de una exportación debe estar inscrito (l_RFC) o ser XEXX010101000.",
    note="El RFC del público en general no se admite en una exportación.",
    types="I",
    applies=is_not_generic_foreign,
    needs=(DataRequirement.TAXPAYERS,),
)
def receiver_is_registered_or_foreign(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    expected = f"un RFC inscrito y no cancelado (l_RFC), o {FOREIGN}"
    if receptor.is_generic:
        return Violation(found=receptor.Rfc, expected=expected, proven=True)
    if ctx.taxpayer(receptor.Rfc) is not None:
        return None
    return Violation(found=receptor.Rfc, expected=expected, hint=ctx.reference_data.registry_hint)


@rule(
    "CCE108",
    at="Receptor/@Rfc",
    says="En un traslado de exportación, el RFC del receptor debe ser el del emisor.",
    types="T",
)
def receiver_is_issuer(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    issuer = ctx.comprobante.emisor.Rfc
    if receptor.Rfc == issuer:
        return None
    return Violation(found=receptor.Rfc, expected=f"{issuer}, el RFC del emisor, por TipoDeComprobante T")


def line_of(concepto: Concepto, ctx: EvaluationContext) -> GoodsLine:
    """Return the Concepto with the attributes that its node does not have."""
    return ctx.memoize(Goods).lines[concepto.index - 1]


def is_valued_by_concepto(concepto: Concepto, ctx: EvaluationContext) -> bool:
    """Whether a Mercancia of the Concepto has no CantidadAduana, and uses the Concepto's values."""
    return ctx.memoize(Goods).numbered(line_of(concepto, ctx).number).is_valued_by_concepto


@rule(
    "CCE109",
    at="Conceptos/Concepto/@ObjetoImp",
    says="Un concepto exportado con ObjetoImp 02 debe llevar Impuestos.",
    inseparable=("CFDI40171",),
)
def has_taxes_with_objeto_imp_02(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp != "02" or concepto.has_impuestos:
        return None
    return Violation(found="02", expected="el nodo Impuestos en el concepto")


CCE110 = row(
    "CCE110",
    Concepto,
    at="Conceptos/Concepto/@ObjetoImp",
    says="ObjetoImp de los conceptos de un traslado de exportación debe ser 01.",
    check=equals("ObjetoImp", "01", f"por TipoDeComprobante T {WHY}"),
    types="T",
)


@rule(
    "CCE111",
    at="Conceptos/Concepto/ACuentaTerceros",
    says="Un concepto exportado no debe llevar ACuentaTerceros.",
)
def has_no_third_party(third: ACuentaTerceros, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found=third.RfcACuentaTerceros, expected=f"que no exista {WHY}")


@rule(
    "CCE112",
    at="Conceptos/Concepto/CuentaPredial",
    says="Un concepto exportado no debe llevar CuentaPredial.",
)
def has_no_cuenta_predial(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    account = line_of(concepto, ctx).element.find(CUENTA_PREDIAL)
    return None if account is None else Violation(found=account.get("Numero"), expected=f"que no exista {WHY}")


@rule(
    "CCE151",
    at="Conceptos/Concepto/@NoIdentificacion",
    says="Todo concepto de una exportación debe llevar NoIdentificacion.",
)
def has_identification_number(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if line_of(concepto, ctx).number is not None:
        return None
    return Violation(expected=f"el número con que la identifica su Mercancia, {WHY}")


@rule(
    "CCE154",
    at="Conceptos/Concepto/@Cantidad",
    says=("Cantidad del concepto debe servir de cantidad aduanera: la mercancía no lleva CantidadAduana."),
    types="T",
    applies=is_valued_by_concepto,
)
def quantity_is_valid_for_customs(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if QUANTITY.fullmatch(concepto.Cantidad) and concepto.cantidad >= MINIMUM:
        return None
    return Violation(found=concepto.Cantidad, expected="0.001 o más, con a lo más 14 enteros y 3 decimales")


@rule(
    "CCE155",
    at="Conceptos/Concepto/@Unidad",
    says=("Unidad del concepto debe ser una clave de c_UnidadAduana: la mercancía no lleva CantidadAduana."),
    types="T",
    applies=is_valued_by_concepto,
)
def unit_is_valid_for_customs(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    unit = line_of(concepto, ctx).unidad
    if unit is None:
        return Violation(expected="una clave de c_UnidadAduana: su Mercancia no lleva UnidadAduana")
    return key_of(ctx, UNITS, unit)


@rule(
    "CCE156",
    at="Conceptos/Concepto/@ValorUnitario",
    says=("ValorUnitario del concepto debe servir de valor aduanero: la mercancía no lleva CantidadAduana."),
    types="T",
    applies=is_valued_by_concepto,
)
def unit_price_is_valid_for_customs(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if not PRICE.fullmatch(concepto.ValorUnitario):
        return Violation(found=concepto.ValorUnitario, expected="un valor con a lo más 16 enteros y 4 decimales")
    return decimals_of(ctx, concepto.ValorUnitario)


CCE114 = row(
    "CCE114",
    ComercioExteriorDeConcepto,
    at="Conceptos/Concepto/ComplementoConcepto/ComercioExterior",
    says="ComercioExterior debe estar en el Complemento del comprobante.",
    note="Si hay otro complemento en su lugar, también pueden incumplirse reglas sobre el contenido del concepto.",
    check=is_in_comprobante_complemento,
)
