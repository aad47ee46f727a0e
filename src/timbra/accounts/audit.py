"""What happened to accounts and certificates, in the event log, within the transaction that did it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from timbra.clock import Clock
from timbra.store.tables.stamps import EVENT


@dataclass(frozen=True, slots=True)
class Audit:
    """Writes events with both clocks' time; nothing secret ever enters `subject`."""

    wall: Clock
    fiscal: Clock

    def record(self, connection: Connection, kind: str, account_id: int | None, subject: str) -> None:
        """kind: e.g. `account.created`. subject: what it happened to: a user, a token's id, a certificate's number."""
        connection.execute(
            EVENT.insert().values(
                at=self.wall.now(),
                fiscal_at=self.fiscal.now(),
                account_id=account_id,
                kind=kind,
                subject=subject,
                request_id="",
                body={},
            )
        )
