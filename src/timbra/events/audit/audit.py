"""Writing of the audit log, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from timbra.core.clock import Clock
from timbra.core.origin import current_origin
from timbra.database.transaction import Transaction
from timbra.events.audit.events import AuditEvent, append_audit_event, body_text


@dataclass(frozen=True, slots=True)
class Audit:
    """Writes events with the time of both clocks, and with actor, address and request of the present context."""

    wall: Clock
    fiscal: Clock

    def record(
        self,
        transaction: Transaction,
        kind: str,
        account_id: int | None,
        subject: str,
        body: Mapping[str, object] | None = None,
        *,
        before: Mapping[str, object] | None = None,
        after: Mapping[str, object] | None = None,
    ) -> None:
        """Append an event.

        Args:
            transaction: The write transaction of the change.
            kind: The kind of the event, such as `account.created`.
            account_id: The account that it is about; None for an event without one.
            subject: A user, the identifier of a token or the number of a certificate; never a secret.
            body: Further JSON without secrets.
            before: The changed values before the change; none of them is a secret.
            after: The same values after it.
        """
        content = dict(body or {})
        if before is not None or after is not None:
            content |= changed_values(before or {}, after or {})
        origin = current_origin()
        append_audit_event(
            transaction,
            AuditEvent(
                at=self.wall.now(),
                fiscal_at=self.fiscal.now(),
                kind=kind,
                actor_kind=origin.kind,
                actor=origin.actor,
                actor_account_id=origin.account_id,
                account_id=account_id,
                subject=subject,
                address=origin.address,
                request_id=origin.request_id,
                body=body_text(content),
            ),
        )


def changed_values(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, object]:
    """Return the values that differ, as `before` and `after`; a value that one side does not have is null there."""
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return {
        "before": {name: before.get(name) for name in names},
        "after": {name: after.get(name) for name in names},
    }
