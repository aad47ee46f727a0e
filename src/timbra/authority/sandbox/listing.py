"""Rows of the simulated lists: what is published, and what the next refresh will publish."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from timbra.cfdi.rfc import GENERIC, is_rfc
from timbra.errors import ServiceError

_POSTAL_CODE = re.compile(r"[0-9]{5}\Z")
_REGIME = re.compile(r"[0-9]{3}\Z")
LONGEST_NAME = 300
SITUATIONS = ("Presunto", "Desvirtuado", "Definitivo", "Sentencia Favorable")
"""Of a taxpayer in the list of article 69-B of the CFF, as the SAT writes them."""
MOST_OBLIGATIONS = 4


@dataclass(frozen=True, slots=True)
class TaxpayerRow:
    """A row of l_RFC. Empty name, postal_code or regimes: not known, so nothing is judged by it.

    situation: in the list of article 69-B, empty when not in it. sncf, subcontracting: marks that the simulated list
    has for nobody.
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
class SealRow:
    """A row of the LCO. status: A active, C expired, R revoked; valid_from, valid_to inclusive."""

    rfc: str
    number: str
    status: Literal["A", "C", "R"]
    obligations: int
    valid_from: datetime
    valid_to: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """A taxpayer as the registry keeps it. listed: a published list has it.

    pending: the columns that the next refresh will change, by name.
    """

    taxpayer: TaxpayerRow
    obligations: int
    listed: bool
    pending: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Change:
    """New values for a taxpayer; None leaves a value as it is. situation: empty takes it from the list of 69-B."""

    name: str | None = None
    postal_code: str | None = None
    regimes: Collection[str] | None = None
    obligations: int | None = None
    cancelled: bool | None = None
    situation: str | None = None

    def columns(self) -> dict[str, Any]:
        """The columns that change. ServiceError("taxpayer-invalid") naming the first value that cannot be."""
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
    """The RFC itself. ServiceError("taxpayer-invalid") when it is malformed or generic."""
    if not is_rfc(rfc):
        raise ServiceError("taxpayer-invalid", f"El RFC {rfc[:20]!r} está mal formado.")
    if rfc in GENERIC:
        raise ServiceError("taxpayer-invalid", f"El RFC {rfc} es genérico; no necesita registro.")
    return rfc


def entry_of(row: Any) -> Entry:
    """The entry in a row of SANDBOX_TAXPAYER."""
    regimes = frozenset(row.regimes.split())
    taxpayer = TaxpayerRow(row.rfc, row.name, row.postal_code, regimes, row.cancelled, row.situation or "")
    return Entry(taxpayer, row.obligations, row.listed, json.loads(row.pending) if row.pending else {})


def _name(name: str) -> str:
    written = name.strip()
    if not 0 < len(written) <= LONGEST_NAME or not written.isprintable():
        raise ServiceError("taxpayer-invalid", f"El nombre debe tener de 1 a {LONGEST_NAME} caracteres imprimibles.")
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
    if not 0 <= number <= MOST_OBLIGATIONS:
        raise ServiceError("taxpayer-invalid", f"Las obligaciones van de 0 a {MOST_OBLIGATIONS}.")
    return number
