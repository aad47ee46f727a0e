"""Look-ups of an RFC in the published lists: l_RFC and the list of article 69-B of the CFF."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from timbra.cfdi.rfc import is_rfc
from timbra.core.errors import ServiceError
from timbra.rules.engine.ports import PresumedTaxpayer, PresumedTaxpayers

FAILED = "lookup-failed"
NO_RESULTS = "CS1002 - La consulta no arrojo resultados."
PresumedList: TypeAlias = PresumedTaxpayers
"""The list of article 69-B of the CFF in force."""


class ListedTaxpayer(Protocol):
    """A row of l_RFC.

    `sncf` and `subcontracting` are marks of the list.
    """

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

    def taxpayer(self, rfc: str) -> ListedTaxpayer | None:
        """Return the row of an RFC, None when the list does not have it."""


class TaxpayerLookup:
    """Looks up RFC. ServiceError("lookup-failed") has CS1002 in its detail.

    Args:
        lrfc: returns the l_RFC in force, None without one.
        presumed: returns the list of article 69-B in force, None without one.
    """

    def __init__(self, lrfc: Callable[[], TaxpayerList | None], presumed: Callable[[], PresumedList | None]) -> None:
        self._lrfc = lrfc
        self._presumed = presumed

    def lrfc(self, rfc: str) -> ListedTaxpayer:
        """Return the row of an RFC in l_RFC.

        Raises:
            ServiceError: "lookup-failed" when the RFC is malformed or not in the list, "TB4006" without a list.
        """
        lrfc = self._lrfc()
        if lrfc is None:
            raise ServiceError("TB4006", "No se ha importado la l_RFC del SAT (timbra lists import).")
        row = lrfc.taxpayer(_checked(rfc))
        if row is None or row.cancelled:
            raise ServiceError(FAILED, NO_RESULTS)
        return row

    def article_69b(self, rfc: str) -> PresumedTaxpayer:
        """Return the row of an RFC in the list of article 69-B.

        Raises:
            ServiceError: "lookup-failed" when the RFC is malformed or not in the list, "TB4006" without a list.
        """
        normalized = _checked(rfc)
        presumed = self._presumed()
        if presumed is None:
            raise ServiceError("TB4006", "Este servidor no guarda la lista del artículo 69-B del CFF.")
        row = presumed.presumed(normalized)
        if row is None:
            raise ServiceError(FAILED, NO_RESULTS)
        return row


def _checked(rfc: str) -> str:
    normalized = rfc.strip().upper()
    if not is_rfc(normalized):
        raise ServiceError(FAILED, f"CS1002 - RFC malformado: {rfc[:20]}")
    return normalized
