"""Calls of the bulk download: the clients of a run, their pauses, their counts and their audit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import RECEIVED_REQUESTS, MetricsRegistry
from timbra.core.retry import Backoff
from timbra.events.audit.audit import Audit
from timbra.received.synchronization.models import TIME_FORMAT, BulkRequest
from timbra.received.synchronization.texts import CAUSES
from timbra.sat.bulk_download import ACCEPTED, BAD_TOKEN
from timbra.sat.bulk_download_client import BulkDownloadClient
from timbra.sat.soap import is_security_fault

UNANSWERED: Final = "unanswered"
REJECTED_LOGINS: Final = 5
"""Calls in a row that the SAT rejects because of their token or login, before the e.firma is not used any more."""
BLOCKING: Final = ("302", "303", "304", "305", "5001")
"""Answers after which nothing is asked for with the e.firma."""
_SERVICES: Final = ("request", "verification", "download")


_POLL, _RETRY = Backoff(30, 3600), Backoff(60, 3600)


@dataclass(frozen=True, slots=True)
class Pacing:
    """Pauses of the calls.

    Attributes:
        poll: Between the verifications of a request.
        retry: After calls without an answer.
        stuck: After which a request that does not end is asked for again.
        blocked: After which an e.firma that the SAT does not accept is tried again.
        refresh: Between the requests for metadata of past periods.
        open_requests: Requests of a taxpayer that wait at the SAT.
    """

    poll: Backoff = _POLL
    retry: Backoff = _RETRY
    stuck: timedelta = timedelta(hours=72)
    blocked: timedelta = timedelta(hours=6)
    refresh: timedelta = timedelta(days=7)
    open_requests: int = 10


PACING: Final = Pacing()


class SyncBlockedError(Exception):
    """Nothing can be asked for with the e.firma of a taxpayer; the text says why, in Spanish."""


@dataclass(slots=True)
class BulkCalls:
    """What the work for a taxpayer shares.

    Attributes:
        new_client: Returns the client of an account, an RFC and a kind of document. ServiceError without an e.firma.
        audit: Records every request.
        wall: Wall time.
        metrics: Counts calls.
        pacing: Pauses.
    """

    new_client: Callable[[int, str, str], BulkDownloadClient]
    audit: Audit
    wall: Clock
    metrics: MetricsRegistry
    pacing: Pacing = PACING
    _clients: dict[tuple[int, str, str], BulkDownloadClient] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for service in _SERVICES:
            for code in (ACCEPTED, UNANSWERED):
                self.metrics.declare(RECEIVED_REQUESTS, (f"{service} {code}",))

    def forget_clients(self) -> None:
        """Read the e.firma again at the next call."""
        self._clients.clear()

    def client(self, request: BulkRequest) -> BulkDownloadClient:
        """Return the client of a request. SyncBlockedError without an e.firma that is in force."""
        key = request.account_id, request.rfc, request.kind
        if key not in self._clients:
            try:
                self._clients[key] = self.new_client(*key)
            except ServiceError as error:
                raise SyncBlockedError(error.detail or error.code) from error
        return self._clients[key]

    def authenticate(self, request: BulkRequest, failures: int) -> str | None:
        """Get a token; return None, or why there is none.

        Raises:
            SyncBlockedError: The SAT rejected the login several times.
        """
        try:
            self.client(request).authenticate()
        except ServiceError as error:
            if is_security_fault(error) and failures + 1 >= REJECTED_LOGINS:
                text = f"El SAT no acepta la autenticación: revise el reloj y la e.firma. {error.detail}"
                raise SyncBlockedError(text) from error
            return error.detail or error.code
        return None

    def count(self, service: str, code: str) -> None:
        """Count an answer. A thread may only count what is declared."""
        labels = (f"{service} {code}",)
        self.metrics.declare(RECEIVED_REQUESTS, labels)
        self.metrics.count(RECEIVED_REQUESTS, labels)

    def require_accepted(self, code: str, message: str, failures: int) -> None:
        """Raise SyncBlockedError for an answer after which the e.firma is not used any more."""
        if code in BLOCKING:
            raise SyncBlockedError(f"{code} {message}. {CAUSES[code]}")
        if code == BAD_TOKEN and failures + 1 >= REJECTED_LOGINS:
            raise SyncBlockedError(f"{code} {message}. El SAT no acepta el token.")

    def after_failures(self, failures: int) -> datetime:
        """Return when a call is made again after so many failures in a row; now after none."""
        seconds = self.pacing.retry.pause(failures) if failures else 0
        return self.wall.now() + timedelta(seconds=seconds)

    def next_poll(self, polls: int) -> datetime:
        """Return when a request is verified again after so many verifications."""
        return self.wall.now() + timedelta(seconds=self.pacing.poll.pause(polls + 1))

    def record(self, connection: Connection, kind: str, request: BulkRequest, package: str = "") -> None:
        """Record a call in the audit log, in the transaction that stores that it is made."""
        body = {
            "kind": request.kind,
            "side": "issued" if request.is_issued else "received",
            "type": "Metadata" if request.is_metadata else "CFDI",
            "starts": request.starts.strftime(TIME_FORMAT),
            "ends": request.ends.strftime(TIME_FORMAT),
        }
        if package:
            body |= {"request": request.request_id, "package": package}
        self.audit.record(connection, kind, request.account_id, request.rfc, body)
