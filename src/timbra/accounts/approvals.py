"""The two-person rule: one person requests a protected operation, another one of the role confirms it within a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from timbra.accounts.field_validation import normalize_user
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.approval_repository import Approval, ApprovalRepository
from timbra.core.approvals import ProtectedAction
from timbra.core.caller import Caller
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.roles import OWNER
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit

PERSONS = 2


class Approvals:
    """Requests of one database.

    Administrators decide about requests of the server, owners of an account and administrators about those of it.
    """

    def __init__(
        self, database: Database, actions: frozenset[ProtectedAction], lifetime: timedelta, wall: Clock, audit: Audit
    ) -> None:
        """Protect operations.

        Args:
            actions: The operations that need a second person.
            lifetime: Time in which a request is confirmed, and then in which the operation is done.
        """
        self._database = database
        self._actions = actions
        self._lifetime = lifetime
        self._wall = wall
        self._audit = audit
        self._rows = ApprovalRepository()

    def protects(self, action: ProtectedAction) -> bool:
        """Whether an operation needs a second person."""
        return action in self._actions

    def is_without_second_person(self) -> bool:
        """Whether operations of the server are protected that no second administrator can confirm."""
        if not self._actions:
            return False
        with self._database.read() as transaction:
            return AccountRepository().count_administrators(transaction) < PERSONS

    def use(self, action: ProtectedAction, subject: str = "", account_id: int | None = None) -> None:
        """Use the confirmation of an operation, once; without effect for an operation that is not protected.

        Raises:
            ServiceError: "approval-needed" without a confirmation; its detail names the request that waits.
        """
        if not self.protects(action):
            return
        now = self._wall.now()
        with self._database.write() as transaction:
            used = self._rows.use(transaction, action, subject, account_id, now)
            if used is not None:
                self._record(transaction, "approval.used", used)
                return
            waiting = self._rows.find(transaction, action, subject, account_id, now)
        raise _needed(waiting)

    def is_waiting(self, action: ProtectedAction, subject: str = "", account_id: int | None = None) -> bool:
        """Whether an operation was requested already."""
        with self._database.read() as transaction:
            return self._rows.find(transaction, action, subject, account_id, self._wall.now()) is not None

    def request(
        self, person: Caller, action: ProtectedAction, subject: str = "", account_id: int | None = None
    ) -> None:
        """Request an operation, unless a request of it waits.

        Raises:
            ServiceError: "approval-denied" for a person of another role.
        """
        _require_role(person, account_id)
        now, name = self._wall.now(), normalize_user(person.user)
        with self._database.write() as transaction:
            if self._rows.find(transaction, action, subject, account_id, now) is None:
                new = Approval(0, action, subject, account_id, name, now, now + self._lifetime)
                number = self._rows.insert(transaction, new)
                requested = self._get(transaction, number)
                self._record(transaction, "approval.requested", requested, person)

    def use_or_request(
        self, person: Caller, action: ProtectedAction, subject: str, account_id: int | None = None
    ) -> None:
        """As `use`, after a request without a confirmation."""
        try:
            self.use(action, subject, account_id)
        except ServiceError as error:
            if error.code != "approval-needed":
                raise
            self.request(person, action, subject, account_id)
            self.use(action, subject, account_id)

    def list_open(self, person: Caller) -> Sequence[Approval]:
        """Return the requests about which a person decides or that the person made, oldest first."""
        with self._database.read() as transaction:
            own = None if person.is_administrator else person.account_id
            return self._rows.list_open(transaction, self._wall.now(), own)

    def list_all(self) -> Sequence[Approval]:
        """Return all open requests, oldest first, for the operator (CLI)."""
        with self._database.read() as transaction:
            return self._rows.list_open(transaction, self._wall.now())

    def confirm(self, person: Caller, number: int) -> Approval:
        """Confirm a request of another person.

        Raises:
            ServiceError: "approval-own" for the person who made it, "approval-denied" for one of another role,
                "approval-unknown" when it does not exist, or is expired, confirmed or closed.
        """
        now, name = self._wall.now(), normalize_user(person.user)
        with self._database.write() as transaction:
            approval = self._get(transaction, number)
            _require_role(person, approval.account_id)
            if approval.requested_by == name:
                raise ServiceError("approval-own")
            if not self._rows.confirm(transaction, number, name, now, now + self._lifetime):
                raise ServiceError("approval-unknown")
            self._record(transaction, "approval.confirmed", approval, person)
            return self._get(transaction, number)

    def reject(self, person: Caller, number: int) -> Approval:
        """End a request, one's own too; raises as `confirm` except "approval-own"."""
        with self._database.write() as transaction:
            approval = self._get(transaction, number)
            _require_role(person, approval.account_id)
            if not self._rows.close(transaction, number, self._wall.now()):
                raise ServiceError("approval-unknown")
            self._record(transaction, "approval.rejected", approval, person)
            return approval

    def _get(self, transaction: Transaction, number: int) -> Approval:
        approval = self._rows.get(transaction, number, self._wall.now())
        if approval is None:
            raise ServiceError("approval-unknown")
        return approval

    def _record(self, transaction: Transaction, kind: str, approval: Approval, person: Caller | None = None) -> None:
        body: dict[str, object] = {"action": approval.action.value, "number": approval.number}
        if person is not None:
            body["person"] = person.user
        self._audit.record(transaction, kind, approval.account_id, approval.subject, body)


def _require_role(person: Caller, account_id: int | None) -> None:
    is_owner = account_id == person.account_id and person.user_role == OWNER
    if not (person.is_administrator or is_owner):
        raise ServiceError("approval-denied")


def _needed(waiting: Approval | None) -> ServiceError:
    if waiting is None:
        return ServiceError("approval-needed")
    detail = (
        f"La solicitud {waiting.number} espera hasta {waiting.expires_at:%Y-%m-%dT%H:%M:%SZ}: otra persona la confirma "
        f"en Seguridad o con timbra approval confirm {waiting.number}."
    )
    return ServiceError("approval-needed", detail)
