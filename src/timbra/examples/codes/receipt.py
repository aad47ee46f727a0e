"""Payroll receipts before they are written: payroll, issuer and receiver; the invoice may be of any version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from timbra.examples.codes.example import Builder, Example
from timbra.examples.comprobante import KEMPER, XODAR, ExampleParty
from timbra.examples.nomina12 import payroll
from timbra.examples.tree import Change, ExampleNode


@dataclass(frozen=True, slots=True)
class Receipt:
    """A payroll receipt, by default of income assimilated to wages.

    Attributes:
        make: function that returns a new payroll node on each call.
        issuer: the employer.
        receiver: the worker.
        changes: changes of the document by path.
    """

    make: Callable[[], ExampleNode] = payroll
    issuer: ExampleParty = KEMPER
    receiver: ExampleParty = XODAR
    changes: Mapping[str, Change] = field(default_factory=dict)

    def with_changes(self, changes: Mapping[str, Change] | None) -> Receipt:
        """Return the receipt with further changes."""
        return replace(self, changes={**self.changes, **(changes or {})})

    def example(self, fails: Mapping[str, Change], passes: Mapping[str, Change] | None = None) -> ReceiptPair:
        """Return two receipts that differ by changes.

        Args:
            fails: changes by path of the receipt that violates the rule.
            passes: changes by path of the receipt that satisfies it; none by default.
        """
        return ReceiptPair(self.with_changes(passes), self.with_changes(fails))

    def to_xml(self, invoice: Builder) -> str:
        """Return the document as text, with the invoice of one version around the payroll."""
        return invoice(self.changes, issuer=self.issuer, receiver=self.receiver, payrolls=[self.make()])


class ReceiptPair(NamedTuple):
    """A receipt that satisfies a rule and one that violates it."""

    passing: Receipt
    failing: Receipt

    def documents(self, base: Builder | None) -> Example:
        """Return both as documents.

        Args:
            base: builder of the invoice around the payroll, for one version of the invoice.
        """
        if base is None:
            raise TypeError("a receipt requires the builder of its invoice")
        return Example(lambda: self.passing.to_xml(base), lambda: self.failing.to_xml(base))
