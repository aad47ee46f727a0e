"""Replies of receivers to cancellation requests: automatic ones, and those given in the receiver's place."""

from __future__ import annotations

from timbra.cfdi.cancelacion.answer import ReceiverAnswer
from timbra.sandbox.authority.cancellation.auto_replies import SILENCE, AutoReplies, AutoReply, answer_of
from timbra.sandbox.authority.cancellation_service import RECEIVED, SandboxCancellationService
from timbra.sandbox.store.models import OpenRequest
from timbra.sandbox.store.transactions import SandboxStore
from timbra.sat.port import CancellationReceipt, RequestOrigin

__all__ = ["RECEIVED", "SILENCE", "AutoReplies", "AutoReply", "CancellationReplies", "OpenRequest", "answer_of"]


class CancellationReplies:
    """Answers cancellation requests for simulated receivers.

    Attributes:
        scripts: receivers that reply automatically.
    """

    def __init__(self, cancellations: SandboxCancellationService, store: SandboxStore) -> None:
        self._cancellations = cancellations
        self._store = store
        self.scripts = cancellations.scripts

    def respond(
        self, folio: str, answer: ReceiverAnswer, account_id: int | None = None, request_id: str = ""
    ) -> CancellationReceipt:
        """Answer a request in the receiver's place, without the receiver's signature.

        Args:
            folio: UUID of the CFDI.
            answer: accept or reject.
            account_id: account that answers, for the history; None for the command line.
            request_id: request that answers, for the history.

        Returns:
            The signed acuse with the code of the CFDI.

        Raises:
            ServiceError: `document-unknown` when the authority does not have the CFDI.
        """
        return self._cancellations.respond(folio, answer, RequestOrigin(account_id, request_id))

    def open_requests(self, limit: int) -> list[OpenRequest]:
        """Return at most `limit` requests that are pending for their receiver, oldest first."""
        with self._store.read() as transaction:
            return transaction.requests.list_open(limit)
