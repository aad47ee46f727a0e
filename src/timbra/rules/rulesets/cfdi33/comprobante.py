"""Attributes of Comprobante, receiver and complements: the rules that CFDI 4.0 does not repeat."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Receptor
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.pagos10 import TAG as PAGOS
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi33.sources import CADENA_ORIGINAL
from timbra.rules.shared.invoice.comprobante import (
    MXN,
    RATE_PATTERN,
    complements_match_invoice_version,
    computed_total,
    computed_total_text,
    discount_equals_sum_of_discounts,
)
from timbra.rules.shared.predicates import is_absent, person_of

INITIAL_AND_PARTIAL = "PIP"
"""Key of c_MetodoPago until July 2017: pago inicial y parcialidades."""


@rule(
    "CFDI33101",
    at="@Fecha",
    says="Fecha debe tener la forma AAAA-MM-DDThh:mm:ss y ser la hora local de LugarExpedicion.",
    note="La fecha debe cumplir el patrón t_FechaH y existir en el calendario.",
)
def date_is_valid(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.local is not None:
        return None
    return Violation(found=comprobante.Fecha, expected="una fecha con hora AAAA-MM-DDThh:mm:ss")


def has_pagos(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    """Whether the document has the complement Recepción de Pagos 1.0."""
    return comprobante.complement(PAGOS) is not None


CFDI33103 = row(
    "CFDI33103",
    Comprobante,
    at="@FormaPago",
    says="Con el complemento Recepción de Pagos, FormaPago no debe existir.",
    check=is_absent("FormaPago", "con el complemento Recepción de Pagos"),
    applies=has_pagos,
    inseparable=("CRP104",),
)


@rule(
    "CFDI33122",
    at="@MetodoPago",
    says="Con MetodoPago PIP debe existir el complemento Recepción de Pagos.",
    note="PIP no está en ningún catálogo vigente con CFDI 3.3, así que también se incumple CFDI33121.",
    types="IE",
    inseparable=("CFDI33121",),
)
def initial_payment_has_pagos(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.MetodoPago != INITIAL_AND_PARTIAL or has_pagos(comprobante, ctx):
        return None
    return Violation(found=INITIAL_AND_PARTIAL, expected="el complemento Recepción de Pagos")


CFDI33124 = row(
    "CFDI33124",
    Comprobante,
    at="@MetodoPago",
    says="Con el complemento Recepción de Pagos, MetodoPago no debe existir.",
    check=is_absent("MetodoPago", "con el complemento Recepción de Pagos"),
    applies=has_pagos,
    inseparable=("CFDI33123", "CRP105"),
)


@rule(
    "CFDI33113",
    at="@TipoCambio",
    says="Con Moneda MXN, TipoCambio no debe existir o debe ser 1.",
    note="Se compara como número: se aceptó 1.000000.",
)
def rate_of_mxn_is_one(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Moneda != MXN or comprobante.TipoCambio is None or comprobante.tipo_cambio == 1:
        return None
    return Violation(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


@rule(
    "CFDI33116",
    at="@TipoCambio",
    says="TipoCambio debe ser un número de hasta 18 enteros y 6 decimales.",
)
def rate_is_decimal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    text = comprobante.TipoCambio
    if text is None or RATE_PATTERN.fullmatch(text):
        return None
    return Violation(found=text, expected="un número de hasta 18 enteros y 6 decimales")


@rule(
    "CFDI33110",
    at="@Descuento",
    says="Descuento debe ser la suma de los descuentos de los conceptos, y solo existir si alguno lo tiene.",
    note="Se timbraron comprobantes con Descuento 0 aunque ningún concepto lo lleve.",
)
def discount_equals_sum_of_discounts_or_zero(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.descuento == ZERO and all(concepto.Descuento is None for concepto in comprobante.conceptos):
        return None
    return discount_equals_sum_of_discounts(comprobante, ctx)


@rule(
    "CFDI33118",
    at="@Total",
    says="Total debe ser SubTotal menos descuentos más traslados menos retenciones, o cero en los tipos T y P.",
    note="Se comparan con los decimales de la moneda, porque ninguna regla limita los de Total.",
)
def total_equals_computed_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.decimals is None:
        return None
    has_amounts = comprobante.TipoDeComprobante not in ("T", "P")
    expected = half_up(computed_total(comprobante), ctx.decimals) if has_amounts else ZERO
    found = half_up(comprobante.total, ctx.decimals) if has_amounts else comprobante.total
    if found == expected:
        return None
    why = computed_total_text(comprobante) if has_amounts else f"por el tipo {comprobante.TipoDeComprobante}"
    return Violation(found=comprobante.Total, expected=f"{expected:f}, {why}")


@rule(
    "CFDI33141",
    at="Receptor/@UsoCFDI",
    says="UsoCFDI debe aplicar al tipo de persona del receptor.",
)
def use_matches_person(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    row = ctx.row("c_UsoCFDI", receptor.UsoCFDI)
    if row is None or row[person_of(receptor.Rfc)]:
        return None
    expected = f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}"
    return Violation(found=receptor.UsoCFDI, expected=expected)


CFDI33196_Complemento_Version = row(
    "CFDI33196:Complemento-Version",
    Comprobante,
    at="Complemento",
    says="Los complementos del comprobante y de sus conceptos deben ser de una versión que CFDI 3.3 admita.",
    check=complements_match_invoice_version,
    cites=CADENA_ORIGINAL,
)
