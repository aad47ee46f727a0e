"""The payrolls of a document: the payroll of each node, and the sums that all payrolls pay and withhold."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import ComplementNode, Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.engine.context import EvaluationContext


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
