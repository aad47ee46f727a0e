"""Receipts of wages before they are written: what is paid, by whom, to whom; the invoice may be of any version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from timbra.examples.codes.example import Example
from timbra.examples.comprobante import KEMPER, XODAR, ExampleParty
from timbra.examples.nomina12 import payroll
from timbra.examples.tree import Change, ExampleNode


class Invoice(Protocol):
    """A function of `timbra.examples` that writes an invoice around payrolls."""

    def __call__(
        self,
        changes: Mapping[str, Change] | None,
        *,
        issuer: ExampleParty,
        receiver: ExampleParty,
        payrolls: Sequence[ExampleNode],
    ) -> str: ...


@dataclass(frozen=True, slots=True)
class Receipt:
    """make: the payroll, anew each time; by default of somebody assimilated to wages."""

    make: Callable[[], ExampleNode] = payroll
    issuer: ExampleParty = KEMPER
    receiver: ExampleParty = XODAR
    changes: Mapping[str, Change] = field(default_factory=dict)

    def but(self, changes: Mapping[str, Change] | None) -> Receipt:
        """The same with further changes."""
        return replace(self, changes={**self.changes, **(changes or {})})

    def written(self, invoice: Invoice) -> str:
        """The document as text."""
        return invoice(self.changes, issuer=self.issuer, receiver=self.receiver, payrolls=[self.make()])


class Demand(NamedTuple):
    """A receipt that fulfils a demand and one that does not."""

    passing: Receipt
    failing: Receipt

    def example(self, invoice: Invoice) -> Example:
        """Both as documents."""
        return Example(lambda: self.passing.written(invoice), lambda: self.failing.written(invoice))
