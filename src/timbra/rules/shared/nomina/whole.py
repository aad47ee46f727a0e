"""The payrolls of a document: which one a node stands in, and what all of them pay and withhold together."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import ComplementNode, Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.engine.context import EvaluationContext


class Payrolls:
    """paid: TotalPercepciones and TotalOtrosPagos of all. withheld: their TotalDeducciones. Missing ones count 0."""

    def __init__(self, comprobante: Comprobante) -> None:
        nominas = comprobante.of(Nomina)
        self._by_place = {nomina.complement: nomina for nomina in nominas}
        self.paid: Decimal = sum([paid(nomina) for nomina in nominas], ZERO)
        self.withheld: Decimal = sum([nomina.total_deducciones for nomina in nominas], ZERO)

    def of(self, node: ComplementNode) -> Nomina:
        """The payroll that the node stands in."""
        return self._by_place[node.complement]


def paid(nomina: Nomina) -> Decimal:
    """What a payroll pays: missing totals count as 0."""
    return nomina.total_percepciones + nomina.total_otros_pagos


def whole(node: ComplementNode, ctx: EvaluationContext) -> Nomina:
    """The payroll that a node stands in."""
    return ctx.memoize(Payrolls).of(node)
