"""Requests to the SAT: each is stored before it is sent, and an equal question is never asked again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy import Connection

from timbra.core.errors import ServiceError
from timbra.received.synchronization.calls import BLOCKING, UNANSWERED, BulkCalls
from timbra.received.synchronization.models import BulkRequest, BulkRequestState, IssuePeriod, TaxpayerSync, Values
from timbra.received.synchronization.periods import halves, xml_periods
from timbra.received.synchronization.store import SyncRepository
from timbra.sat.bulk_download import ACCEPTED, BAD_TOKEN, BulkQuery, QueryProgress, QueryReceipt

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.received")

MAX_ATTEMPTS: Final = 5
"""Requests for a period that the SAT loses, or whose packages are damaged, before it is given up."""
NO_DOCUMENTS, TOO_MANY, EXHAUSTED, DAILY_LIMIT, MALFORMED = "5004", "5003", "5002", "5011", "301"
READY, FAILED_AT_SAT, REJECTED, EXPIRED = 3, 4, 5, 6
"""Values of EstadoSolicitud."""


@dataclass(frozen=True, slots=True)
class RequestWork:
    """Sends and verifies requests. SyncBlockedError when the e.firma cannot be used."""

    repository: SyncRepository
    calls: BulkCalls

    def ask(
        self, connection: Connection, sync: TaxpayerSync, period: IssuePeriod, values: Values, *, is_metadata: bool
    ) -> None:
        """Plan a request for a period. `values`: Further columns."""
        now = self.calls.wall.now()
        own: Values = {"is_metadata": is_metadata, "created_at": now, "due_at": now}
        self.repository.ask(connection, sync, period, {**own, **values})

    def send(self, request: BulkRequest) -> None:
        """Send a request. That it is sent is stored first, so that the question is not asked again after a crash."""
        failure = self.calls.authenticate(request, request.failures)
        if failure is not None:
            self._postpone(request, failure)
            return
        with self.repository.write() as connection:
            values: Values = {"state": BulkRequestState.SENDING, "sent_at": self.calls.wall.now()}
            if not self.repository.change_request(connection, request, values):
                return
            self.calls.record(connection, "received.requested", request)
        sent = replace(request, state=BulkRequestState.SENDING)
        query = BulkQuery(request.rfc, request.is_issued, request.is_metadata, request.starts, request.ends)
        try:
            receipt = self.calls.client(request).request(query)
        except ServiceError as error:
            self.calls.count("request", UNANSWERED)
            self.replace(sent, f"Sin respuesta: {error.detail}", failures=request.failures + 1)
            return
        self.calls.count("request", receipt.code)
        self._sent(replace(sent, code=receipt.code, message=receipt.message), receipt)

    def verify(self, request: BulkRequest) -> None:
        """Ask for the state of a request."""
        try:
            progress = self.calls.client(request).verify(request.rfc, request.request_id)
        except ServiceError as error:
            self.calls.count("verification", UNANSWERED)
            self._postpone(request, error.detail or error.code)
            return
        self.calls.count("verification", progress.code)
        text = f"{progress.code} {progress.message}"
        if progress.code == NO_DOCUMENTS:
            self.replace(request, f"{text}: el SAT no conoce la solicitud.", is_attempt=True)
        elif progress.code != ACCEPTED:
            self._postpone(request, text)
            self.calls.require_accepted(progress.code, progress.message, request.failures)
        else:
            self._verified(replace(request, code=progress.request_code), progress)

    def finish(self, request: BulkRequest) -> None:
        """End a request; that of metadata is followed by requests for the XML that is missing."""
        sync, period = self.repository.side(request.sync_id), IssuePeriod(request.starts, request.until)
        wanted: list[IssuePeriod] = []
        if request.is_metadata:
            found = xml_periods(period, self.repository.missing_by_hour(sync, period))
            wanted = [each for each in found if not self.repository.is_asked(sync, each)]
        with self.repository.write() as connection:
            if not self._end(connection, request, BulkRequestState.DONE, request.message):
                return
            if not request.is_metadata:
                self.repository.count_xml_request(connection, sync, period)
            for each in wanted:
                self.ask(connection, sync, each, {}, is_metadata=False)

    def replace(self, request: BulkRequest, message: str, failures: int = 0, *, is_attempt: bool = False) -> None:
        """Ask for the period of a lost request again, by another question.

        Args:
            message: Why it is lost, in Spanish.
            failures: Calls without an answer in a row.
            is_attempt: Whether the SAT took the request: after some of them the period is given up.
        """
        attempt = request.attempt + is_attempt
        if attempt > MAX_ATTEMPTS:
            self._fail(request, message)
            return
        sync = self.repository.side(request.sync_id)
        values: Values = {
            "attempt": attempt,
            "failures": failures,
            "created_at": request.created_at,
            "due_at": self.calls.after_failures(failures or attempt - 1),
        }
        with self.repository.write() as connection:
            if self._end(connection, request, BulkRequestState.LOST, message):
                period = IssuePeriod(request.starts, request.until)
                self.ask(connection, sync, period, values, is_metadata=request.is_metadata)
        log.info("request replaced", rfc=request.rfc, request=request.request_id, reason=message)

    def replace_packages(self, request: BulkRequest, message: str) -> None:
        """Ask for a period of which packages are lost again, unless other requests delivered what they had.

        Of many packages one is lost in most requests while calls fail: without this, no request would be the last one.
        """
        sync, period = self.repository.side(request.sync_id), IssuePeriod(request.starts, request.until)
        is_whole = 0 < request.documents <= self.repository.count_delivered(sync, request)
        if is_whole and (request.is_metadata or not self.repository.missing_by_hour(sync, period)):
            self.finish(request)
        else:
            self.replace(request, message, is_attempt=True)

    def ask_again(self, connection: Connection, sync: TaxpayerSync, request: BulkRequest) -> None:
        """Ask for a period that was given up again."""
        if self._end(connection, request, BulkRequestState.LOST, request.message):
            self.ask(connection, sync, IssuePeriod(request.starts, request.until), {}, is_metadata=request.is_metadata)

    def _sent(self, request: BulkRequest, receipt: QueryReceipt) -> None:
        """Store the answer of the request service."""
        code, told = receipt.code, {"code": receipt.code, "message": receipt.message}
        text, failures = f"{code} {receipt.message}", request.failures + 1
        if code == ACCEPTED and receipt.request_id:
            state: Values = {"state": BulkRequestState.WAITING, "request_id": receipt.request_id}
            self._change(request, {**state, **told, "due_at": self.calls.next_poll(0), "failures": 0})
        elif code in BLOCKING or code in (BAD_TOKEN, DAILY_LIMIT):
            # The SAT did not take the question, so it is asked as it is.
            is_daily = code == DAILY_LIMIT
            due = self.calls.wall.now() + timedelta(days=1) if is_daily else self.calls.after_failures(failures)
            planned: Values = {"state": BulkRequestState.PLANNED, "due_at": due, "failures": failures}
            self._change(request, {**planned, **told})
            self.calls.require_accepted(code, receipt.message, request.failures)
        elif code == NO_DOCUMENTS:
            self.finish(request)
        elif code == MALFORMED:
            self._fail(request, text)
        elif code == EXHAUSTED:
            self.replace(request, text, is_attempt=True)
        else:
            self.replace(request, text, failures=failures)

    def _verified(self, request: BulkRequest, progress: QueryProgress) -> None:
        """Store the state of a request."""
        if progress.state == READY and not progress.packages and progress.documents:
            self.replace(request, "El SAT la terminó sin paquetes.", is_attempt=True)
        elif progress.state == READY and not progress.packages:
            self.finish(request)
        elif progress.state == READY:
            values: Values = {"state": BulkRequestState.READY, "documents": progress.documents, "code": request.code}
            with self.repository.write() as connection:
                if self.repository.change_request(connection, request, values):
                    self.repository.add_packages(connection, request, progress.packages, self.calls.wall.now())
        elif progress.state == REJECTED and request.code == NO_DOCUMENTS:
            self.finish(request)
        elif progress.state == REJECTED and request.code == TOO_MANY:
            self._split(request)
        elif progress.state in (FAILED_AT_SAT, REJECTED, EXPIRED):
            text = f"El SAT la dejó en el estado {progress.state}, código {request.code or 'ninguno'}."
            self.replace(request, text, is_attempt=True)
        elif request.sent_at is not None and self.calls.wall.now() - request.sent_at >= self.calls.pacing.stuck:
            self.replace(request, "El SAT no la terminó a tiempo.", is_attempt=True)
        else:
            polls = request.polls + 1
            due = self.calls.next_poll(polls)
            self._change(request, {"polls": polls, "failures": 0, "due_at": due, "code": request.code})

    def _split(self, request: BulkRequest) -> None:
        parts, sync = halves(IssuePeriod(request.starts, request.until)), self.repository.side(request.sync_id)
        if not parts:
            self._fail(request, "Hay demasiados documentos en un segundo.")
            return
        with self.repository.write() as connection:
            if self._end(connection, request, BulkRequestState.SPLIT, "Son demasiados documentos: se parte en dos."):
                for part in parts:
                    self.ask(connection, sync, part, {}, is_metadata=request.is_metadata)

    def _fail(self, request: BulkRequest, message: str) -> None:
        """Give a period up. Without its metadata the XML of all of it is asked for, once."""
        sync, period = self.repository.side(request.sync_id), IssuePeriod(request.starts, request.until)
        with self.repository.write() as connection:
            if self._end(connection, request, BulkRequestState.FAILED, message):
                if not request.is_metadata:
                    self.repository.count_xml_request(connection, sync, period)
                elif request.code != MALFORMED:
                    self.ask(connection, sync, period, {}, is_metadata=False)
        log.warning("request given up", rfc=request.rfc, starts=str(request.starts), reason=message)

    def _end(self, connection: Connection, request: BulkRequest, state: BulkRequestState, message: str) -> bool:
        values: Values = {"state": state, "message": message, "code": request.code}
        return self.repository.change_request(connection, request, {**values, "finished_at": self.calls.wall.now()})

    def _postpone(self, request: BulkRequest, message: str) -> None:
        """Make a call again later, after one that changed nothing at the SAT."""
        failures = request.failures + 1
        due = self.calls.after_failures(failures)
        self._change(request, {"failures": failures, "due_at": due, "message": message})

    def _change(self, request: BulkRequest, values: Values) -> None:
        with self.repository.write() as connection:
            self.repository.change_request(connection, request, values)
