"""Checks of payments and payrolls: invoices whose attributes and only Concepto have fixed values.

Argument `why` of the functions is the Spanish end of the sentence for the expected value: "en un comprobante de pago".
"""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.cfdi.nodes.base import elements
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation


def written(text: str | None, expected: str, why: str) -> RuleResult:
    """Check that the attribute has exactly this text."""
    return None if text == expected else Violation(found=text, expected=f"{expected}, {why}")


def one_concepto(comprobante: Comprobante, why: str) -> RuleResult:
    """Check that there is exactly one Concepto."""
    count = len(comprobante.conceptos)
    return None if count == 1 else Violation(found=f"{count} conceptos", expected=f"uno solo {why}")


def _elements(comprobante: Comprobante) -> list[etree._Element]:
    """Return the elements of all Conceptos, because the nodes lack attributes that are rare in such invoices."""
    root = comprobante.element
    namespace = etree.QName(root).namespace
    return list(root.iterfind(f"{{{namespace}}}Conceptos/{{{namespace}}}Concepto"))


def attribute(concepto: Concepto, ctx: EvaluationContext, name: str) -> str | None:
    """Return an attribute of the Concepto that the nodes do not have."""
    return ctx.memoize(_elements)[concepto.index - 1].get(name)


def children(concepto: Concepto, ctx: EvaluationContext) -> list[str]:
    """Return the local names of the child elements of the Concepto."""
    return [etree.QName(child).localname for child in elements(ctx.memoize(_elements)[concepto.index - 1])]
