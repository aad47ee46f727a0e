"""Boundaries of arithmetic rules: a value at the limit is accepted, the next one violates the rule alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from tests.support.profiles import evaluating
from tests.support.reference_data import reference_data
from tests.support.rules import codes

from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.engine.tables import tables
from timbra.rules.registry import RULE_SETS

CENT = Decimal("0.01")
SUITE_EXAMPLES = 25
"""Number of examples of the default profile; another profile keeps its own number."""
few_examples = settings(max_examples=10, derandomize=True) if settings().max_examples == SUITE_EXAMPLES else settings()
KNOWN = {rule.code for rule_set in RULE_SETS for rule in rule_set.rules}


def amounts(lowest: str = "0.02", highest: str = "99999999.99", places: int = 2) -> st.SearchStrategy[Decimal]:
    """Return a strategy of amounts with that number of decimals."""
    return st.decimals(Decimal(lowest), Decimal(highest), places=places)


def written(value: Decimal, places: int = 2) -> str:
    """Return the value with that number of decimals."""
    return f"{value:.{places}f}"


def truncated(value: Fraction, places: int) -> Decimal:
    """Return the largest number of that many decimals that is not above a positive value."""
    return Decimal(floor(value * 10**places)).scaleb(-places)


def rounded_up(value: Fraction, places: int) -> Decimal:
    """Return the smallest number of that many decimals that is not below a positive value."""
    return Decimal(ceil(value * 10**places)).scaleb(-places)


@dataclass(frozen=True)
class Boundary:
    """The rule of a code; a suspended rule is evaluated as an error."""

    rule_set: RuleSet
    code: str

    def accepts(self, *documents: str, **data: Any) -> None:
        """Assert that the documents have no findings.

        Args:
            documents: documents as text.
            data: fields of `ReferenceData`.
        """
        for text in documents:
            assert codes(text, profile=evaluating(self.rule_set.rule(self.code)), **data) == set()

    def rejects(self, *documents: str, **data: Any) -> None:
        """Assert that the documents violate the rule and its inseparable rules only; arguments as `accepts`."""
        for text in documents:
            assert codes(text, profile=evaluating(self.rule_set.rule(self.code)), **data) == self._expected

    @property
    def _expected(self) -> set[str]:
        return _displayed({self.code, *(self.rule_set.rule(self.code).inseparable & KNOWN)})


def _displayed(rule_codes: Iterable[str]) -> set[str]:
    return {code.partition(":")[0] for code in rule_codes}


def maximum_of_payments(pesos: Decimal) -> dict[str, Any]:
    """Return reference data in which the maximum of TipoDeComprobante P is that amount."""
    maximum = {"P": {"valor_maximo": written(pesos)}}
    columns = {"c_TipoDeComprobante": maximum, "cfdi33:c_TipoDeComprobante": maximum}
    return {"catalogs": tables(columns).apply(reference_data()).catalogs}
