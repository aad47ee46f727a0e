"""The audit log of accounts and certificates, written in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from timbra.clock import Clock
from timbra.store.database.transaction import Transaction
from timbra.store.events.event_log import Event, append_event


@dataclass(frozen=True, slots=True)
class Audit:
    """Writes events with the time of both clocks."""

    wall: Clock
    fiscal: Clock

    def record(
        self,
        transaction: Transaction,
        kind: str,
        account_id: int | None,
        subject: str,
        body: Mapping[str, object] | None = None,
    ) -> None:
        """Append an event.

        Args:
            transaction: The write transaction of the change.
            kind: The kind of the event, such as `account.created`.
            account_id: The account; None for an event without one.
            subject: A user, the identifier of a token or the number of a certificate; never a secret.
            body: Further JSON without secrets.
        """
        append_event(transaction, Event(self.wall.now(), self.fiscal.now(), account_id, kind, subject, "", body or {}))
