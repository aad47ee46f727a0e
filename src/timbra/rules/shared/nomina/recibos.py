"""The payrolls of a document, their sums, and words and keys that the rules of Nómina share."""

from __future__ import annotations

from decimal import Decimal
from operator import attrgetter
from typing import Any, Final

from timbra.cfdi.nodes import ComplementNode, Comprobante, Concepto
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.shared.predicates import Predicate

WHY: Final = "en un recibo de nómina"
"""Spanish end of the sentences about attributes with a fixed value."""
BY_THE_COMPLEMENT: Final = "por el complemento Nómina"
"""Spanish reason for TipoDeComprobante N."""
TAXPAYERS: Final = (DataRequirement.TAXPAYERS,)
COORDINATED: Final = (DataRequirement.COORDINATED,)


def is_mexican_state(name: str) -> Predicate:
    """The attribute is a key of c_Estado whose country is Mexico.

    Args:
        name: name of the attribute.
    """
    read = attrgetter(name)

    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        key = read(node)
        row = ctx.row("nomina12:c_Estado", key)
        if row is not None and row["pais"] == "MEX":
            return None
        return Violation(found=key, expected="una clave de c_Estado con c_Pais MEX")

    return check


class Payrolls:
    """The payrolls of a document. Absent totals count as 0.

    Attributes:
        paid: sum of TotalPercepciones and TotalOtrosPagos of all payrolls.
        withheld: sum of TotalDeducciones of all payrolls.
    """

    def __init__(self, comprobante: Comprobante) -> None:
        nominas = comprobante.of(Nomina)
        self._by_place = {nomina.complement: nomina for nomina in nominas}
        self.paid: Decimal = sum([paid_sum(nomina) for nomina in nominas], ZERO)
        self.withheld: Decimal = sum([nomina.total_deducciones for nomina in nominas], ZERO)

    def of(self, node: ComplementNode) -> Nomina:
        return self._by_place[node.complement]


def paid_sum(nomina: Nomina) -> Decimal:
    """Return the sum that a payroll pays; absent totals count as 0."""
    return nomina.total_percepciones + nomina.total_otros_pagos


def payroll_of(node: ComplementNode, ctx: EvaluationContext) -> Nomina:
    return ctx.memoize(Payrolls).of(node)


def equals_paid_sum(name: str, number: str) -> Predicate:
    """The amount equals the sum that all payrolls of the document pay.

    Args:
        name: name of the attribute of Concepto.
        number: name of the attribute's value as a number.
    """
    read, value = attrgetter(name), attrgetter(number)

    def check(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
        expected = ctx.memoize(Payrolls).paid
        if value(concepto) == expected:
            return None
        return Violation(found=read(concepto), expected=f"{expected:f}, la suma de TotalPercepciones y TotalOtrosPagos")

    return check


def discount_equals_withheld_sum(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """Descuento equals the TotalDeducciones of all payrolls of the document.

    A discount or total of 0 counts as absent: the matrix requires its absence when nothing is withheld, and providers
    stamp `Descuento="0"`.
    """
    expected, found = ctx.memoize(Payrolls).withheld, concepto.Descuento
    if concepto.descuento == expected:
        return None
    return Violation(found=found, expected=f"{expected:f}, la suma de TotalDeducciones")
