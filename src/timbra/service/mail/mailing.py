"""Sends stamped CFDI: those that stamping left in the mailbox, and those that somebody asks for again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Protocol

import structlog

from timbra.accounts.caller import Caller
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.service.mail.addresses import address
from timbra.service.mail.message import Envelope, message
from timbra.service.printing import Printing
from timbra.service.side_pool import SidePool
from timbra.service.storage import Storage
from timbra.store.mailbox import Letter, Mailbox
from timbra.store.port import StampRecord

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.mail")

MOST_ATTEMPTS = 12
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=4)
"""Twelve attempts, each wait twice the one before: half a day until a letter is given up."""
LONGEST_RUN = timedelta(seconds=20)
NO_SERVER = "No hay un servidor de correo configurado (TIMBRA_SMTP_HOST y TIMBRA_SMTP_SENDER)."


class Post(Protocol):
    """Who carries messages away."""

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        """ServiceError "mail-refused" for good, "mail-down" for now."""
        ...


class Mailing:
    """`resend` and `empty` wait for the mail server: never on the event loop.

    post: None where no server is configured.
    """

    def __init__(
        self, storage: Storage, printing: Printing, post: Post | None, sender: Address | None, *, sandbox: bool
    ) -> None:
        self._storage = storage
        self._printing = printing
        self._post = post
        self._sender = sender
        self._sandbox = sandbox
        self._pool = SidePool("mail", "Hay demasiados envíos en espera.")

    async def resent(self, caller: Caller, uuid: str, recipients: Sequence[str]) -> None:
        """As `resend`, beside the event loop; "CO1000" with `retry_after` while too many wait."""
        await self._pool.run(lambda: self.resend(caller, uuid, recipients))

    def resend(self, caller: Caller, uuid: str, recipients: Sequence[str]) -> None:
        """Sends a stored CFDI of the caller's account at once, to each recipient.

        ServiceError: "storage-unknown"; "TB4006" without a mail server; "mail-refused" with those that were refused,
        after all others got theirs; "mail-down", then the rest got nothing.
        """
        record = self._storage.own(caller, uuid)
        refused: list[str] = []
        for recipient in recipients:
            try:
                self._send(record, recipient)
            except ServiceError as error:
                if error.code != "mail-refused":
                    raise
                refused.append(f"{recipient}: {error.detail}")
        if refused:
            raise ServiceError("mail-refused", "; ".join(refused))

    def empty(self, mailbox: Mailbox, wall: Clock) -> int:
        """Sends what is due, for some seconds; how many letters arrived. Several workers may do it at once.

        What the server does not take now is tried again later, at most twelve times; what it refuses is given up.
        """
        if self._post is None:
            return 0
        end = wall.now() + LONGEST_RUN
        delivered = 0
        while wall.now() < end and (letter := mailbox.take()) is not None:
            delivered += self._deliver(letter, mailbox, wall)
        return delivered

    def _deliver(self, letter: Letter, mailbox: Mailbox, wall: Clock) -> bool:
        """Whether it arrived. A letter that was taken more often than it may be is one that nobody could finish."""
        told = log.bind(uuid=letter.uuid, attempts=letter.attempts)
        refusal = self._attempt(letter) if letter.attempts <= MOST_ATTEMPTS else ServiceError("mail-down")
        if refusal is None:
            mailbox.delivered(letter)
            return True
        failure = refusal.detail or refusal.code
        if refusal.code == "mail-refused" or letter.attempts >= MOST_ATTEMPTS:
            told.error("mail given up", failure=failure)
            mailbox.give_up(letter, failure)
        else:
            told.warning("mail put off", failure=failure)
            mailbox.put_off(letter, wall.now() + _wait(letter.attempts), failure)
        return False

    def _attempt(self, letter: Letter) -> ServiceError | None:
        try:
            self._send(self._storage.any(letter.uuid), letter.recipient)
        except ServiceError as error:
            return error
        return None

    def _send(self, record: StampRecord, recipient: str) -> None:
        if self._post is None or self._sender is None:
            raise ServiceError("TB4006", NO_SERVER)
        try:
            envelope = Envelope(self._sender, address(recipient))
        except ValueError:
            raise ServiceError("mail-refused", "No es una dirección de correo.") from None
        issuer, pdf = self._printing.for_mail(record)
        written = message(envelope, record, issuer, pdf, sandbox=self._sandbox)
        self._post.send(written, self._sender.addr_spec, recipient)


def _wait(attempts: int) -> timedelta:
    return min(FIRST_WAIT * (1 << min(attempts, MOST_ATTEMPTS) - 1), LONGEST_WAIT)
