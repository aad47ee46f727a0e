"""Admission of requests that clients signed: their Fecha is recent, and no other account sent them before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import structlog
from lxml import etree

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.events.audit.audit import Audit
from timbra.events.signed_requests import SignedRequestRepository
from timbra.sat.port import RequestOrigin

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.cancellation")

EASTERNMOST, WESTERNMOST = UTC, timezone(timedelta(hours=-8))
"""A Fecha has no zone: it is the local time of the client, in Mexico or, on many servers, UTC."""
RETENTION = timedelta(days=31)
"""Of requests without a Fecha, such as queries of relations."""
MALFORMED = "La Fecha de la solicitud firmada no existe."
TOO_OLD = "La Fecha de la solicitud firmada es anterior al plazo de {hours} horas."
TOO_NEW = "La Fecha de la solicitud firmada es posterior a la hora del servicio."
REPLAYED = "La solicitud firmada ya se recibió de otra cuenta."
EVENT = "signed-request.rejected"


@dataclass(frozen=True, slots=True)
class FechaWindow:
    """The window of the Fecha around fiscal time, or around wall time, which differs in a sandbox only.

    Attributes:
        hours_back: 0 or None for no limit to the past.
        minutes_ahead: None for no limit to the future.
    """

    hours_back: float | None = 72
    minutes_ahead: float | None = 5

    @classmethod
    def of(cls, hours_back: float | None, minutes_ahead: float | None, *, is_limited: bool) -> FechaWindow:
        """Return the window of two settings; without a value, a limit is that of this class, or none.

        Args:
            hours_back: The limit to the past; None when it is not set.
            minutes_ahead: The limit to the future; None when it is not set.
            is_limited: Whether limits that are not set are those of this class.
        """
        if is_limited:
            hours_back = 72 if hours_back is None else hours_back
            minutes_ahead = 5 if minutes_ahead is None else minutes_ahead
        return cls(hours_back, minutes_ahead)


class SignedAdmission:
    """Admits signed requests; every rejection is in the log of the server and in the event log."""

    def __init__(self, database: Database, audit: Audit, window: FechaWindow) -> None:
        self._database = database
        self._rows = SignedRequestRepository(database)
        self._audit = audit
        self._window = window

    def require(self, content: bytes, origin: RequestOrigin) -> None:
        """Check a request whose signature was verified.

        Args:
            content: The signed content, canonical.
            origin: The account that sends it, and the request.

        Raises:
            ServiceError: "cancel-xml" with the reason.
        """
        digest = sha256(content).digest()
        reason = self._fecha_problem(etree.fromstring(content).get("Fecha"))
        if reason is None and origin.account_id is not None:
            reason = self._replay_problem(digest, origin.account_id)
        if reason is None:
            return
        log.warning("signed request rejected", reason=reason, account=origin.account_id, digest=digest.hex())
        with self._database.write() as transaction:
            self._audit.record(transaction, EVENT, origin.account_id, digest.hex(), {"reason": reason})
        raise ServiceError("cancel-xml", reason)

    def _fecha_problem(self, text: str | None) -> str | None:
        """Return why the Fecha is outside of the window; None when it is inside, or there is none."""
        if text is None:
            return None
        try:
            fecha = datetime.fromisoformat(text)
        except ValueError:
            return MALFORMED
        # A client may sign with its own clock, also while that of a sandbox is moved.
        try:
            problems = [self._problem_at(fecha, clock.now()) for clock in (self._audit.fiscal, self._audit.wall)]
        except OverflowError:  # in UTC it is outside of the years 1 to 9999
            return MALFORMED
        return problems[0] if all(problems) else None

    def _problem_at(self, fecha: datetime, now: datetime) -> str | None:
        hours, minutes = self._window.hours_back, self._window.minutes_ahead
        if minutes is not None and _instant(fecha, EASTERNMOST) > now + timedelta(minutes=minutes):
            return TOO_NEW
        if hours and _instant(fecha, WESTERNMOST) < now - timedelta(hours=hours):
            return TOO_OLD.format(hours=f"{hours:g}")
        return None

    def _replay_problem(self, digest: bytes, account_id: int) -> str | None:
        now = self._audit.wall.now()
        return None if self._rows.claim(digest, account_id, now, now - RETENTION) == account_id else REPLAYED


def _instant(fecha: datetime, zone: timezone) -> datetime:
    return (fecha if fecha.tzinfo else fecha.replace(tzinfo=zone)).astimezone(UTC)
