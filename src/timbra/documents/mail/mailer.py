"""Sends stamped CFDI by e-mail: those in the outbox, and those that a client requests again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from email.headerregistry import Address

import structlog

from timbra.core.caller import Caller
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.core.text import storable
from timbra.database.batches import is_transient
from timbra.documents.mail.addresses import address
from timbra.documents.mail.message import EmailEnvelope, message
from timbra.documents.ports import MailTransport
from timbra.documents.printing import PrintingService
from timbra.documents.storage import StoredCfdiService
from timbra.events.email import EmailDelivery, EmailOutbox
from timbra.events.retry import Circuit, doubling
from timbra.pools import PoolLimits, ThreadPool
from timbra.stamps.port import StampRecord

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.documents.mail")

MOST_FAILURE = 500
PAUSES = doubling(timedelta(seconds=30), timedelta(minutes=8))
"""While the mail server does not answer, one e-mail tries it after each pause."""
LIMITS = PoolLimits(running=4, per_account=2, waiting=32, waiting_per_account=16)
LONGEST_RUN = timedelta(seconds=20)
NO_SERVER = "No hay un servidor de correo configurado (TIMBRA_SMTP_HOST y TIMBRA_SMTP_SENDER)."


class Mailer:
    """Sends CFDI. `resend` and `send_pending` wait for the mail server; do not call them on the event loop.

    Args:
        storage: stored CFDI.
        printing: makes the PDF.
        post: the mail server; None where none is configured.
        sender: the From address; None where none is configured.
        fiscal_effect: whether stamps have fiscal effect; messages say so when they have none.
    """

    def __init__(
        self,
        storage: StoredCfdiService,
        printing: PrintingService,
        post: MailTransport | None,
        sender: Address | None,
        *,
        fiscal_effect: bool,
        metrics: MetricsRegistry | None = None,
    ) -> None:
        self._storage = storage
        self._printing = printing
        self._transport = post
        self._sender = sender
        self._fiscal_effect = fiscal_effect
        self._circuit: Circuit | None = None
        self._pool = ThreadPool("mail", LIMITS, "Hay demasiados envíos en espera.", metrics)

    async def resend_in_pool(self, caller: Caller, uuid: str, recipients: Sequence[str]) -> None:
        """Call `resend` in the thread pool. ServiceError "CO1000" with `retry_after` while the queue is full."""
        await self._pool.run(str(caller.account_id), self.resend, caller, uuid, recipients)

    def resend(self, caller: Caller, uuid: str, recipients: Sequence[str]) -> None:
        """Send a stored CFDI of the caller's account to each recipient.

        Raises:
            ServiceError: "storage-unknown"; "TB4006" without a mail server; "mail-refused" with the rejected
                recipients, after the CFDI was sent to all others; "mail-down", and then nothing was sent to the
                remaining recipients.
        """
        record = self._storage.own(caller, uuid)
        rejected: list[str] = []
        for recipient in recipients:
            try:
                self._send(record, recipient)
            except ServiceError as error:
                if error.code != "mail-refused":
                    raise ServiceError(error.code, error.detail) from error
                rejected.append(f"{recipient}: {error.detail}")
        if rejected:
            raise ServiceError("mail-refused", "; ".join(rejected))

    def send_pending(self, email_outbox: EmailOutbox, wall: Clock) -> int:
        """Send the e-mails that are due, for at most 20 s. Several workers may call this at the same time.

        A temporary failure is retried by the schedule of the outbox. A permanent failure, or one of the e-mail itself
        (its document cannot be read), makes a dead letter. While the mail server does not answer, e-mails wait and no
        attempt counts; its first answer makes all of them due.

        Returns:
            The number of e-mails that the mail server accepted.
        """
        if self._transport is None:
            return 0
        if self._circuit is None:
            self._circuit = Circuit(wall, PAUSES)
        circuit, end, delivered = self._circuit, wall.now() + LONGEST_RUN, 0
        while wall.now() < end and circuit.capacity(1) and (leased := email_outbox.lease()):
            delivered += sum(self._deliver(email, email_outbox, circuit) for email in leased)
        return delivered

    def _deliver(self, email: EmailDelivery, email_outbox: EmailOutbox, circuit: Circuit) -> bool:
        """Send one e-mail and return whether the mail server accepted it.

        More attempts than the limit mean that earlier workers died while they sent this e-mail.
        """
        bound_log = log.bind(uuid=email.uuid, attempts=email.attempts)
        most = email_outbox.retry_schedule.attempts
        error = self._attempt(email) if email.attempts <= most else ServiceError("mail-down")
        if error is None:
            email_outbox.complete([email])
            if circuit.succeed():
                email_outbox.make_due()
            return True
        failure = describe(error)
        if isinstance(error, ServiceError) and error.retry_after is not None:
            bound_log.warning("mail server does not answer", failure=failure)
            email_outbox.postpone(email, circuit.fail(), failure)
        elif not is_transient(error):
            bound_log.error("e-mail is a dead letter", failure=failure)
            email_outbox.mark_dead(email, failure)
        elif email_outbox.retry(email, failure):
            bound_log.warning("e-mail rescheduled", failure=failure)
        else:
            bound_log.error("e-mail is a dead letter", failure=failure)
        return False

    def _attempt(self, email: EmailDelivery) -> Exception | None:
        """Send one e-mail and return any exception, so that one e-mail does not block the others."""
        try:
            self._send(self._storage.of_any_account(email.uuid), email.recipient)
        except Exception as error:
            return error
        return None

    def _send(self, record: StampRecord, recipient: str) -> None:
        if self._transport is None or self._sender is None:
            raise ServiceError("TB4006", NO_SERVER)
        try:
            envelope = EmailEnvelope(self._sender, address(recipient))
        except ValueError:
            raise ServiceError("mail-refused", "No es una dirección de correo.") from None
        issuer, pdf = self._printing.issuer_and_pdf(record)
        outgoing = message(envelope, record, issuer, pdf, fiscal_effect=self._fiscal_effect)
        self._transport.send(outgoing, self._sender.addr_spec, recipient)


def describe(error: Exception) -> str:
    """Return a failure as one line."""
    text = error.detail or error.code if isinstance(error, ServiceError) else f"{type(error).__name__}: {error}"
    return storable(text, MOST_FAILURE)
