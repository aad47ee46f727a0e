"""Kind, place and export of the document: CFDI40121 to CFDI40123, CFDI40126, CFDI40222, required complements."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.nomina12 import TAG as NOMINA
from timbra.cfdi.nodes.nomina12 import NominaDeConcepto
from timbra.cfdi.nodes.pagos20 import TAG as PAGOS
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import HEAD, has_comercio_exterior, key_of


@rule("CFDI40121", at="@TipoDeComprobante", reads=HEAD)
def type_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoDeComprobante", comprobante.TipoDeComprobante)


@rule("CFDI40122", at="@Exportacion")
def definitive_export_has_its_complement(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Exportacion != "02" or has_comercio_exterior(comprobante):
        return None
    return Violation(found="02", expected="el complemento Comercio Exterior")


@rule("CFDI40123", at="@Exportacion", reads=HEAD)
def export_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Exportacion", comprobante.Exportacion)


@rule("CFDI40126", at="@LugarExpedicion", reads=HEAD)
def place_of_issue_is_a_postal_code(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_CodigoPostal", comprobante.LugarExpedicion)


@rule("CFDI40222", at="@Exportacion")
def no_definitive_export_has_no_complement(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """04 leaves it open."""
    if comprobante.Exportacion not in ("01", "03") or not has_comercio_exterior(comprobante):
        return None
    return Violation(found=comprobante.Exportacion, expected="02 o 04, por el complemento Comercio Exterior")


@rule("CFDI40999:Moneda-N", at="@Moneda", types="N", reads=HEAD, inseparable=("NOM1",))
def payroll_is_in_pesos(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.Moneda == "MXN" else Violation(found=comprobante.Moneda, expected="MXN, por el tipo N")


@rule("CFDI40999:Nomina-required", at="Complemento", source="RMF 2026, Anexo 29, VI.1 numeral 10")
def payroll_carries_nomina(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """NOM2 refuses the complement in documents of other types, NOM30 one inside a Concepto."""
    return None if comprobante.of(NominaDeConcepto) else _carries(comprobante, "N", NOMINA, "Nómina")


@rule("CFDI40999:Pagos-required", at="Complemento", source="RMF 2026, Anexo 29, VI.1 numeral 10; Pagos 2.0")
def payment_carries_pagos(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """CRP20101 refuses the complement in documents of other types."""
    return _carries(comprobante, "P", PAGOS, "Recepción de Pagos")


def _carries(comprobante: Comprobante, tipo: str, name: str, title: str) -> RuleResult:
    """The complement that documents of one type carry."""
    if comprobante.TipoDeComprobante != tipo or comprobante.complement(name) is not None:
        return None
    return Violation(expected=f"el complemento {title}, por el tipo {tipo}")
