"""Ports of the rules: protocols of the reference data that one evaluation reads. Rules never fetch data themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from timbra.rules.engine.result import L_RFC_REQUIREMENTS, DataRequirement


class RegisteredTaxpayer(Protocol):
    """A row of l_RFC: exact registered name, fiscal postal code, regimes (keys of c_RegimenFiscal).

    When name, postal_code or regimes are empty, the list does not have the value, and rules do not compare it.
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


class ListedCertificateRow(Protocol):
    """A row of the LCO.

    `status` is A (active), C (expired) or R (revoked). `obligations` is 0 (none) or 1 to 4 (enabled). `valid_from` and
    `valid_to` are aware datetimes, both inclusive.
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
    """A plain `ListedCertificateRow`."""

    rfc: str
    number: str
    status: Literal["A", "C", "R"]
    obligations: int
    valid_from: datetime
    valid_to: datetime


class Taxpayers(Protocol):
    """The list of registered taxpayers (l_RFC)."""

    def taxpayer(self, rfc: str) -> RegisteredTaxpayer | None:
        """Return the row of an RFC, None when the list does not have it."""


class Obligations(Protocol):
    """The list of taxpayers with obligations (LCO)."""

    def obligations(self, rfc: str) -> int | None:
        """Return the taxpayer's ValidezObligaciones (0 to 4), None when the list does not have the RFC."""
        ...

    def certificate(self, rfc: str, number: str) -> ListedCertificateRow | None:
        """Return the row of a certificate, None when the list does not have it."""


class RatePort(Protocol):
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
    def allows(self, value: Decimal) -> bool:
        """Whether the rate may have this value."""


class Catalogs(Protocol):
    """SAT's catalogs by schema type ("c_FormaPago"), read for a date."""

    version: str

    def contains(self, catalog: str, key: str, on: date) -> bool:
        """Whether the key is in force on the date; KeyError for an unknown catalog."""
        ...

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        """Return the columns of a key in force on the date, None when it is not in force."""
        ...

    def has(self, catalog: str, column: str) -> bool:
        """Whether the catalog has the column; False means that a rule on it cannot be evaluated."""
        ...

    def keys_with(self, catalog: str, columns: tuple[str, ...]) -> frozenset[str]:
        """Return the keys, of every date, that have a value in one of the columns, in which most keys have none."""
        ...

    def published(self, catalog: str) -> date | None:
        """Return the day on which the edition of a catalog was published, None when it is not known."""
        ...

    def rates(self, standard: Literal["cfdi40", "cfdi33"], on: date | None) -> Sequence[RatePort]:
        """Return the rows of c_TasaOCuota in force on the date; all of them for None."""
        ...

    def zone(self, postal_code: str) -> ZoneInfo | None:
        """Return the time zone of a postal code of c_CodigoPostal, None when the code is unknown."""
        ...


class RegisteredNames(Protocol):
    """The registered names of l_RFC."""

    def is_registered(self, name: str) -> bool:
        """Whether any taxpayer that is not cancelled has exactly this name."""
        ...


class TaxpayerMarks(Protocol):
    """Marks of taxpayers in l_RFC."""

    def withholding(self, rfc: str) -> str | None:
        """Return the mark Retención: "1" no ISR is withheld, "2" ISR of 1.25 % is withheld; None without a mark."""
        ...


class CoordinatedEntities(Protocol):
    """The mark SNCF of l_RFC."""

    def is_coordinated(self, rfc: str) -> bool:
        """Whether the taxpayer is a unit of a state or municipality in the Sistema Nacional de Coordinación Fiscal."""
        ...


class ExchangeRates(Protocol):
    """Rates published for the settlement of obligations in foreign currency."""

    def published(self, currency: str, on: date) -> Decimal | None:
        """Return the pesos for one unit, None when no rate was published for that day."""
        ...


class Confirmations(Protocol):
    """The provider's registry of confirmation keys."""

    def issued_to(self, rfc: str, key: str) -> bool:
        """Whether the key was issued to the taxpayer."""

    def used(self, key: str) -> bool:
        """Whether a document has used the key."""


class AcquirerOperations(Protocol):
    """Answers of the SAT's service that validates an RFC for invoicing through the acquirer."""

    def answered(self, number: str, rfc: str) -> bool:
        """Whether the SAT's service confirmed the operation of ten digits for that issuer."""
        ...


class RelatedDocuments(Protocol):
    """Types of the CFDI that a document relates to."""

    def type_of(self, folio: str) -> str | None:
        """Return the TipoDeComprobante of a stamped CFDI by its UUID in lower case, None when the CFDI is unknown."""
        ...


