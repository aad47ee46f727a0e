"""One-time sign-in links: insert, find and consume. The token of a link is not stored, only its SHA-256."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, delete, select

from timbra.accounts.store.models import SignInLinkRow
from timbra.database.tables.accounts import SIGN_IN_LINK
from timbra.database.transaction import Transaction

_COLUMNS = SIGN_IN_LINK.c


class SignInLinkRepository:
    """Rows of `sign_in_link`."""

    def insert(self, transaction: Transaction, token_hash: bytes, link: SignInLinkRow) -> None:
        transaction.execute(
            SIGN_IN_LINK.insert().values(
                token_hash=token_hash,
                account_id=link.account_id,
                generation=link.generation,
                expires_at=link.expires_at,
            )
        )

    def find(self, transaction: Transaction, token_hash: bytes, now: datetime) -> SignInLinkRow | None:
        """Return a link that is neither used nor expired; None without one."""
        row = transaction.execute(select(SIGN_IN_LINK).where(*_usable(token_hash, now))).one_or_none()
        return None if row is None else SignInLinkRow(row.account_id, row.generation, row.expires_at)

    def consume(self, transaction: Transaction, token_hash: bytes, now: datetime) -> SignInLinkRow | None:
        """Delete a link that is neither used nor expired, and return it; None without one.

        The deletion decides: of several transactions, also on several nodes, one gets the row.
        """
        consumed = delete(SIGN_IN_LINK).where(*_usable(token_hash, now))
        columns = (_COLUMNS.account_id, _COLUMNS.generation, _COLUMNS.expires_at)
        row = transaction.execute(consumed.returning(*columns)).one_or_none()
        return None if row is None else SignInLinkRow(row.account_id, row.generation, row.expires_at)

    def delete_expired(self, transaction: Transaction, now: datetime) -> None:
        transaction.execute(delete(SIGN_IN_LINK).where(_COLUMNS.expires_at <= now))


def _usable(token_hash: bytes, now: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return _COLUMNS.token_hash == token_hash, _COLUMNS.expires_at > now
