"""The reset of one account of the sandbox: it removes what the account's own tests produced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from timbra.accounts.balances import AREA as BALANCES
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.events.audit.audit import Audit
from timbra.sandbox.store.transactions import SandboxStore


@dataclass(frozen=True, slots=True)
class AccountResetSummary:
    """What the reset of an account removed.

    Attributes:
        documents: CFDI of the ledger.
        calls: Recorded calls of the request inspector.
    """

    stamps: int
    documents: int
    rejections: int
    calls: int


class AccountReset:
    """Resets single accounts.

    Args:
        store: The database of the sandbox.
        wall, fiscal: Wall time and fiscal time.
        flush: Writes what this worker has buffered of rejections and calls, so that the reset removes it too.
    """

    def __init__(self, store: SandboxStore, wall: Clock, fiscal: Clock, flush: Callable[[], None]) -> None:
        self._store = store
        self._audit = Audit(wall, fiscal)
        self._flush = flush

    def reset(self, account_id: int, user: str, confirmation: str) -> AccountResetSummary:
        """Remove what the tests of an account produced.

        That is stamps, their documents at the simulated authority, rejections, usage and recorded calls. Users,
        tokens, certificates, branding and the audit log stay, and so does everything of other accounts. The balance
        returns to what was assigned.

        Args:
            user: The user who asks for it.
            confirmation: Must be the same name.

        Raises:
            ServiceError: "TB4005" without the confirmation.
        """
        if confirmation.strip() != user:
            raise ServiceError("TB4005", f"Para confirmar, escriba el nombre del usuario: {user}.")
        self._flush()
        with self._store.long_write() as transaction:
            removed = transaction.cleanup.clear_account(account_id)
            transaction.mark_changed(BALANCES)
            summary = AccountResetSummary(
                removed["stamp"], removed["sandbox_document"], removed["refusal"], removed.get("api_call", 0)
            )
            transaction.record(
                self._audit, "sandbox.account-reset", user, account_id=account_id, before=asdict(summary)
            )
        return summary
