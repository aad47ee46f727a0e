"""Invoices and import declarations of an expense: GCEH103 to GCEH116, GCEH132, GCEH133."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import DocumentoRelacionado, Erogacion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.hidrocarburos import month_is_of_date_or_previous, percentage_is_positive
from timbra.rules.shared.invoice.concepto import possible
from timbra.rules.shared.presence import is_absent_with, is_absent_without, is_present_with

GCEH103 = row(
    "GCEH103",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FolioFiscalVinculado",
    says="Con OrigenErogacion Extranjero, FolioFiscalVinculado no debe existir.",
    check=is_absent_with("FolioFiscalVinculado", "OrigenErogacion", ("Extranjero",)),
)


GCEH104 = row(
    "GCEH104",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor",
    says="Sin FolioFiscalVinculado, RFCProveedor no debe existir.",
    check=is_absent_without("RFCProveedor", "FolioFiscalVinculado"),
)


GCEH105 = row(
    "GCEH105",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor",
    says="Con FolioFiscalVinculado, RFCProveedor debe existir.",
    check=is_present_with("RFCProveedor", "FolioFiscalVinculado"),
)


GCEH106 = row(
    "GCEH106",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA",
    says="Sin FolioFiscalVinculado, MontoTotalIVA no debe existir.",
    check=is_absent_without("MontoTotalIVA", "FolioFiscalVinculado"),
)


GCEH107 = row(
    "GCEH107",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA",
    says="Con FolioFiscalVinculado, MontoTotalIVA debe existir.",
    check=is_present_with("MontoTotalIVA", "FolioFiscalVinculado"),
)


GCEH115 = row(
    "GCEH115",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@Mes",
    says="Mes debe ser el de FechaFolioFiscalVinculado o el anterior.",
    check=month_is_of_date_or_previous,
)


GCEH116 = row(
    "GCEH116",
    Erogacion,
    at="Complemento/GastosHidrocarburos/Erogacion/@Porcentaje",
    says="Porcentaje de una erogación debe ser mayor que cero.",
    check=percentage_is_positive,
)


GCEH132 = row(
    "GCEH132",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FechaFolioFiscalVinculado",
    says="Con FolioFiscalVinculado, FechaFolioFiscalVinculado debe existir.",
    check=is_present_with("FechaFolioFiscalVinculado", "FolioFiscalVinculado"),
)


GCEH108 = row(
    "GCEH108",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@NumeroPedimentoVinculado",
    says="Con OrigenErogacion Nacional, NumeroPedimentoVinculado no debe existir.",
    check=is_absent_with("NumeroPedimentoVinculado", "OrigenErogacion", ("Nacional",)),
)


GCEH109 = row(
    "GCEH109",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@ClavePedimentoVinculado",
    says="Sin NumeroPedimentoVinculado, ClavePedimentoVinculado no debe existir.",
    check=is_absent_without("ClavePedimentoVinculado", "NumeroPedimentoVinculado"),
)


GCEH110 = row(
    "GCEH110",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@ClavePedimentoVinculado",
    says="Con NumeroPedimentoVinculado, ClavePedimentoVinculado debe existir.",
    check=is_present_with("ClavePedimentoVinculado", "NumeroPedimentoVinculado"),
)


GCEH111 = row(
    "GCEH111",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@ClavePagoPedimentoVinculado",
    says="Sin NumeroPedimentoVinculado, ClavePagoPedimentoVinculado no debe existir.",
    check=is_absent_without("ClavePagoPedimentoVinculado", "NumeroPedimentoVinculado"),
)


GCEH112 = row(
    "GCEH112",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@ClavePagoPedimentoVinculado",
    says="Con NumeroPedimentoVinculado, ClavePagoPedimentoVinculado debe existir.",
    check=is_present_with("ClavePagoPedimentoVinculado", "NumeroPedimentoVinculado"),
)


GCEH113 = row(
    "GCEH113",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoIVAPedimento",
    says="Sin NumeroPedimentoVinculado, MontoIVAPedimento no debe existir.",
    check=is_absent_without("MontoIVAPedimento", "NumeroPedimentoVinculado"),
)


GCEH114 = row(
    "GCEH114",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoIVAPedimento",
    says="Con NumeroPedimentoVinculado, MontoIVAPedimento debe existir.",
    check=is_present_with("MontoIVAPedimento", "NumeroPedimentoVinculado"),
)


@rule(
    "GCEH133",
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@NumeroPedimentoVinculado",
    says=("NumeroPedimentoVinculado debe ser un número de pedimento posible: año, aduana, patente y número."),
)
def pedimento_number_is_possible(document: DocumentoRelacionado, ctx: EvaluationContext) -> RuleResult:
    number = document.NumeroPedimentoVinculado
    return None if number is None else possible(number, ctx)
