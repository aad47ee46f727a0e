"""Attributes of Comprobante: CFDI40101 to CFDI40129, CFDI40222, and complements."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import TAG as NOMINA
from timbra.cfdi.nodes.nomina12 import NominaDeConcepto
from timbra.cfdi.nodes.pagos20 import TAG as PAGOS
from timbra.core.money import half_up
from timbra.rules.engine.amount_forms import Balance, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import ANEXO_20, ANEXO_29, CADENA_ORIGINAL
from timbra.rules.shared.invoice.comprobante import (
    MXN,
    RATE_PATTERN,
    complements_are_in_force,
    complements_match_invoice_version,
    computed_total,
    computed_total_text,
    discount_equals_sum_of_discounts,
    discount_is_at_most_subtotal,
    has_confirmation,
    has_no_rate_without_currency,
    has_rate_in_foreign_currency,
    is_absent_in_type,
    is_absent_within_limits,
    is_issued_to_issuer,
    is_unused,
    rate_is_within_limits_or_confirmed,
    subtotal_equals_sum_of_amounts,
    subtotal_is_zero,
    total_is_within_maximum_or_confirmed,
)
from timbra.rules.shared.predicates import (
    decimals_of,
    equals,
    has_comercio_exterior,
    has_decimals_of_currency,
    in_catalog,
)

TO_BE_DEFINED = "99"
"""Key of c_FormaPago: por definir."""


@rule(
    "CFDI40101",
    at="@Fecha",
    says="Fecha debe tener la forma AAAA-MM-DDThh:mm:ss y ser la hora local de LugarExpedicion.",
    note="La fecha debe cumplir el patrón t_FechaH y existir en el calendario.",
)
def date_is_valid(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.local is not None:
        return None
    hint = "Es la hora local de LugarExpedicion, sin zona: AAAA-MM-DDThh:mm:ss."
    return Violation(found=comprobante.Fecha, expected="una fecha con hora AAAA-MM-DDThh:mm:ss", hint=hint)


CFDI40103 = row(
    "CFDI40103",
    Comprobante,
    at="@FormaPago",
    says="FormaPago no debe existir en comprobantes de tipo T, N o P.",
    check=is_absent_in_type("FormaPago"),
    types="TNP",
)


CFDI40104 = row(
    "CFDI40104",
    Comprobante,
    at="@FormaPago",
    says="FormaPago debe ser una clave vigente de c_FormaPago.",
    check=in_catalog("c_FormaPago", "FormaPago"),
)


@rule(
    "CFDI40105",
    at="@FormaPago",
    says="Con MetodoPago PPD, FormaPago debe ser 99.",
    types="IE",
)
def deferred_payment_has_form_to_be_defined(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.MetodoPago != "PPD" or comprobante.FormaPago == TO_BE_DEFINED:
        return None
    return Violation(found=comprobante.FormaPago, expected=f"{TO_BE_DEFINED}, por MetodoPago PPD")


CFDI40124 = row(
    "CFDI40124",
    Comprobante,
    at="@MetodoPago",
    says="MetodoPago debe ser una clave vigente de c_MetodoPago.",
    check=in_catalog("c_MetodoPago", "MetodoPago"),
)


CFDI40125 = row(
    "CFDI40125",
    Comprobante,
    at="@MetodoPago",
    says="MetodoPago no debe existir en comprobantes de tipo T o P.",
    check=is_absent_in_type("MetodoPago"),
    types="TP",
)


CFDI40999_CondicionesDePago = row(
    "CFDI40999:CondicionesDePago",
    Comprobante,
    at="@CondicionesDePago",
    says="CondicionesDePago no debe existir en comprobantes de tipo T, P o N.",
    check=is_absent_in_type("CondicionesDePago"),
    types="TPN",
    cites=ANEXO_20,
)


CFDI40113 = row(
    "CFDI40113",
    Comprobante,
    at="@Moneda",
    says="Moneda debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "Moneda"),
)


@rule(
    "CFDI40114",
    at="@TipoCambio",
    says="Con Moneda MXN, TipoCambio no debe existir o debe ser 1.",
)
def rate_of_mxn_is_one(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Moneda != MXN or comprobante.TipoCambio in (None, "1"):
        return None
    return Violation(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


CFDI40115 = row(
    "CFDI40115",
    Comprobante,
    at="@TipoCambio",
    says="TipoCambio debe existir cuando la moneda no es MXN ni XXX.",
    check=has_rate_in_foreign_currency,
)


CFDI40116 = row(
    "CFDI40116",
    Comprobante,
    at="@TipoCambio",
    says="Con Moneda XXX, TipoCambio no debe existir.",
    check=has_no_rate_without_currency,
)


@rule(
    "CFDI40117",
    at="@TipoCambio",
    says="TipoCambio debe ser un número positivo de hasta 18 enteros y 6 decimales.",
)
def rate_is_positive_decimal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    text = comprobante.TipoCambio
    if text is None or (RATE_PATTERN.fullmatch(text) and comprobante.tipo_cambio > 0):
        return None
    return Violation(found=text, expected="un número desde 0.000001, de hasta 18 enteros y 6 decimales")


CFDI40118 = row(
    "CFDI40118",
    Comprobante,
    at="@TipoCambio",
    says="Un TipoCambio fuera de los límites publicados requiere Confirmacion.",
    check=rate_is_within_limits_or_confirmed,
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
)


CFDI40107 = row(
    "CFDI40107",
    Comprobante,
    at="@SubTotal",
    says="SubTotal no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("SubTotal"),
)


CFDI40108 = row(
    "CFDI40108",
    Comprobante,
    at="@SubTotal",
    says="SubTotal debe ser la suma de los importes de los conceptos, redondeada a los decimales de la moneda.",
    check=subtotal_equals_sum_of_amounts,
    types="IEN",
)


CFDI40109 = row(
    "CFDI40109",
    Comprobante,
    at="@SubTotal",
    says="SubTotal debe ser cero en comprobantes de tipo T o P.",
    check=subtotal_is_zero,
    types="TP",
)


CFDI40110 = row(
    "CFDI40110",
    Comprobante,
    at="@Descuento",
    says="Descuento no debe ser mayor que SubTotal.",
    check=discount_is_at_most_subtotal,
    inseparable=("CFDI40169",),
)


CFDI40111 = row(
    "CFDI40111",
    Comprobante,
    at="@Descuento",
    says="Descuento debe ser la suma de los descuentos de los conceptos, y solo existir si alguno lo tiene.",
    check=discount_equals_sum_of_discounts,
)


CFDI40112 = row(
    "CFDI40112",
    Comprobante,
    at="@Descuento",
    says="Descuento no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("Descuento"),
)


@rule(
    "CFDI40119",
    at="@Total",
    says="Total debe ser SubTotal menos descuentos más impuestos trasladados menos impuestos retenidos.",
    note="Suma también los impuestos locales; en los tipos T y P es cero. No tiene más decimales que la moneda.",
)
@implied_by(
    Balance(
        "Total",
        start="SubTotal",
        less="Descuento",
        plus="Impuestos/@TotalImpuestosTrasladados",
        minus="Impuestos/@TotalImpuestosRetenidos",
    )
)
def total_equals_computed_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.decimals is None:
        return None
    violation = decimals_of(ctx, comprobante.Total)
    if violation is not None:
        return violation
    has_amounts = comprobante.TipoDeComprobante not in ("T", "P")
    expected = half_up(computed_total(comprobante), ctx.decimals) if has_amounts else ZERO
    if comprobante.total == expected:
        return None
    why = computed_total_text(comprobante) if has_amounts else f"por el tipo {comprobante.TipoDeComprobante}"
    return Violation(found=comprobante.Total, expected=f"{expected:f}, {why}")


CFDI40120 = row(
    "CFDI40120",
    Comprobante,
    at="@Total",
    says="Un Total mayor que el límite permitido requiere Confirmacion.",
    check=total_is_within_maximum_or_confirmed,
    types="IEN",
    severity=Severity.SUSPENDED,
)


CFDI40121 = row(
    "CFDI40121",
    Comprobante,
    at="@TipoDeComprobante",
    says="TipoDeComprobante debe ser una clave vigente de c_TipoDeComprobante.",
    check=in_catalog("c_TipoDeComprobante", "TipoDeComprobante"),
)


@rule(
    "CFDI40122",
    at="@Exportacion",
    says="Con Exportacion 02 debe existir el complemento Comercio Exterior.",
)
def definitive_export_has_comercio_exterior(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Exportacion != "02" or has_comercio_exterior(comprobante):
        return None
    return Violation(found="02", expected="el complemento Comercio Exterior")


CFDI40123 = row(
    "CFDI40123",
    Comprobante,
    at="@Exportacion",
    says="Exportacion debe ser una clave vigente de c_Exportacion.",
    check=in_catalog("c_Exportacion", "Exportacion"),
)


CFDI40126 = row(
    "CFDI40126",
    Comprobante,
    at="@LugarExpedicion",
    says="LugarExpedicion debe ser una clave de c_CodigoPostal.",
    check=in_catalog("c_CodigoPostal", "LugarExpedicion"),
)


@rule(
    "CFDI40222",
    at="@Exportacion",
    says="Con Exportacion 01 o 03 no debe existir el complemento Comercio Exterior.",
    note="Con Exportacion 04 el complemento es opcional.",
)
def other_exports_have_no_comercio_exterior(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Exportacion not in ("01", "03") or not has_comercio_exterior(comprobante):
        return None
    return Violation(found=comprobante.Exportacion, expected="02 o 04, por el complemento Comercio Exterior")


CFDI40999_Moneda_N = row(
    "CFDI40999:Moneda-N",
    Comprobante,
    at="@Moneda",
    says="Moneda debe ser MXN en comprobantes de tipo N.",
    check=equals("Moneda", "MXN", "por el tipo N"),
    types="N",
    inseparable=("NOM1",),
    cites=ANEXO_20,
)


@rule(
    "CFDI40999:Nomina-required",
    at="Complemento",
    says="Un comprobante de tipo N debe llevar el complemento Nómina.",
    note="NOM2 rechaza el complemento en comprobantes de otro tipo, y NOM30 el que está en un concepto.",
    types="N",
    cites=ANEXO_29,
)
def payroll_has_nomina(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.complement(NOMINA) is not None or comprobante.of(NominaDeConcepto):
        return None
    return Violation(expected="el complemento Nómina, por el tipo N")


@rule(
    "CFDI40999:Pagos-required",
    at="Complemento",
    says="Un comprobante de tipo P debe llevar el complemento Recepción de Pagos.",
    note="CRP20101 rechaza el complemento en comprobantes de otro tipo.",
    types="P",
    cites=ANEXO_29,
)
def payment_has_pagos(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.complement(PAGOS) is not None:
        return None
    return Violation(expected="el complemento Recepción de Pagos, por el tipo P")


CFDI40127 = row(
    "CFDI40127",
    Comprobante,
    at="@Confirmacion",
    says="Confirmacion no debe existir cuando TipoCambio y Total están dentro de sus límites.",
    check=is_absent_within_limits,
    applies=has_confirmation,
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
)


CFDI40128 = row(
    "CFDI40128",
    Comprobante,
    at="@Confirmacion",
    says="Confirmacion debe ser una clave que el proveedor entregó a este emisor.",
    check=is_issued_to_issuer,
    applies=has_confirmation,
    needs=(DataRequirement.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
)


CFDI40129 = row(
    "CFDI40129",
    Comprobante,
    at="@Confirmacion",
    says="Confirmacion no debe haberse usado en otro comprobante.",
    check=is_unused,
    applies=has_confirmation,
    needs=(DataRequirement.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
)


CFDI40999_Complemento_Version = row(
    "CFDI40999:Complemento-Version",
    Comprobante,
    at="Complemento",
    says="Los complementos del comprobante y de sus conceptos deben ser de una versión que CFDI 4.0 admita.",
    check=complements_match_invoice_version,
    cites=CADENA_ORIGINAL,
)


CFDI40999_Complemento_Vigencia = row(
    "CFDI40999:Complemento-Vigencia",
    Comprobante,
    at="Complemento",
    says="Fecha no debe ser posterior al último día de vigencia de la versión de cada complemento.",
    note="El SAT ha cambiado estas fechas: la validación da un aviso, y el timbrado rechaza el comprobante.",
    check=complements_are_in_force,
    severity=Severity.WARNING,
    cites=CADENA_ORIGINAL,
)