@dataclass(frozen=True, slots=True)
class InMemoryRelatedDocuments:
    """`RelatedDocuments` in memory.

    Attributes:
        types: TipoDeComprobante by UUID in lower case.
    """

    types: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def type_of(self, folio: str) -> str | None:
        return self.types.get(folio)


CFDI140228_SINCE = date(2026, 4, 24)
"""First Fecha of the documents that CFDI140228 concerns, as the SAT announces it."""
_UNDATED: Mapping[DataRequirement, datetime] = MappingProxyType({})


class PermitRow(Protocol):
    """A row of L_CNE: the holder's RFC and the fuels (keys of c_ClaveHYP) of a permit."""

    @property
    def rfc(self) -> str: ...
    @property
    def fuels(self) -> frozenset[str]: ...


class Permits(Protocol):
    """The permits in force of the Comisión Nacional de Energía (L_CNE), a list that the SAT gives only to providers."""

    def permit(self, number: str) -> PermitRow | None:
        """Return the row of a permit, None when the list does not have it."""


class PresumedTaxpayer(Protocol):
    """A row of the list of article 69-B of the CFF.

    `situation` is `Presunto`, `Definitivo` ..., as the SAT writes it.
    """

    @property
    def rfc(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def situation(self) -> str: ...


class PresumedTaxpayers(Protocol):
    """One edition of the list of article 69-B of the CFF."""

    @property
    def dated(self) -> date:
        """The day of the list."""
        ...

    def presumed(self, rfc: str) -> PresumedTaxpayer | None:
        """Return the row of an RFC; None when the list does not have it."""
        ...


class StoredLists(Protocol):
    """Lists of which memory has some rows; a look-up of another one reads the database."""

    def needs_reading(self, rfcs: Collection[str], parties: Collection[tuple[str, str]], /) -> bool:
        """Whether a look-up of one of these RFC, or of a name that is not that of its RFC, would read the database.

        Args:
            rfcs: Texts that have the form of an RFC.
            parties: RFC and name of issuer, receiver and third parties.
        """
        ...

    def gather(self, rfcs: Collection[str], parties: Collection[tuple[str, str]], /) -> None:
        """Read what `needs_reading` tells about."""
        ...


@dataclass(frozen=True, slots=True)
class ReferenceData:
    """The data that one request is evaluated against. Rules that need a list which is None are not evaluated.

    Attributes:
        now: fiscal instant of the request, UTC.
        lists_version: version of the lists in reports.
        registry_hint: Spanish sentence that explains how to register an unknown RFC; only a sandbox has one.
        presumed: the list of article 69-B; no rule reads it.
        stored: the lists above that are in a database, to read the rows of a document before its evaluation; None when
            all lists are in memory.
        related_missing: Spanish name, in reports, of the data that an unknown related CFDI lacks.
        dated: publication instant of each published list.
        discloses_registered_data: whether findings may contain values of l_RFC and L_CNE: name, postal code and regimes
            of an RFC, fuels of a permit. Only a sandbox, whose data are invented, discloses them (decision 0098).
        catalogs_since: the first day of the version of an older document, with whose catalogs it is evaluated.
        cfdi140228_since: first Fecha of the documents that CFDI140228 concerns; the SAT's sources disagree about it.
    """

    now: datetime
    catalogs: Catalogs
    taxpayers: Taxpayers | None
    obligations: Obligations | None
    lists_version: str = ""
    registry_hint: str | None = None
    related: RelatedDocuments | None = None
    related_missing: str = DataRequirement.RELATED
    names: RegisteredNames | None = None
    marks: TaxpayerMarks | None = None
    coordinated: CoordinatedEntities | None = None
    exchange_rates: ExchangeRates | None = None
    confirmations: Confirmations | None = None
    acquirers: AcquirerOperations | None = None
    permits: Permits | None = None
    presumed: PresumedTaxpayers | None = None
    stored: StoredLists | None = None
    dated: Mapping[DataRequirement, datetime] = field(default_factory=lambda: _UNDATED)
    discloses_registered_data: bool = False
    catalogs_since: date = date.min
    cfdi140228_since: date = CFDI140228_SINCE


@lru_cache(maxsize=4)
def dated_lists(lrfc: datetime | None, lco: datetime | None) -> Mapping[DataRequirement, datetime]:
    """Return `ReferenceData.dated`.

    Args:
        lrfc, lco: publication instants of the lists; None for a list that is absent.
    """
    dates = {DataRequirement.OBLIGATIONS: lco, **dict.fromkeys(L_RFC_REQUIREMENTS, lrfc)}
    return {need: instant for need, instant in dates.items() if instant is not None}
