"""Type, place of issue, export and required complements: CFDI40121 to CFDI40123, CFDI40126, CFDI40222."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.nomina12 import TAG as NOMINA
from timbra.cfdi.nodes.nomina12 import NominaDeConcepto
from timbra.cfdi.nodes.pagos20 import TAG as PAGOS
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import ANEXO_20, ANEXO_29
from timbra.rules.shared.conditions import has_comercio_exterior
from timbra.rules.shared.predicates import equals, in_catalog

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
