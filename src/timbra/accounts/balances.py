"""Balances of stamps: what gives and takes them, beside the stamping that consumes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Row, select, update

from timbra.accounts.audit import Audit
from timbra.accounts.empty import AREA
from timbra.accounts.records import Account, account_of, accounts_query, checked_text
from timbra.accounts.states import count_change
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.store.database import Database
from timbra.store.tables.accounts import ACCOUNT
from timbra.store.tables.balances import BALANCE, STAMP_MOVEMENT

MOST = 2**31 - 1
"""Clients read a balance as a whole number of 32 bits."""
LONGEST_COMMENT = 500
LARGEST_PAGE = 200


@dataclass(frozen=True, slots=True)
class Movement:
    """Stamps given (stamps_in) or taken (stamps_out), and what remained (current).

    by_account_id: who moved them; None for whoever owns the data folder.
    """

    number: int
    account_id: int
    stamps_in: int
    stamps_out: int
    current: int
    comment: str
    at: datetime
    by_account_id: int | None


class Balances:
    """Balances of one database. Methods that take an account raise ServiceError("user-unknown") when there is none."""

    def __init__(self, database: Database, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._wall = wall
        self._audit = Audit(wall, fiscal)

    def of(self, account_id: int) -> Account:
        """The account, with its balance of this moment."""
        with self._database.read() as connection:
            return _account(connection, account_id)

    def add(self, account_id: int, stamps: int, comment: str = "", by: int | None = None) -> int:
        """What remains after that many were given. ServiceError("TB4005") outside of 1 to 2,147,483,647 in all."""
        with self._database.write() as connection:
            return self.give(connection, account_id, stamps, comment, by)

    def give(self, connection: Connection, account_id: int, stamps: int, comment: str, by: int | None) -> int:
        """`add` within the caller's write transaction."""
        _require_positive(stamps)
        self._database.bump(connection, AREA)
        return self._move(connection, account_id, stamps, comment, by)

    def remove(self, account_id: int, stamps: int, comment: str = "", by: int | None = None) -> int:
        """What remains after that many were taken. ServiceError("TB4007") when there are fewer."""
        _require_positive(stamps)
        with self._database.write() as connection:
            return self._move(connection, account_id, -stamps, comment, by)

    def set_unlimited(self, account_id: int, unlimited: bool) -> None:
        """Whether the account stamps without a balance; what it has left stays for the day when it is limited again."""
        with self._database.write() as connection:
            self.free(connection, account_id, unlimited)

    def free(self, connection: Connection, account_id: int, unlimited: bool) -> None:
        """`set_unlimited` within the caller's write transaction."""
        changed = count_change(self._database, connection)
        account = _account(connection, account_id)
        self._database.bump(connection, AREA)
        connection.execute(update(BALANCE).where(BALANCE.c.account_id == account_id).values(unlimited=unlimited))
        connection.execute(update(ACCOUNT).where(ACCOUNT.c.id == account_id).values(changed=changed))
        kind = "balance.unlimited" if unlimited else "balance.limited"
        self._audit.record(connection, kind, account_id, account.user)

    def movements(self, account_id: int, *, before: int | None = None, limit: int = 50) -> Sequence[Movement]:
        """Movements of an account, newest first; `before`: the number of the last one of the page before."""
        query = select(STAMP_MOVEMENT).where(STAMP_MOVEMENT.c.account_id == account_id)
        if before is not None:
            query = query.where(STAMP_MOVEMENT.c.id < before)
        query = query.order_by(STAMP_MOVEMENT.c.id.desc()).limit(min(max(limit, 1), LARGEST_PAGE))
        with self._database.read() as connection:
            return [_movement(row) for row in connection.execute(query)]

    def _move(self, connection: Connection, account_id: int, change: int, comment: str, by: int | None) -> int:
        """Locks the balance, as every stamp does, before it looks whether there is still an account."""
        told = checked_text("comment", comment, LONGEST_COMMENT)
        remaining = self._change(connection, account_id, change)
        account = _account(connection, account_id)
        connection.execute(
            STAMP_MOVEMENT.insert().values(
                account_id=account_id,
                stamps_in=max(change, 0),
                stamps_out=max(-change, 0),
                current=remaining,
                comment=told,
                at=self._wall.now(),
                by_account_id=by,
            )
        )
        kind = "balance.added" if change > 0 else "balance.removed"
        self._audit.record(connection, kind, account_id, account.user)
        return remaining

    def _change(self, connection: Connection, account_id: int, change: int) -> int:
        after = BALANCE.c.remaining + change
        statement = update(BALANCE).where(BALANCE.c.account_id == account_id, after.between(0, MOST))
        statement = statement.values(remaining=after, assigned=BALANCE.c.assigned + change)
        remaining = connection.execute(statement.returning(BALANCE.c.remaining)).scalar_one_or_none()
        if remaining is not None:
            return int(remaining)
        left = _account(connection, account_id).remaining
        if change > 0:
            raise ServiceError("TB4005", f"El saldo máximo es de {MOST} timbres y quedan {left}.")
        raise ServiceError("TB4007", f"Quedan {left} timbres.")


def _require_positive(stamps: int) -> None:
    if not 0 < stamps <= MOST:
        raise ServiceError("TB4005", f"El campo stamps debe ser un entero de 1 a {MOST}.")


def _account(connection: Connection, account_id: int) -> Account:
    row = connection.execute(accounts_query().where(ACCOUNT.c.id == account_id)).one_or_none()
    if row is None:
        raise ServiceError("user-unknown")
    return account_of(row)


def _movement(row: Row[tuple[object, ...]]) -> Movement:
    return Movement(
        number=row.id,
        account_id=row.account_id,
        stamps_in=row.stamps_in,
        stamps_out=row.stamps_out,
        current=row.current,
        comment=row.comment,
        at=row.at,
        by_account_id=row.by_account_id,
    )
