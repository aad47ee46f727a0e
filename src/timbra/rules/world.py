"""What rules may know of the world, as protocols: frozen for one request, told in, never fetched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Taxpayer:
    """A row of l_RFC: the exact registered name, fiscal postal code and regimes (keys of c_RegimenFiscal)."""

    rfc: str
    name: str
    postal_code: str
    regimes: frozenset[str]
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class ListedCertificate:
    """A row of the LCO. status: A active, C expired, R revoked; obligations: 0 none, 1 to 4 enabled."""

    rfc: str
    number: str
    status: Literal["A", "C", "R"]
    obligations: int
    valid_from: datetime
    valid_to: datetime


class Taxpayers(Protocol):
    """The list of registered taxpayers (l_RFC); None from `lists_date` means there is no list."""

    def taxpayer(self, rfc: str) -> Taxpayer | None: ...


class Obligations(Protocol):
    """The list of taxpayers with obligations (LCO)."""

    def obligations(self, rfc: str) -> int | None:
        """The taxpayer's ValidezObligaciones (0 to 4), None when the RFC is not listed."""
        ...

    def certificate(self, rfc: str, number: str) -> ListedCertificate | None: ...


class Catalogs(Protocol):
    """SAT's catalogs, by schema type ("c_FormaPago"), judged on a date."""

    version: str

    def contains(self, catalog: str, key: str, on: date) -> bool:
        """Whether the key is in force on the date. KeyError for an unknown catalog: a bug, found by tests."""
        ...

    def row(self, catalog: str, key: str, on: date) -> Mapping[str, str] | None:
        """The columns of a key in force on the date, None when it is not."""
        ...

    def zone(self, postal_code: str) -> ZoneInfo | None:
        """The zone of a postal code of c_CodigoPostal, None when the code is unknown."""
        ...


@dataclass(frozen=True, slots=True)
class World:
    """The world as one request sees it. now: fiscal instant, UTC. lists_version names the lists in reports."""

    now: datetime
    catalogs: Catalogs
    taxpayers: Taxpayers | None
    obligations: Obligations | None
    lists_version: str = ""
