"""Employers of the Sistema Nacional de Coordinación Fiscal, by the mark of l_RFC. The rules need these marks."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import EntidadSNCF, Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation


def is_coordinated(ctx: EvaluationContext) -> bool:
    """Whether l_RFC has the mark SNCF for the issuer."""
    marked = ctx.reference_data.coordinated
    return marked is not None and marked.is_coordinated(ctx.comprobante.emisor.Rfc)


def has_entidad_sncf_when_marked(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    """EntidadSNCF is present for an issuer with the mark."""
    is_present = nomina.emisor is not None and nomina.emisor.entidad is not None
    if is_present or not is_coordinated(ctx):
        return None
    return Violation(expected=f"el nodo: {ctx.comprobante.emisor.Rfc} tiene la marca SNCF (l_RFC)")


def is_marked_in_l_rfc(_entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    """The issuer of a payroll with EntidadSNCF has the mark."""
    if is_coordinated(ctx):
        return None
    expected = f"que no exista: {ctx.comprobante.emisor.Rfc} no tiene la marca SNCF (l_RFC)"
    return Violation(found="EntidadSNCF", expected=expected)
