"""The packed form of a certificate of the LCO: 38 characters.

number (20) | status (1) | obligations (1) | valid from (8) | valid to (8), hexadecimal seconds since 1970
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, cast

SIZE = 38
NUMBER_SIZE = 20
ACTIVE = "A"
REVOKED = "R"
STATUSES = frozenset("ACR")
OBLIGATIONS = frozenset("01234")
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_SECOND = timedelta(seconds=1)
_LAST = 0xFFFFFFFF
_NUMBER = re.compile(r"[0-9]{20}")
_WRITTEN = len("2026-11-20T00:00:00")

Status = Literal["A", "C", "R"]


@dataclass(frozen=True, slots=True)
class PublishedCertificate:
    """A row of the LCO.

    Attributes:
        number: 20 digits.
        status: A active, C expired, R revoked.
        obligations: ValidezObligaciones, 0 to 4.
        valid_from: Start of the validity, aware, UTC, inclusive.
        valid_to: End of the validity, aware, UTC, inclusive.
    """

    rfc: str
    number: str
    status: Status
    obligations: int
    valid_from: datetime
    valid_to: datetime


def packed_seal(number: str, status: str, obligations: str, valid_from: str, valid_to: str) -> bytes | None:
    """Pack the attributes of a certificate in the LCO.

    Args:
        number: noCertificado.
        status: EstatusCertificado. Another letter than A, C and R counts as revoked.
        obligations: ValidezObligaciones.
        valid_from: FechaInicio; its digits are those of the certificate's validity, which is in UTC.
        valid_to: FechaFinal, as `valid_from`.

    Returns:
        The packed form; None when a value is malformed.
    """
    if not _NUMBER.fullmatch(number) or obligations not in OBLIGATIONS or len(status) != 1:
        return None
    start, end = _seconds(valid_from), _seconds(valid_to)
    if start is None or end is None:
        return None
    return b"%b%b%b%08x%08x" % (
        number.encode(),
        (status if status in STATUSES else REVOKED).encode(),
        obligations.encode(),
        start,
        end,
    )


def seal_in(rfc: str, number: str, packed: bytes) -> PublishedCertificate | None:
    """Return a certificate of a taxpayer by its number; None when it is missing.

    Args:
        rfc: The taxpayer.
        number: 20 digits; the last certificate of that number counts.
        packed: The packed certificates of the taxpayer.
    """
    requested, found = number.encode("ascii", "replace"), None
    if len(requested) != NUMBER_SIZE:
        return None
    for start in range(0, len(packed), SIZE):
        if packed.startswith(requested, start):
            found = _seal(rfc, packed[start : start + SIZE].decode("ascii"))
    return found


def obligations_in(packed: bytes) -> int:
    """Return the ValidezObligaciones of a taxpayer, which the list repeats for each certificate.

    It is that of the newest active certificate; without one, that of the newest; 0 without certificates.
    """
    rows = (packed[start : start + SIZE].decode("ascii") for start in range(0, len(packed), SIZE))
    newest = max(rows, key=lambda row: (row[20] == ACTIVE, row[22:30]), default=None)
    return 0 if newest is None else int(newest[21])


def _seal(rfc: str, row: str) -> PublishedCertificate:
    return PublishedCertificate(
        rfc=rfc,
        number=row[:20],
        status=cast(Status, row[20]),
        obligations=int(row[21]),
        valid_from=datetime.fromtimestamp(int(row[22:30], 16), UTC),
        valid_to=datetime.fromtimestamp(int(row[30:38], 16), UTC),
    )


def _seconds(text: str) -> int | None:
    if len(text) != _WRITTEN:
        return None
    try:
        seconds = (datetime.fromisoformat(text) - _EPOCH) // _SECOND
    except (ValueError, TypeError):
        return None
    return seconds if 0 <= seconds <= _LAST else None
