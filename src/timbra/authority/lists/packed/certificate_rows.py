"""A certificate of the LCO as the packed list keeps it: 38 characters.

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
    """A row of the LCO. status: A active, C expired, R revoked. obligations: ValidezObligaciones, 0 to 4.

    valid_from, valid_to: aware, UTC, both inclusive.
    """

    rfc: str
    number: str
    status: Status
    obligations: int
    valid_from: datetime
    valid_to: datetime


def packed_seal(number: str, status: str, obligations: str, valid_from: str, valid_to: str) -> bytes | None:
    """The packed form; None when a value has not the form that the list's have.

    FechaInicio and FechaFinal carry the digits of the certificate's own validity, which is UTC. A status other than
    the three known ones counts as revoked: only A says that a certificate may be used.
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
    """The certificate of that number; the last one where the list repeats it."""
    wanted, found = number.encode("ascii", "replace"), None
    if len(wanted) != NUMBER_SIZE:
        return None
    for start in range(0, len(packed), SIZE):
        if packed.startswith(wanted, start):
            found = _seal(rfc, packed[start : start + SIZE].decode("ascii"))
    return found


def obligations_in(packed: bytes) -> int:
    """The taxpayer's ValidezObligaciones: that of its newest active certificate, or of its newest one.

    The list says it of each certificate, although it is a fact about the taxpayer. 0 when there is no certificate.
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
