"""Import declarations of an expense: GCEH108 to GCEH114, GCEH133."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import DocumentoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice.customs import possible
from timbra.rules.shared.presence import is_absent_with, is_absent_without, is_present_with

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
