"""The invoice that has a complement of payments, and its only Concepto."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.invoice import fixed

WHY: Final = "en un comprobante de pago"
AT: Final = "Conceptos/Concepto"


def written(text: str | None, expected: str) -> RuleResult:
    """Check that the attribute has exactly this text."""
    return fixed.written(text, expected, WHY)


def is_of_a_payment(comprobante: Comprobante) -> RuleResult:
    """Check that TipoDeComprobante is P."""
    found = comprobante.TipoDeComprobante
    return None if found == "P" else Violation(found=found, expected="P, por el complemento Recepción de Pagos")


def has_one_concepto(comprobante: Comprobante) -> RuleResult:
    """Check that there is exactly one Concepto."""
    return fixed.one_concepto(comprobante, WHY)


def no_taxes() -> RuleResult:
    """Return the violation for an invoice that has Impuestos."""
    return Violation(found="Impuestos", expected=f"que no exista {WHY}")
