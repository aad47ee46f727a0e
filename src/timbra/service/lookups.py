"""What the published lists say of an RFC, for whoever asks by its own name: l_RFC, and the list of article 69-B."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from timbra.cfdi.rfc import is_rfc
from timbra.errors import ServiceError

FAILED = "lookup-failed"
NOTHING = "CS1002 - La consulta no arrojo resultados."


class ListedTaxpayer(Protocol):
    """A row of l_RFC. sncf, subcontracting: as the list marks it."""

    @property
    def rfc(self) -> str: ...
    @property
    def cancelled(self) -> bool: ...
    @property
    def sncf(self) -> bool: ...
    @property
    def subcontracting(self) -> bool: ...


class TaxpayerList(Protocol):
    """The l_RFC in force."""

    def taxpayer(self, rfc: str) -> ListedTaxpayer | None: ...


class Presumed(Protocol):
    """A row of the list of article 69-B of the CFF. situation: `Presunto`, `Definitivo` ..., as the SAT writes it."""

    @property
    def rfc(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def situation(self) -> str: ...


class PresumedList(Protocol):
    """The list of article 69-B."""

    def presumed(self, rfc: str) -> Presumed | None: ...


class Lookups:
    """lrfc, presumed: the lists in force, None where there is none.

    ServiceError("lookup-failed") carries CS1002 in its detail.
    """

    def __init__(self, lrfc: Callable[[], TaxpayerList | None], presumed: Callable[[], PresumedList | None]) -> None:
        self._lrfc = lrfc
        self._presumed = presumed

    def lrfc(self, rfc: str) -> ListedTaxpayer:
        """The row of an RFC. "lookup-failed" when it is malformed or not listed, "TB4006" when there is no list."""
        known = self._lrfc()
        if known is None:
            raise ServiceError("TB4006", "No se ha importado la l_RFC del SAT (timbra lists import).")
        row = known.taxpayer(_checked(rfc))
        if row is None or row.cancelled:
            raise ServiceError(FAILED, NOTHING)
        return row

    def article_69b(self, rfc: str) -> Presumed:
        """The row of an RFC. "lookup-failed" when it is malformed or not listed, "TB4006" when there is no list."""
        written = _checked(rfc)
        known = self._presumed()
        if known is None:
            raise ServiceError("TB4006", "Este servidor no guarda la lista del artículo 69-B del CFF.")
        row = known.presumed(written)
        if row is None:
            raise ServiceError(FAILED, NOTHING)
        return row


def _checked(rfc: str) -> str:
    written = rfc.strip().upper()
    if not is_rfc(written):
        raise ServiceError(FAILED, f"CS1002 - RFC malformado: {rfc[:20]}")
    return written
