"""The document with the complement, its Conceptos, and the complement: IEEH102 to IEEH113."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Comprobante, Concepto, Emisor, InformacionGlobal
from timbra.cfdi.nodes.ieeh10 import DocumentoRelacionado, IngresosHidrocarburos
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.hidrocarburos import (
    has_no_adquirente,
    has_no_complemento_concepto,
    has_no_cuenta_predial,
    has_no_informacion_aduanera,
    has_no_parte,
    has_no_third_party,
    is_no_export,
    is_no_global_invoice,
    is_of_type,
    month_is_of_date_or_previous,
    percentage_is_positive,
)

IEEH102 = row(
    "IEEH102",
    Comprobante,
    at="@TipoDeComprobante",
    says="Con el complemento Ingresos de Hidrocarburos, TipoDeComprobante debe ser I.",
    check=is_of_type("I"),
)


IEEH106 = row(
    "IEEH106",
    Comprobante,
    at="@Exportacion",
    says="Con el complemento Ingresos de Hidrocarburos, Exportacion debe ser 01.",
    check=is_no_export,
)


IEEH107 = row(
    "IEEH107",
    InformacionGlobal,
    at="InformacionGlobal",
    says="Con el complemento Ingresos de Hidrocarburos, InformacionGlobal no debe existir.",
    check=is_no_global_invoice,
)


IEEH108 = row(
    "IEEH108",
    Emisor,
    at="Emisor/@FacAtrAdquirente",
    says="Con el complemento Ingresos de Hidrocarburos, FacAtrAdquirente no debe existir.",
    check=has_no_adquirente,
)


IEEH109 = row(
    "IEEH109",
    ACuentaTerceros,
    at="Conceptos/Concepto/ACuentaTerceros",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar ACuentaTerceros.",
    check=has_no_third_party,
)


IEEH110 = row(
    "IEEH110",
    Concepto,
    at="Conceptos/Concepto/InformacionAduanera",
    says=("Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar InformacionAduanera."),
    check=has_no_informacion_aduanera,
)


IEEH111 = row(
    "IEEH111",
    Concepto,
    at="Conceptos/Concepto/CuentaPredial",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar CuentaPredial.",
    check=has_no_cuenta_predial,
)


IEEH112 = row(
    "IEEH112",
    Concepto,
    at="Conceptos/Concepto/ComplementoConcepto",
    says=("Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar ComplementoConcepto."),
    check=has_no_complemento_concepto,
)


IEEH113 = row(
    "IEEH113",
    Concepto,
    at="Conceptos/Concepto/Parte",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar Parte.",
    check=has_no_parte,
)


IEEH103 = row(
    "IEEH103",
    DocumentoRelacionado,
    at="Complemento/IngresosHidrocarburos/DocumentoRelacionado/@Mes",
    says="Mes debe ser el de FechaFolioFiscalVinculado o el anterior.",
    check=month_is_of_date_or_previous,
)


IEEH104 = row(
    "IEEH104",
    IngresosHidrocarburos,
    at="Complemento/IngresosHidrocarburos/@Porcentaje",
    says="Porcentaje del complemento Ingresos de Hidrocarburos debe ser mayor que cero.",
    check=percentage_is_positive,
)


@rule(
    "IEEH105",
    at="Complemento/IngresosHidrocarburos/@ContraprestacionPagadaOperador",
    says="ContraprestacionPagadaOperador debe ser igual al Total del comprobante.",
)
def contraprestacion_equals_total(ingresos: IngresosHidrocarburos, ctx: EvaluationContext) -> RuleResult:
    comprobante = ctx.comprobante
    if ingresos.contraprestacion == comprobante.total:
        return None
    found = ingresos.ContraprestacionPagadaOperador
    return Violation(found=found, expected=f"{comprobante.Total}, el Total del comprobante")
