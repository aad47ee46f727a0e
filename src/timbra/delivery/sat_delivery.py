"""Delivery of stamps to the SAT: upload, announcement and acuse, from the outbox, by several threads and nodes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Protocol

import structlog

from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock, to_central_mexico
from timbra.core.errors import ServiceError
from timbra.core.metrics import DELIVERIES, DELIVERY_DELAY, INTERNAL_ERRORS, MetricsRegistry
from timbra.core.trace_context import traceparent_of
from timbra.core.tracing import span
from timbra.delivery.deliveries import STAMP, AuthorityOutbox, OutboxDelivery
from timbra.delivery.delivery import LOCAL_FAILURES, RENEW_SECONDS, RENEWED_LEASE, mark_dead, renewed, retry
from timbra.delivery.outage_store import CFDI, RETENCIONES
from timbra.delivery.outages import DeliveryOutages
from timbra.delivery.receptions import (
    ANSWERED_STATES,
    LATE,
    RECEIVED,
    REJECTED,
    WITH_INCIDENCIA,
    ReceptionRepository,
    StoredReception,
)
from timbra.events.outbox import describe
from timbra.sat.reception_port import ReceptionAcuse, ReceptionAuthority, ReceptionState, StampedDocument
from timbra.stamps.port import StampRecord
from timbra.web.public_errors import INTERNAL_ERROR, document_error

LOG = structlog.get_logger(__name__)
BATCH_PER_THREAD = 4
"""Of a delivery; renewed while it is made, so that another process soon repeats the deliveries of one that died."""
TEMPORARY_REJECTIONS = frozenset({"502"})
"""CodEstatus with which the SAT says that it does not have the uploaded document."""
LATE_WORDS = "extempor"
CONFIGURATION_PAUSE = timedelta(seconds=30)
"""After a failure of every document: the SAT does not admit the provider, or the device does not sign the login."""
OUTCOMES = (*ANSWERED_STATES, "not-found", "not-admitted", "unreachable", "error")
_RANDOM = random.SystemRandom()


class StampSource(Protocol):
    """Reads stored stamps."""

    def by_uuid(self, uuid: str) -> StampRecord | None:
        """Return a stamp by its folio in lower case."""
        ...


@dataclass(frozen=True, slots=True)
class DeliveryPolicy:
    """How deliveries are made.

    Attributes:
        threads: Deliveries of this process at the same time.
        timeout: The longest time of one delivery.
        late_after: The time between stamp and acuse after which a document is late.
        jitter: Returns a number from 0 to 1: the part of the second half of a wait that is waited, so that nodes do not
            repeat together.
        renew_seconds: Seconds between two renewals of the leases of a batch.
    """

    threads: int
    timeout: timedelta
    late_after: timedelta
    jitter: Callable[[], float] = _RANDOM.random
    renew_seconds: float = RENEW_SECONDS


class DeliveryService:
    """Delivers the stamps of the outbox. One instance per process; several processes and nodes deliver at once."""

    def __init__(
        self,
        outbox: AuthorityOutbox,
        stamps: StampSource,
        receptions: ReceptionRepository,
        outages: DeliveryOutages,
        authority: ReceptionAuthority,
        wall: Clock,
        policy: DeliveryPolicy,
        metrics: MetricsRegistry,
    ) -> None:
        """Deliver to an authority.

        Args:
            receptions: Stores the answers.
            outages: Remembers since when a service does not answer.
            authority: Receives the documents.
            policy: How deliveries are made.
            metrics: Counts outcomes.
        """
        self._outbox = outbox
        self._stamps = stamps
        self._receptions = receptions
        self._outages = outages
        self._authority = authority
        self._wall = wall
        self._policy = policy
        self._metrics = metrics
        self._threads = ThreadPoolExecutor(policy.threads, "deliveries")
        self._paused_until: datetime | None = None
        self._has_ended = False
        self._counting = Lock()
        for outcome in OUTCOMES:
            metrics.declare(DELIVERIES, (outcome,))
        metrics.declare(DELIVERY_DELAY, ())
        metrics.declare(INTERNAL_ERRORS, (INTERNAL_ERROR,))

    def deliver_pending(self) -> int:
        """Deliver what is due, until nothing is due or the SAT does not answer; return how many were concluded.

        A delivery is leased by one process, which renews the lease. A process that dies loses it, and another one
        repeats the delivery: the SAT answers a repeated announcement with the first acuse.

        While a service does not answer any document, its documents are postponed until the next attempt with one of
        them, and no attempt counts. Its first answer makes all of them due.
        """
        concluded = 0
        while batch := self._lease():
            self._outages.refresh()
            with renewed(self._outbox, batch, self._policy.renew_seconds):
                outcomes = list(self._threads.map(self._deliver, batch))
            concluded += sum(outcomes)
            if self._has_ended:
                # After the batch: some of it was postponed before the answer that ended the outage.
                self._has_ended = False
                self._outbox.make_kind_due(STAMP, RENEWED_LEASE)
            elif not all(outcomes):
                self._outages.log(self._outbox)
                break
        return concluded

    def close(self) -> None:
        """End the threads after their running deliveries."""
        self._threads.shutdown(wait=False)

    def _lease(self) -> list[OutboxDelivery]:
        if self._paused_until is not None and self._wall.now() < self._paused_until:
            return []
        # After a pause one document finds out whether the SAT admits the provider again.
        most = self._policy.threads * BATCH_PER_THREAD if self._paused_until is None else 1
        limit = self._authority.capacity(most)
        return self._outbox.lease(limit, RENEWED_LEASE) if limit else []

    def _deliver(self, delivery: OutboxDelivery) -> bool:
        """Deliver one document; return whether the SAT answered."""
        document = None
        try:
            record = self._record(delivery.subject)
            document = _document(record)
            with span("delivery", "internal", traceparent_of(record.request_id), timbra_uuid=record.uuid):
                acuse = self._authority.deliver(document)
            self._paused_until = None
            if self._outages.end(_service(document)):
                self._has_ended = True
            return self._conclude(delivery, record, acuse)
        except ServiceError as error:
            return self._failed(delivery, document, error)
        except Exception as error:
            self._count("error")
            with self._counting:
                document_error(error, delivery.subject, self._metrics)
            mark_dead(self._outbox, delivery, error)
            return True

    def _record(self, uuid: str) -> StampRecord:
        record = self._stamps.by_uuid(uuid)
        if record is None:
            raise ServiceError("document-unknown", f"No hay un timbre con el folio {uuid}.")
        return record

    def _conclude(self, delivery: OutboxDelivery, record: StampRecord, acuse: ReceptionAcuse) -> bool:
        if acuse.state is ReceptionState.REJECTED and acuse.status in TEMPORARY_REJECTIONS:
            self._reschedule(delivery, f"El SAT no encontró el comprobante cargado ({acuse.status}).")
            self._count("not-found")
            return False
        now = self._wall.now()
        reception = StoredReception(
            uuid=delivery.subject,
            account_id=record.account_id,
            issuer_rfc=record.issuer_rfc,
            version=record.version,
            stamped_at=record.stamped_at,
            uploaded_at=now - timedelta(seconds=acuse.announce_seconds),
            acknowledged_at=now,
            attempts=delivery.attempts,
            state=self._state(acuse, now - record.stamped_at),
            status=acuse.status,
            incidencias=[{"code": found.code, "message": found.message} for found in acuse.incidencias],
            acuse=acuse.xml,
        )
        self._receptions.conclude(reception)
        self._count(reception.state)
        with self._counting:
            self._metrics.observe(DELIVERY_DELAY, (), (now - record.stamped_at).total_seconds())
        if reception.state == REJECTED:
            LOG.error("the SAT rejected a document", uuid=reception.uuid, status=reception.status)
        return True

    def _state(self, acuse: ReceptionAcuse, delay: timedelta) -> str:
        """Return the state of a document that the SAT answered.

        What the SAT says comes first; a document without findings is late by its delay.
        """
        if acuse.state is ReceptionState.REJECTED:
            return REJECTED
        texts = (acuse.status, *(found.message for found in acuse.incidencias))
        if any(LATE_WORDS in text.lower() for text in texts):
            return LATE
        if acuse.incidencias:
            return WITH_INCIDENCIA
        return LATE if delay > self._policy.late_after else RECEIVED

    def _failed(self, delivery: OutboxDelivery, document: StampedDocument | None, error: ServiceError) -> bool:
        """Plan the next attempt, or give the delivery up when no attempt can succeed."""
        pause = None if document is None else self._pause(document, error)
        if error.code == "delivery-rejected":
            LOG.error("the SAT does not admit this provider", reason=describe(error))
            self._count("not-admitted")
        elif error.code == "authority-down" or error.retry_after is not None:
            self._count("unreachable")
        else:
            self._count("error")
            mark_dead(self._outbox, delivery, error)
            return True
        if document is not None and pause is not None:
            self._outages.begin(_service(document), error.code, describe(error))
            self._outbox.postpone(delivery, self._wall.now() + pause, describe(error))
        else:
            self._reschedule(delivery, describe(error))
        return False

    def _pause(self, document: StampedDocument, error: ServiceError) -> timedelta | None:
        """Return for how long no document of this service is delivered; None when only this one failed."""
        if error.code == "delivery-rejected" or error.code in LOCAL_FAILURES:
            self._paused_until = self._wall.now() + CONFIGURATION_PAUSE
            return CONFIGURATION_PAUSE
        seconds = self._authority.pause(document)
        return None if seconds is None else timedelta(seconds=seconds)

    def _reschedule(self, delivery: OutboxDelivery, reason: str) -> None:
        schedule = replace(self._outbox.retry_schedule, spread=(0.5, 1), jitter=self._policy.jitter)
        retry(self._outbox, delivery, reason, schedule)

    def _count(self, outcome: str) -> None:
        with self._counting:
            self._metrics.count(DELIVERIES, (outcome,))


class ReceptionByKind:
    """Delivers CFDI and retenciones to their services."""

    def __init__(self, cfdi: ReceptionAuthority, retenciones: ReceptionAuthority | None) -> None:
        """Use the clients of both services; None for retenciones without an address."""
        self._cfdi = cfdi
        self._retenciones = retenciones

    def capacity(self, wanted: int) -> int:
        """Return the larger capacity of both: a service that does not answer must not stop the other one."""
        return max(service.capacity(wanted) for service in self._services())

    def pause(self, document: StampedDocument) -> float | None:
        service = self._retenciones if document.is_retencion else self._cfdi
        return None if service is None else service.pause(document)

    def deliver(self, document: StampedDocument) -> ReceptionAcuse:
        """See `ReceptionAuthority.deliver`; ServiceError("authority-down") without an address for retenciones."""
        if not document.is_retencion:
            return self._cfdi.deliver(document)
        if self._retenciones is None:
            raise ServiceError("authority-down", "Falta TIMBRA_SAT_RETENCIONES_RECEPTION_URL.", retry_after=60)
        return self._retenciones.deliver(document)

    def _services(self) -> Iterable[ReceptionAuthority]:
        return filter(None, (self._cfdi, self._retenciones))


def _service(document: StampedDocument) -> str:
    return RETENCIONES if document.is_retencion else CFDI


def _document(record: StampRecord) -> StampedDocument:
    return StampedDocument(
        uuid=record.uuid,
        issuer_rfc=record.issuer_rfc,
        stamped_at=to_central_mexico(record.stamped_at),
        certificate_number=record.provider_certificate,
        version=record.version,
        xml=record.cfdi,
        is_retencion=record.is_retencion,
    )


BOUNDS = (
    Bound(
        "DeliveryService",
        BoundKind.POOL,
        "the threads of the delivery policy",
        "Further deliveries stay in the outbox.",
    ),
)
