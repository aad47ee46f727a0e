"""ObjetoImp and the tax node: CFDI40170 to CFDI40173, CFDI140226, CFDI140227."""

from __future__ import annotations

from datetime import date
from itertools import chain

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import line

WIDER = date(2023, 12, 12)
"""Since then 04 and 05 forbid the tax node too."""
IVA, IEPS = "002", "003"
OBJECT = ("ObjetoImp", "has_impuestos")


def has_tax_node(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    return concepto.has_impuestos


def is_without_iva_and_ieps(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    return concepto.ObjetoImp in ("06", "08")


def is_without_iva(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    return concepto.ObjetoImp == "07"


@rule("CFDI40170", at="Conceptos/Concepto/@ObjetoImp", reads=OBJECT)
def object_is_a_key(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_ObjetoImp", concepto.ObjetoImp)


@rule("CFDI40171", at="Conceptos/Concepto/Impuestos", reads=OBJECT)
def taxed_object_has_taxes(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp != "02" or concepto.has_impuestos:
        return None
    return Violation(expected="el nodo Impuestos, por ObjetoImp 02")


@rule("CFDI40172", at="Conceptos/Concepto/Impuestos", reads=OBJECT)
def untaxed_object_has_no_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    without = ("01", "03", "04", "05") if ctx.on >= WIDER else ("01", "03")
    if not concepto.has_impuestos or concepto.ObjetoImp not in without:
        return None
    return Violation(found="Impuestos", expected=f"que no exista, por ObjetoImp {concepto.ObjetoImp}")


@rule("CFDI40173", at="Conceptos/Concepto/Impuestos", applies=has_tax_node, applies_reads=OBJECT)
def tax_node_is_not_empty(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return line.tax_node_is_not_empty(concepto)


@rule(
    "CFDI140226",
    at="Conceptos/Concepto/@ObjetoImp",
    since=date(2024, 12, 13),
    applies=is_without_iva_and_ieps,
    applies_reads=OBJECT,
)
def object_without_iva_and_ieps(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """06 and 08: neither IVA nor IEPS; ISR may be withheld."""
    found = next((tax for tax in chain(concepto.traslados, concepto.retenciones) if tax.Impuesto in (IVA, IEPS)), None)
    if found is None:
        return None
    expected = f"ningún impuesto 002 ni 003, por ObjetoImp {concepto.ObjetoImp}"
    return Violation(found=f"{type(found).__name__} con Impuesto {found.Impuesto}", expected=expected)


@rule(
    "CFDI140227",
    at="Conceptos/Concepto/@ObjetoImp",
    since=date(2024, 12, 13),
    applies=is_without_iva,
    applies_reads=OBJECT,
)
def object_with_ieps_without_iva(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """07: no IVA, IEPS transferred; IEPS and ISR may be withheld."""
    if any(tax.Impuesto == IVA for tax in chain(concepto.traslados, concepto.retenciones)):
        return Violation(found="Impuesto 002", expected="ningún impuesto 002, por ObjetoImp 07")
    if any(tax.Impuesto == IEPS for tax in concepto.traslados):
        return None
    return Violation(found="ningún Traslado con Impuesto 003", expected="al menos uno, por ObjetoImp 07")
