"""Invoices whose complement tells everything, so that their head and only Concepto are fixed: payments and payrolls.

why: ends the sentence of what is expected, "en un comprobante de pago".
"""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.cfdi.nodes.base import elements
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation


def written(text: str | None, expected: str, why: str) -> RuleResult:
    """Holds when the attribute is written exactly so."""
    return None if text == expected else Violation(found=text, expected=f"{expected}, {why}")


def one_concepto(comprobante: Comprobante, why: str) -> RuleResult:
    count = len(comprobante.conceptos)
    return None if count == 1 else Violation(found=f"{count} conceptos", expected=f"uno solo {why}")


def _elements(comprobante: Comprobante) -> list[etree._Element]:
    """The elements of all Conceptos: such invoices write next to nothing there, so the nodes do not keep it."""
    root = comprobante.element
    namespace = etree.QName(root).namespace
    return list(root.iterfind(f"{{{namespace}}}Conceptos/{{{namespace}}}Concepto"))


def attribute(concepto: Concepto, ctx: EvaluationContext, name: str) -> str | None:
    """An attribute that the nodes do not keep."""
    return ctx.memoize(_elements)[concepto.index - 1].get(name)


def children(concepto: Concepto, ctx: EvaluationContext) -> list[str]:
    """The names of its child elements."""
    return [etree.QName(child).localname for child in elements(ctx.memoize(_elements)[concepto.index - 1])]
