"""Requests of one person that another one confirms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, and_, func, select, true, update

from timbra.core.approvals import ProtectedAction
from timbra.database.tables.accounts import APPROVAL
from timbra.database.transaction import Transaction

COLUMNS = APPROVAL.c


@dataclass(frozen=True, slots=True)
class Approval:
    """A request.

    Attributes:
        number: Of its row; 0 before it is stored.
        subject: What it is about, such as a certificate number; the operation must have the same one.
        account_id: The account whose owners confirm; None for administrators.
        requested_by: The normalized user name.
        expires_at: End of the time in which it is confirmed, and then used.
        confirmed_by: The normalized user name; None while it waits.
    """

    number: int
    action: ProtectedAction
    subject: str
    account_id: int | None
    requested_by: str
    requested_at: datetime
    expires_at: datetime
    confirmed_by: str | None = None


class ApprovalRepository:
    """Rows of `approval`. Methods omit requests that are used, closed or expired."""

    def insert(self, transaction: Transaction, new: Approval) -> int:
        """Insert a request; return its number."""
        statement = APPROVAL.insert().values(
            action=new.action.value,
            subject=new.subject,
            account_id=new.account_id,
            requested_by=new.requested_by,
            requested_at=new.requested_at,
            expires_at=new.expires_at,
        )
        number: int = transaction.execute(statement.returning(COLUMNS.id)).scalar_one()
        return number

    def list_open(self, transaction: Transaction, now: datetime, account_id: int | None = None) -> list[Approval]:
        """Return the requests, oldest first: those of an account, or all."""
        own = true() if account_id is None else COLUMNS.account_id == account_id
        query = select(APPROVAL).where(_is_open(now), own).order_by(COLUMNS.id)
        return [_approval(row) for row in transaction.execute(query)]

    def get(self, transaction: Transaction, number: int, now: datetime) -> Approval | None:
        row = transaction.execute(select(APPROVAL).where(_is_open(now), COLUMNS.id == number)).one_or_none()
        return None if row is None else _approval(row)

    def find(
        self, transaction: Transaction, action: str, subject: str, account_id: int | None, now: datetime
    ) -> Approval | None:
        """Return the oldest request of an operation."""
        is_same = _is_same(action, subject, account_id)
        row = transaction.execute(select(APPROVAL).where(_is_open(now), is_same).order_by(COLUMNS.id).limit(1)).first()
        return None if row is None else _approval(row)

    def confirm(self, transaction: Transaction, number: int, by: str, now: datetime, expires_at: datetime) -> bool:
        """Confirm a request; return whether it waited. Of several transactions one gets the row."""
        waits = update(APPROVAL).where(_is_open(now), COLUMNS.id == number, COLUMNS.confirmed_by.is_(None))
        values = {"confirmed_by": by, "confirmed_at": now, "expires_at": expires_at}
        return transaction.execute(waits.values(values).returning(COLUMNS.id)).first() is not None

    def close(self, transaction: Transaction, number: int, now: datetime) -> bool:
        """End a request; return whether it was open."""
        is_open = update(APPROVAL).where(_is_open(now), COLUMNS.id == number)
        return transaction.execute(is_open.values(closed_at=now).returning(COLUMNS.id)).first() is not None

    def use(
        self, transaction: Transaction, action: str, subject: str, account_id: int | None, now: datetime
    ) -> Approval | None:
        """Use a confirmed request of an operation, once; return it, or None without one."""
        is_usable = and_(_is_open(now), _is_same(action, subject, account_id), COLUMNS.confirmed_by.is_not(None))
        oldest = select(func.min(COLUMNS.id)).where(is_usable).scalar_subquery()
        used = update(APPROVAL).where(is_usable, COLUMNS.id == oldest).values(closed_at=now)
        row = transaction.execute(used.returning(*COLUMNS)).first()
        return None if row is None else _approval(row)


def _is_open(now: datetime) -> ColumnElement[bool]:
    return and_(COLUMNS.closed_at.is_(None), COLUMNS.expires_at > now)


def _is_same(action: str, subject: str, account_id: int | None) -> ColumnElement[bool]:
    is_of = COLUMNS.account_id.is_not_distinct_from(account_id)
    return and_(COLUMNS.action == action, COLUMNS.subject == subject, is_of)


def _approval(row: Row[tuple[object, ...]]) -> Approval:
    return Approval(
        number=row.id,
        action=ProtectedAction(row.action),
        subject=row.subject,
        account_id=row.account_id,
        requested_by=row.requested_by,
        requested_at=row.requested_at,
        expires_at=row.expires_at,
        confirmed_by=row.confirmed_by,
    )
