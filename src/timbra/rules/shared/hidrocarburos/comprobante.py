"""The invoice that has a complement of hydrocarbon contracts, and its Conceptos."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante, Concepto, Emisor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.invoice.fixed import children, written

AT: Final = "Conceptos/Concepto"
WHY: Final = "con un complemento de hidrocarburos"


def is_of_type(comprobante: Comprobante, tipo: str) -> RuleResult:
    """Check TipoDeComprobante."""
    return written(comprobante.TipoDeComprobante, tipo, WHY)


def is_no_export(comprobante: Comprobante) -> RuleResult:
    """Check that Exportacion is 01."""
    return written(comprobante.Exportacion, "01", WHY)


def has_no_acquirer(emisor: Emisor) -> RuleResult:
    """Check that FacAtrAdquirente is absent."""
    return absent(emisor.FacAtrAdquirente, WHY)


def forbidden(name: str) -> Violation:
    """Return the violation for an element that must be absent."""
    return Violation(found=name, expected=f"que no exista {WHY}")


def has_no_customs(concepto: Concepto) -> RuleResult:
    """Check that InformacionAduanera is absent."""
    return forbidden("InformacionAduanera") if concepto.aduanas else None


def has_no_property(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """Check that CuentaPredial is absent."""
    return forbidden("CuentaPredial") if "CuentaPredial" in children(concepto, ctx) else None


def has_no_complement(concepto: Concepto) -> RuleResult:
    """Check that ComplementoConcepto is absent."""
    return forbidden("ComplementoConcepto") if concepto.complementos else None


def has_no_parts(concepto: Concepto) -> RuleResult:
    """Check that Parte is absent."""
    return forbidden("Parte") if concepto.partes else None
