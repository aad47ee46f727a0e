"""Requests to cancel a CFDI after its last day: a finding of the service, whatever the authority decides.

The law fines a late cancellation; the SAT may accept it. The year of a CFDI is known for the stamps of this server.

Source: CFF, articles 29-A (fourth paragraph), 81-XLVI and 82-XLII.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import structlog

from timbra.cfdi.cancelacion.last_day import is_moral, last_day
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import finding_sentence
from timbra.messages.cancelling import CODES
from timbra.stamps.port import StampHeader

LOG = structlog.get_logger(__name__)
CODE = "210"
RETENCION = "R"
"""Kind of a retención, which this service does not cancel and the law gives no last day."""
_YEAR = re.compile(r"[0-9]{4}(?=-)")


class StampHeaders(Protocol):
    """Reads the stamps of this server."""

    def headers_of(self, uuids: Sequence[str]) -> Sequence[StampHeader]:
        """Return the stamps among these folios, which are in lower case."""


@dataclass(frozen=True, slots=True)
class LateFinding:
    """A CFDI whose last day to cancel has passed.

    Attributes:
        uuid: in upper case.
        path: place of the folio in the request, from the root `Cancelacion`.
        found: fiscal day of the request.
        expected: the last day, with its reason, in Spanish.
        code: EstatusUUID with which an authority may reject the request.
    """

    uuid: str
    path: str
    found: str
    expected: str
    code: str = CODE

    @property
    def sentence(self) -> str:
        """The finding with code and message, in Spanish."""
        return f"{self.code} - {CODES[self.code]} {finding_sentence(self.path, self.found, self.expected)}"


class LateRequests:
    """Finds and logs the CFDI of a request whose last day to cancel has passed.

    Args:
        stamps: the stamps of this server.
        fiscal: fiscal time.
    """

    def __init__(self, stamps: StampHeaders, fiscal: Clock) -> None:
        self._stamps = stamps
        self._fiscal = fiscal

    def find(self, request: Cancelacion) -> tuple[LateFinding, ...]:
        """Return the findings in the order of the folios; a stamp of another issuer than the request's has none."""
        today = self._fiscal.now().astimezone(CENTRAL_MEXICO).date()
        folios = [folio.uuid for folio in request.folios]
        own = {
            stamp.uuid: stamp
            for stamp in self._stamps.headers_of(folios)
            if stamp.issuer_rfc == request.rfc_emisor and stamp.kind != RETENCION
        }
        positions = {uuid: place for place, uuid in enumerate(folios, 1)}
        found = [_finding(own[uuid], place, today) for uuid, place in positions.items() if uuid in own]
        late = tuple(finding for finding in found if finding is not None)
        for finding in late:
            LOG.warning(
                "cancellation after the last day",
                uuid=finding.uuid,
                code=finding.code,
                path=finding.path,
                found=finding.found,
                expected=finding.expected,
            )
        return late


def _finding(stamp: StampHeader, place: int, today: date) -> LateFinding | None:
    year = _year(stamp)
    limit = last_day(stamp.issuer_rfc, year)
    if today <= limit:
        return None
    person = "moral" if is_moral(stamp.issuer_rfc) else "física"
    expected = (
        f"una fecha hasta {limit.isoformat()}, fin del mes de la declaración anual de {year} de una persona {person}"
    )
    return LateFinding(stamp.uuid.upper(), f"Cancelacion/Folios[{place}]/Folio", today.isoformat(), expected)


def _year(stamp: StampHeader) -> int:
    """Return the year of Fecha; that of the stamp when Fecha has none."""
    written = _YEAR.match(stamp.fecha)
    return int(written[0]) if written else stamp.stamped_at.astimezone(CENTRAL_MEXICO).year
