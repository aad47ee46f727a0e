"""Lists for examples of rules whose data no public source has: small tables with the methods that rules call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class WithholdingMarks:
    """Mark Retención of l_RFC by RFC: "1" no ISR is withheld, "2" ISR of 1.25 % is withheld."""

    by_rfc: Mapping[str, str]

    def withholding(self, rfc: str) -> str | None:
        """Return the mark of a taxpayer, None without a mark."""
        return self.by_rfc.get(rfc)


@dataclass(frozen=True, slots=True)
class CoordinatedEntities:
    """RFC with the mark SNCF of l_RFC."""

    rfcs: frozenset[str]

    def is_coordinated(self, rfc: str) -> bool:
        """Whether the taxpayer has the mark."""
        return rfc in self.rfcs


@dataclass(frozen=True, slots=True)
class PublishedRates:
    """Pesos for one unit of a currency, on every date."""

    pesos: Mapping[str, Decimal]

    def published(self, currency: str, on: date) -> Decimal | None:
        """Return the rate of a currency, None when none is published."""
        del on
        return self.pesos.get(currency)


@dataclass(frozen=True, slots=True)
class IssuedConfirmations:
    """Keys of confirmation that a provider issued to every issuer, and those that were used."""

    issued: frozenset[str]
    spent: frozenset[str] = frozenset()

    def issued_to(self, rfc: str, key: str) -> bool:
        """Whether the key was issued."""
        del rfc
        return key in self.issued

    def used(self, key: str) -> bool:
        """Whether a document with the key was stamped."""
        return key in self.spent


@dataclass(frozen=True, slots=True)
class AnsweredOperations:
    """Numbers of operation that the SAT's service of RFC of acquirers answered with."""

    numbers: frozenset[str]

    def answered(self, number: str, rfc: str) -> bool:
        """Whether the service answered with the number."""
        del rfc
        return number in self.numbers


@dataclass(frozen=True, slots=True)
class FuelPermit:
    """A row of L_CNE: the holder's RFC and keys of c_ClaveHYP."""

    rfc: str
    fuels: frozenset[str]


@dataclass(frozen=True, slots=True)
class FuelPermits:
    """L_CNE by number of permit."""

    by_number: Mapping[str, FuelPermit]

    def permit(self, number: str) -> FuelPermit | None:
        """Return the row of a permit, None when it is not listed."""
        return self.by_number.get(number)
