"""The audit log of accounts and certificates, written in the transaction of the change."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.clock import Clock
from timbra.store.database.transaction import Transaction
from timbra.store.events.event_log import Event, append_event


@dataclass(frozen=True, slots=True)
class Audit:
    """Writes events with the time of both clocks. `subject` never contains a secret."""

    wall: Clock
    fiscal: Clock

    def record(self, transaction: Transaction, kind: str, account_id: int | None, subject: str) -> None:
        """Append an event.

        Args:
            kind: For example `account.created`.
            subject: What the event is about: a user, the identifier of a token, the number of a certificate.
        """
        append_event(transaction, Event(self.wall.now(), self.fiscal.now(), account_id, kind, subject, ""))
