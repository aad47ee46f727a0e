"""Attributes and nodes that are absent in some types of document; the types are those of the rule."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from timbra.cfdi.nodes import ImpuestosTotales
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.conditions import absent


def is_absent_in_type(name: str) -> Predicate:
    """The attribute is absent in a document of this type.

    Args:
        name: name of the attribute.
    """
    read = attrgetter(name)

    def is_absent_in_type(node: Any, ctx: EvaluationContext) -> RuleResult:
        found = read(node)
        if found is None:
            return None
        return absent(found, f"en un comprobante de tipo {ctx.comprobante.TipoDeComprobante}")

    return is_absent_in_type


def impuestos_is_absent_in_type(_impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    """Comprobante/Impuestos is absent in a document of this type."""
    return Violation(found="Impuestos", expected=f"que no exista, por el tipo {ctx.comprobante.TipoDeComprobante}")
