"""Local taxes of an invoice: the rows of the complement ImpuestosLocales, with the amounts of their rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from timbra.core.money import half_up

NAME = "ImpuestosLocales"
BASE = "Base"
"""Member of a local tax that is no attribute: what it is computed of, without it SubTotal less Descuento."""
DECIMALS = 2
"""Decimals that the schema allows."""
PERCENT = Decimal(100)


@dataclass(frozen=True, slots=True)
class LocalTaxKind:
    """Names of a transferred or withheld local tax.

    Attributes:
        rows, name, rate: member with the taxes, and their name and rate.
        total: attribute with their sum.
    """

    rows: str
    name: str
    rate: str
    total: str


TRANSFERRED = LocalTaxKind("TrasladosLocales", "ImpLocTrasladado", "TasadeTraslado", "TotaldeTraslados")
WITHHELD = LocalTaxKind("RetencionesLocales", "ImpLocRetenido", "TasadeRetencion", "TotaldeRetenciones")


@dataclass(frozen=True, slots=True)
class LocalTax:
    """A local tax without its amount.

    Attributes:
        given: its members.
        percent: the rate, in percent.
        base: what it is computed of; None for SubTotal less Descuento.
    """

    kind: LocalTaxKind
    given: Mapping[str, Any]
    percent: Decimal
    base: Decimal | None

    def amount(self, base: Decimal, decimals: int) -> Decimal:
        """Return Importe. `decimals`: those of the currency."""
        exact = (base if self.base is None else self.base) * self.percent / PERCENT
        return half_up(exact, min(decimals, DECIMALS))


@dataclass(frozen=True, slots=True)
class LocalTaxes:
    """The local taxes of an invoice.

    Attributes:
        member: name of the complement in the invoice, with its prefix if it has one.
    """

    member: str = ""
    taxes: tuple[LocalTax, ...] = ()

    def written(self, base: Decimal, decimals: int) -> tuple[dict[str, Any], Decimal]:
        """Return the complement with its amounts, and what it adds to Total.

        Args:
            base: SubTotal less Descuento.
            decimals: decimals of the currency.
        """
        sums = {TRANSFERRED: Decimal(0), WITHHELD: Decimal(0)}
        rows: dict[str, list[dict[str, Any]]] = {}
        for tax in self.taxes:
            amount, kind = tax.amount(base, decimals), tax.kind
            sums[kind] += amount
            kept = {name: value for name, value in tax.given.items() if name != BASE}
            written = {kind.rate: f"{tax.percent:.{DECIMALS}f}", "Importe": f"{amount:.{DECIMALS}f}"}
            rows.setdefault(kind.rows, []).append({**kept, **written})
        totals = {kind.total: f"{sums[kind]:.{DECIMALS}f}" for kind in (WITHHELD, TRANSFERRED)}
        return {"version": "1.0", **totals, **rows}, sums[TRANSFERRED] - sums[WITHHELD]


def local_taxes_in(complements: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and members of the complements of local taxes in the member `Complemento` of an invoice."""
    for group in complements if isinstance(complements, list) else [complements]:
        if isinstance(group, Mapping):
            yield from ((name, value) for name, value in group.items() if name.rpartition(":")[2] == NAME)
