"""Values of the simulated lists: published rows, registered taxpayers and changes of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from timbra.cfdi.rfc import GENERIC, is_rfc
from timbra.core.errors import ServiceError
from timbra.sandbox.store.models import TaxpayerRow

_POSTAL_CODE = re.compile(r"[0-9]{5}\Z")
_REGIME = re.compile(r"[0-9]{3}\Z")
MAX_NAME_LENGTH = 300
DEFINITIVE = "Definitivo"
SITUATIONS = ("Presunto", "Desvirtuado", DEFINITIVE, "Sentencia Favorable")
"""Situations of a taxpayer in the list of article 69-B of the CFF, as the SAT writes them."""
MAX_OBLIGATIONS = 4


@dataclass(frozen=True, slots=True)
class SandboxTaxpayer:
    """A row of l_RFC. The rules do not use an empty name, postal code or set of regimes.

    Attributes:
        regimes: Keys of c_RegimenFiscal.
        situation: The situation in the list of article 69-B; empty when the taxpayer is not in it.
        sncf: A mark that no row of the simulated list has.
        subcontracting: A mark that no row of the simulated list has.
    """

    rfc: str
    name: str
    postal_code: str
    regimes: frozenset[str]
    cancelled: bool = False
    situation: str = ""
    sncf: bool = False
    subcontracting: bool = False


@dataclass(frozen=True, slots=True)
class SandboxCertificate:
    """A row of the LCO.

    Attributes:
        number: 20 digits.
        status: A active, C expired, R revoked.
        obligations: ValidezObligaciones, 0 to 4.
        valid_from: Start of the validity, inclusive.
        valid_to: End of the validity, inclusive.
    """

    rfc: str
    number: str
    status: Literal["A", "C", "R"]
    obligations: int
    valid_from: datetime
    valid_to: datetime


@dataclass(frozen=True, slots=True)
class TaxpayerEntry:
    """A taxpayer of the registry.

    Attributes:
        taxpayer: The row of l_RFC.
        obligations: ValidezObligaciones, 0 to 4.
        listed: Whether a published list has the taxpayer.
        pending: The columns that the next refresh changes, by name.
    """

    taxpayer: SandboxTaxpayer
    obligations: int
    listed: bool
    pending: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TaxpayerChange:
    """New values of a taxpayer; None keeps a value.

    Attributes:
        situation: The situation in the list of article 69-B; empty removes the taxpayer from it.
    """

    name: str | None = None
    postal_code: str | None = None
    regimes: Collection[str] | None = None
    obligations: int | None = None
    cancelled: bool | None = None
    situation: str | None = None

    def columns(self) -> dict[str, Any]:
        """Return the new values by column.

        Raises:
            ServiceError: "taxpayer-invalid" with the first invalid value as detail.
        """
        values: dict[str, Any] = {}
        if self.name is not None:
            values["name"] = _name(self.name)
        if self.postal_code is not None:
            values["postal_code"] = _matching(_POSTAL_CODE, self.postal_code, "código postal")
        if self.regimes is not None:
            values["regimes"] = " ".join(sorted({_matching(_REGIME, key, "régimen") for key in self.regimes}))
        if self.obligations is not None:
            values["obligations"] = _obligations(self.obligations)
        if self.cancelled is not None:
            values["cancelled"] = self.cancelled
        if self.situation is not None:
            values["situation"] = _situation(self.situation)
        return values


def checked_rfc(rfc: str) -> str:
    """Return the RFC. Raises ServiceError: "taxpayer-invalid" when it is malformed or generic."""
    if not is_rfc(rfc):
        raise ServiceError("taxpayer-invalid", f"El RFC {rfc[:20]!r} está mal formado.")
    if rfc in GENERIC:
        raise ServiceError("taxpayer-invalid", f"El RFC {rfc} es genérico; no necesita registro.")
    return rfc


def entry_from_row(row: TaxpayerRow) -> TaxpayerEntry:
    taxpayer = SandboxTaxpayer(row.rfc, row.name, row.postal_code, row.regimes, row.cancelled, row.situation)
    return TaxpayerEntry(taxpayer, row.obligations, row.listed, row.pending)


def _name(name: str) -> str:
    written = name.strip()
    if not 0 < len(written) <= MAX_NAME_LENGTH or not written.isprintable():
        raise ServiceError("taxpayer-invalid", f"El nombre debe tener de 1 a {MAX_NAME_LENGTH} caracteres imprimibles.")
    return written


def _matching(pattern: re.Pattern[str], text: str, what: str) -> str:
    if not pattern.match(text):
        raise ServiceError("taxpayer-invalid", f"El {what} {text[:20]!r} está mal formado.")
    return text


def _situation(written: str) -> str:
    if written and written not in SITUATIONS:
        raise ServiceError("taxpayer-invalid", f"Las situaciones son: {', '.join(SITUATIONS)}.")
    return written


def _obligations(number: int) -> int:
    if not 0 <= number <= MAX_OBLIGATIONS:
        raise ServiceError("taxpayer-invalid", f"Las obligaciones van de 0 a {MAX_OBLIGATIONS}.")
    return number
