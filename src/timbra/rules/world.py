"""What rules may know of the world, as protocols: frozen for one request, told in, never fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from timbra.rules.finding import OF_L_RFC, Need


class RegisteredTaxpayer(Protocol):
    """A row of l_RFC, whoever keeps it: exact registered name, fiscal postal code, regimes (keys of c_RegimenFiscal).

    Empty name, postal_code or regimes: the list does not tell it, so nothing may be judged by it.
    """

    @property
    def rfc(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def postal_code(self) -> str: ...
    @property
    def regimes(self) -> frozenset[str]: ...
    @property
    def cancelled(self) -> bool: ...


class ListedSeal(Protocol):
    """A row of the LCO, whoever keeps it. status: A active, C expired, R revoked; obligations: 0 none, 1 to 4 enabled.

    valid_from, valid_to: aware, both inclusive.
    """

    @property
    def rfc(self) -> str: ...
    @property
    def number(self) -> str: ...
    @property
    def status(self) -> Literal["A", "C", "R"]: ...
    @property
    def obligations(self) -> int: ...
    @property
    def valid_from(self) -> datetime: ...
    @property
    def valid_to(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Taxpayer:
    """A plain `RegisteredTaxpayer`."""

    rfc: str
    name: str
    postal_code: str
    regimes: frozenset[str]
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class ListedCertificate:
    """A plain `ListedSeal`."""

    rfc: str
    number: str
    status: Literal["A", "C", "R"]
    obligations: int
    valid_from: datetime
    valid_to: datetime


class Taxpayers(Protocol):
    """The list of registered taxpayers (l_RFC); None from `lists_date` means there is no list."""

    def taxpayer(self, rfc: str) -> RegisteredTaxpayer | None: ...


class Obligations(Protocol):
    """The list of taxpayers with obligations (LCO)."""

    def obligations(self, rfc: str) -> int | None:
        """The taxpayer's ValidezObligaciones (0 to 4), None when the RFC is not listed."""
        ...

    def certificate(self, rfc: str, number: str) -> ListedSeal | None: ...


class Rate(Protocol):
    """A row of c_TasaOCuota: which rates a tax may have with a factor."""

    @property
    def tax(self) -> str: ...
    @property
    def factor(self) -> str: ...
    @property
    def minimum(self) -> Decimal: ...
    @property
    def maximum(self) -> Decimal: ...
    @property
    def transfer(self) -> bool: ...
    @property
    def withholding(self) -> bool: ...
    def allows(self, value: Decimal) -> bool: ...


class Catalogs(Protocol):
    """SAT's catalogs, by schema type ("c_FormaPago"), judged on a date."""

    version: str

    def contains(self, catalog: str, key: str, on: date) -> bool:
        """Whether the key is in force on the date. KeyError for an unknown catalog: a bug, found by tests."""
        ...

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        """The columns of a key in force on the date, None when it is not."""
        ...

    def has(self, catalog: str, column: str) -> bool:
        """Whether the source carries the column; False means that a rule on it cannot be evaluated."""
        ...

    def rates(self, standard: Literal["cfdi40", "cfdi33"], on: date | None) -> Sequence[Rate]:
        """The rows of c_TasaOCuota in force on the date; all of them for None."""
        ...

    def zone(self, postal_code: str) -> ZoneInfo | None:
        """The zone of a postal code of c_CodigoPostal, None when the code is unknown."""
        ...


class RegisteredNames(Protocol):
    """The names of l_RFC, asked by name."""

    def is_registered(self, name: str) -> bool:
        """Whether any taxpayer, not cancelled, has exactly this name."""
        ...


class TaxpayerMarks(Protocol):
    """What l_RFC marks about a taxpayer beside its row."""

    def withholding(self, rfc: str) -> str | None:
        """The mark Retención: "1" no ISR is withheld, "2" ISR at 1.25 % is; None without a mark."""
        ...


class CoordinatedEntities(Protocol):
    """What l_RFC marks as SNCF."""

    def is_coordinated(self, rfc: str) -> bool:
        """Whether it is a unit of a state or municipality within the Sistema Nacional de Coordinación Fiscal."""
        ...


class ExchangeRates(Protocol):
    """Rates published for settling obligations in foreign currency."""

    def published(self, currency: str, on: date) -> Decimal | None:
        """Pesos for one unit, None when none was published for that day."""
        ...


class Confirmations(Protocol):
    """The provider's registry of confirmation keys."""

    def issued_to(self, rfc: str, key: str) -> bool: ...

    def used(self, key: str) -> bool: ...


class AcquirerOperations(Protocol):
    """Answers of SAT's service that validates an RFC for invoicing through the acquirer."""

    def answered(self, number: str, rfc: str) -> bool:
        """Whether the operation of ten digits was answered positively for that issuer."""
        ...


class RelatedDocuments(Protocol):
    """What is known of CFDI that others relate to."""

    def type_of(self, folio: str) -> str | None:
        """TipoDeComprobante of a stamped CFDI by its UUID in lower case, None when it is not known."""
        ...


_UNDATED: Mapping[Need, datetime] = MappingProxyType({})


class ListedPermit(Protocol):
    """What L_CNE says of a permit: whose it is, and for which fuels (keys of c_ClaveHYP)."""

    @property
    def rfc(self) -> str: ...
    @property
    def fuels(self) -> frozenset[str]: ...


class Permits(Protocol):
    """The permits in force of the Comisión Nacional de Energía (L_CNE), which SAT gives to providers alone."""

    def permit(self, number: str) -> ListedPermit | None: ...


@dataclass(frozen=True, slots=True)
class World:
    """The world as one request sees it. now: fiscal instant, UTC. lists_version names the lists in reports.

    registry_hint: Spanish sentence that tells how an unknown RFC becomes known (a sandbox has one). Any
    list that is None: rules that need it are "not evaluated". dated: the instant that a published list is of.
    """

    now: datetime
    catalogs: Catalogs
    taxpayers: Taxpayers | None
    obligations: Obligations | None
    lists_version: str = ""
    registry_hint: str | None = None
    related: RelatedDocuments | None = None
    names: RegisteredNames | None = None
    marks: TaxpayerMarks | None = None
    coordinated: CoordinatedEntities | None = None
    exchange_rates: ExchangeRates | None = None
    confirmations: Confirmations | None = None
    acquirers: AcquirerOperations | None = None
    permits: Permits | None = None
    dated: Mapping[Need, datetime] = field(default_factory=lambda: _UNDATED)


def dated_lists(lrfc: datetime | None, lco: datetime | None) -> Mapping[Need, datetime]:
    """`World.dated` where l_RFC and LCO are of these instants; None where there is no such list."""
    dates = {Need.OBLIGATIONS: lco, **dict.fromkeys(OF_L_RFC, lrfc)}
    return {need: instant for need, instant in dates.items() if instant is not None}
