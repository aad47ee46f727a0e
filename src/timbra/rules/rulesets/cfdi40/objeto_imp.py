"""ObjetoImp and the tax node: CFDI40170 to CFDI40173, CFDI140226, CFDI140227."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import chain

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.shortcuts import determined_by, selects
from timbra.rules.rulesets.cfdi40.sources import INTERFACE
from timbra.rules.shared.invoice import line
from timbra.rules.shared.predicates import in_catalog

WITHOUT_TAXES = ("01", "03", "04", "05")
WITHOUT_TAXES_BEFORE_REVISION = ("01", "03")
REVISION = date(2023, 12, 12)
"""Date of the revision of the matrix that added 04 and 05."""
IVA, IEPS = "002", "003"


@determined_by("ObjetoImp")
def is_without_iva_and_ieps(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    """Whether ObjetoImp is 06 or 08."""
    return concepto.ObjetoImp in ("06", "08")


@determined_by("ObjetoImp")
def is_without_iva(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    """Whether ObjetoImp is 07."""
    return concepto.ObjetoImp == "07"


def _without_transfers(conceptos: Sequence[Concepto], _ctx: EvaluationContext) -> Sequence[Concepto]:
    return [concepto for concepto in conceptos if concepto.retenciones and not concepto.traslados]


CFDI40170 = row(
    "CFDI40170",
    Concepto,
    at="Conceptos/Concepto/@ObjetoImp",
    says="ObjetoImp debe ser una clave vigente de c_ObjetoImp.",
    check=in_catalog("c_ObjetoImp", "ObjetoImp"),
)


@rule(
    "CFDI40171",
    at="Conceptos/Concepto/Impuestos",
    says="Con ObjetoImp 02, el concepto debe desglosar sus impuestos.",
)
@determined_by("ObjetoImp", "has_impuestos")
def taxed_concepto_has_tax_node(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp != "02" or concepto.has_impuestos:
        return None
    return Violation(expected="el nodo Impuestos, por ObjetoImp 02")


@rule(
    "CFDI40999:ObjetoImp-Traslados",
    at="Conceptos/Concepto/Impuestos",
    says="Con ObjetoImp 02, el nodo Impuestos del concepto debe incluir Traslados (interfaz del servicio, 2.5.3).",
    note="La matriz del SAT (CFDI40171, CFDI40173) admite un concepto con Retenciones solas: es un aviso.",
    applies=line.has_tax_node,
    severity=Severity.WARNING,
    cites=INTERFACE,
)
@selects(_without_transfers)
def taxed_concepto_has_transfers(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp != "02" or concepto.traslados or not concepto.retenciones:
        return None
    return Violation(
        found="Retenciones",
        expected="el nodo Traslados",
        hint="Interfaz del servicio, 2.5.3: «ObjetoImp 02, objeto de impuesto: el nodo Impuestos debe "
        "incluirse, con los Traslados». La matriz del SAT admite Retenciones solas.",
    )


@rule(
    "CFDI40172",
    at="Conceptos/Concepto/Impuestos",
    says="Con ObjetoImp 01, 03, 04 o 05, el concepto no debe desglosar impuestos.",
    note="Antes del 2023-12-12, solo con 01 y 03.",
)
@determined_by("ObjetoImp", "has_impuestos")
def untaxed_concepto_has_no_tax_node(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    without = WITHOUT_TAXES if ctx.on >= REVISION else WITHOUT_TAXES_BEFORE_REVISION
    if not concepto.has_impuestos or concepto.ObjetoImp not in without:
        return None
    return Violation(found="Impuestos", expected=f"que no exista, por ObjetoImp {concepto.ObjetoImp}")


CFDI40173 = row(
    "CFDI40173",
    Concepto,
    at="Conceptos/Concepto/Impuestos",
    says="El nodo Impuestos del concepto debe tener al menos un traslado o una retención.",
    check=line.tax_node_is_not_empty,
    applies=line.has_tax_node,
)


@rule(
    "CFDI140226",
    at="Conceptos/Concepto/@ObjetoImp",
    says="Con ObjetoImp 06 u 08, el concepto no debe desglosar IVA ni IEPS.",
    note="Se puede retener ISR.",
    applies=is_without_iva_and_ieps,
    since=date(2024, 12, 13),
)
def concepto_has_no_iva_nor_ieps(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    found = next((tax for tax in chain(concepto.traslados, concepto.retenciones) if tax.Impuesto in (IVA, IEPS)), None)
    if found is None:
        return None
    expected = f"ningún impuesto 002 ni 003, por ObjetoImp {concepto.ObjetoImp}"
    return Violation(found=f"{type(found).__name__} con Impuesto {found.Impuesto}", expected=expected)


@rule(
    "CFDI140227",
    at="Conceptos/Concepto/@ObjetoImp",
    says="Con ObjetoImp 07, el concepto debe trasladar IEPS y no desglosar IVA.",
    note="Se puede retener IEPS e ISR.",
    applies=is_without_iva,
    since=date(2024, 12, 13),
)
def concepto_has_ieps_and_no_iva(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    if any(tax.Impuesto == IVA for tax in chain(concepto.traslados, concepto.retenciones)):
        return Violation(found="Impuesto 002", expected="ningún impuesto 002, por ObjetoImp 07")
    if any(tax.Impuesto == IEPS for tax in concepto.traslados):
        return None
    return Violation(found="ningún Traslado con Impuesto 003", expected="al menos uno, por ObjetoImp 07")
