"""The payrolls of a document: which one a node stands in, and what all of them pay and withhold together."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import ComplementNode, Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.case import Case


class Payrolls:
    """paid: TotalPercepciones and TotalOtrosPagos of all. withheld: their TotalDeducciones, None where none has it."""

    def __init__(self, comprobante: Comprobante) -> None:
        nominas = comprobante.of(Nomina)
        self._by_place = {nomina.complement: nomina for nomina in nominas}
        self.paid: Decimal = sum([paid(nomina) for nomina in nominas], ZERO)
        withheld = [nomina.total_deducciones for nomina in nominas if nomina.TotalDeducciones is not None]
        self.withheld: Decimal | None = sum(withheld, ZERO) if withheld else None

    def of(self, node: ComplementNode) -> Nomina:
        """The payroll that the node stands in."""
        return self._by_place[node.complement]


def paid(nomina: Nomina) -> Decimal:
    """What a payroll pays: missing totals count as 0."""
    return nomina.total_percepciones + nomina.total_otros_pagos


def whole(node: ComplementNode, case: Case) -> Nomina:
    """The payroll that a node stands in."""
    return case.once(Payrolls).of(node)
