"""Outages of the services that receive stamps: when they begin and end, and what operators read about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Lock

import structlog

from timbra.core.clock import Clock
from timbra.delivery.deliveries import AuthorityOutbox, Backlog
from timbra.delivery.outage_store import CFDI, RETENCIONES, Outage, OutageRepository

LOG = structlog.get_logger(__name__)
LOG_EVERY = timedelta(seconds=30)
SERVICES = {CFDI: "la recepción de CFDI", RETENCIONES: "la recepción de retenciones"}
CAUSES = {
    "delivery-rejected": "no admite al proveedor",
    "signer-unavailable": "espera a que el dispositivo firme el acceso",
    "signature-faulty": "espera a que el dispositivo firme el acceso",
}
NO_ANSWER = "no responde"


class DeliveryOutages:
    """The outages as one process of deliveries knows them. Thread-safe; the database has them for all processes."""

    def __init__(self, repository: OutageRepository, wall: Clock) -> None:
        self._repository = repository
        self._wall = wall
        self._current: dict[str, Outage] = {}
        self._lock = Lock()
        self._logged_at: datetime | None = None

    def refresh(self) -> None:
        """Read the outages: another process may have begun or ended them."""
        with self._lock:
            self._current = {outage.service: outage for outage in self._repository.current()}

    def begin(self, service: str, code: str, reason: str) -> None:
        """Begin the outage of a service, or change its reason; no effect when nothing changes."""
        with self._lock:
            known = self._current.get(service)
            if known is not None and known.code == code:
                return
            outage = Outage(service, self._wall.now() if known is None else known.since, code, reason)
            self._repository.record(outage)
            self._current[service] = outage

    def end(self, service: str) -> bool:
        """End the outage of a service that answered; return whether there was one."""
        with self._lock:
            outage = self._current.pop(service, None)
            if outage is None:
                return False
            self._repository.end(service)
        LOG.warning("the SAT receives stamps again", service=service, since=outage.since.isoformat())
        return True

    def log(self, outbox: AuthorityOutbox) -> None:
        """Log since when each service does not answer, how many deliveries wait, and since when the oldest does."""
        now = self._wall.now()
        if not self._current or (self._logged_at is not None and now < self._logged_at + LOG_EVERY):
            return
        self._logged_at, backlog = now, outbox.backlog()
        for outage in backlog.outages:
            LOG.error(
                "the SAT does not receive stamps",
                service=outage.service,
                since=outage.since.isoformat(),
                waiting=backlog.waiting,
                oldest=None if backlog.oldest is None else backlog.oldest.isoformat(),
                reason=outage.reason,
            )


def outage_warnings(backlog: Backlog, now: datetime) -> Sequence[str]:
    """Return a Spanish sentence for each outage: since when, how many deliveries wait, and how long the oldest one."""
    oldest = timedelta() if backlog.oldest is None else now - backlog.oldest
    waiting = f"{backlog.waiting} entregas en espera, la más antigua desde hace {_minutes(oldest)}."
    return [
        f"En el SAT, {SERVICES.get(outage.service, outage.service)} {CAUSES.get(outage.code, NO_ANSWER)} "
        f"desde {outage.since:%Y-%m-%dT%H:%M:%SZ} (hace {_minutes(now - outage.since)}): {waiting}"
        for outage in backlog.outages
    ]


def _minutes(duration: timedelta) -> str:
    return f"{max(int(duration / timedelta(minutes=1)), 0)} min"
