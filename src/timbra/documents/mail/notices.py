"""Sends notices about the security of accounts by e-mail."""

from __future__ import annotations

from email.headerregistry import Address
from email.message import EmailMessage

import structlog

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.batches import is_transient
from timbra.documents.mail.addresses import address
from timbra.documents.mail.mailer import PAUSES, describe
from timbra.documents.ports import MailTransport
from timbra.events.notices import Notice, NoticeOutbox
from timbra.events.retry import Circuit

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.documents.mail")

SUBJECT = "Timbra: intentos fallidos de entrar a su cuenta"
SUBJECTS = {"webhook.disabled": "Timbra: se deshabilitó un destino de sus webhooks"}
"""By the kind of the notice, the first word of its `subject`; `SUBJECT` for the others."""
MAX_SENT = 20
"""Of one run."""


class NoticeMailer:
    """Sends the notices that are due; do not call it on the event loop."""

    def __init__(self, outbox: NoticeOutbox, transport: MailTransport, sender: Address, wall: Clock) -> None:
        self._outbox = outbox
        self._transport = transport
        self._sender = sender
        self._circuit = Circuit(wall, PAUSES)

    def send_pending(self) -> int:
        """Send notices that are due, with the retries of `Mailer.send_pending`. Return how many were sent."""
        sent = 0
        for _ in range(MAX_SENT):
            leased = self._outbox.lease() if self._circuit.capacity(1) else []
            if not leased:
                break
            sent += sum(map(self._deliver, leased))
        return sent

    def _deliver(self, notice: Notice) -> bool:
        error = self._attempt(notice)
        if error is None:
            self._outbox.complete([notice])
            if self._circuit.succeed():
                self._outbox.make_due()
            return True
        failure = describe(error)
        if error.retry_after is not None:
            self._outbox.postpone(notice, self._circuit.fail(), failure)
        elif not is_transient(error):
            log.error("notice not sent", account=notice.account_id, failure=failure)
            self._outbox.mark_dead(notice, failure)
        elif not self._outbox.retry(notice, failure):
            log.error("notice not sent", account=notice.account_id, failure=failure)
        return False

    def _attempt(self, notice: Notice) -> ServiceError | None:
        try:
            recipient = address(notice.recipient)
        except ValueError:
            return ServiceError("mail-refused", "No es una dirección de correo.")
        try:
            self._transport.send(_message(notice, self._sender, recipient), self._sender.addr_spec, notice.recipient)
        except ServiceError as error:
            return error
        return None


def _message(notice: Notice, sender: Address, recipient: Address) -> EmailMessage:
    message = EmailMessage()
    subject = SUBJECTS.get(notice.subject.split()[0], SUBJECT)
    message["From"], message["To"], message["Subject"] = sender, recipient, subject
    message["Date"] = notice.created_at
    message.set_content(notice.body)
    return message
