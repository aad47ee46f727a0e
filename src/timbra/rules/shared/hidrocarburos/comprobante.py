"""Predicates about the invoice with a complement of hydrocarbon contracts, and about its Conceptos."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.invoice.fixed import children
from timbra.rules.shared.predicates import Predicate, equals, is_absent
from timbra.rules.shared.presence import is_forbidden

WHY: Final = "con un complemento de hidrocarburos"


def is_of_type(tipo: str) -> Predicate:
    """TipoDeComprobante is this type."""
    return equals("TipoDeComprobante", tipo, WHY)


is_no_export: Final = equals("Exportacion", "01", WHY)
"""Exportacion is 01."""
is_no_tax_object: Final = equals("ObjetoImp", "01", WHY)
"""ObjetoImp is 01."""
has_no_adquirente: Final = is_absent("FacAtrAdquirente", WHY)
"""FacAtrAdquirente is absent."""
is_no_global_invoice: Final = is_forbidden("InformacionGlobal", WHY)
"""InformacionGlobal does not exist."""
has_no_third_party: Final = is_forbidden("ACuentaTerceros", WHY)
"""ACuentaTerceros does not exist."""


def has_no_impuestos(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """Impuestos does not exist."""
    return _forbidden("Impuestos") if concepto.has_impuestos else None


def has_no_informacion_aduanera(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """InformacionAduanera does not exist."""
    return _forbidden("InformacionAduanera") if concepto.aduanas else None


def has_no_cuenta_predial(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """CuentaPredial does not exist."""
    return _forbidden("CuentaPredial") if "CuentaPredial" in children(concepto, ctx) else None


def has_no_complemento_concepto(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """ComplementoConcepto does not exist."""
    return _forbidden("ComplementoConcepto") if concepto.complementos else None


def has_no_parte(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """Parte does not exist."""
    return _forbidden("Parte") if concepto.partes else None


def _forbidden(element: str) -> Violation:
    return Violation(found=element, expected=f"que no exista {WHY}")
