"""Infinite tokens: insert, list and revoke. The text of a token is not stored, only its identifier (`jti`)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update

from timbra.accounts.store.models import EndedSession, InfiniteToken, TokenRow
from timbra.database.database import Database
from timbra.database.tables.accounts import ENDED_SESSION, INFINITE_TOKEN
from timbra.database.transaction import Transaction

_IS_LIVE = INFINITE_TOKEN.c.revoked_at.is_(None)


class TokenRepository:
    """Rows of `infinite_token`.

    The argument `changed` of several methods is the cache version of the area "accounts" in the caller's transaction.
    """

    def insert(self, transaction: Transaction, changed: int, token: InfiniteToken) -> None:
        transaction.execute(
            INFINITE_TOKEN.insert().values(
                id=token.token_id,
                account_id=token.account_id,
                label=token.label,
                created_at=token.created_at,
                scopes=token.scopes or None,
                expires_at=token.expires_at,
                user_id=token.user_id,
                changed=changed,
            )
        )

    def list_live(
        self, transaction: Transaction, account_id: int | None = None, user_id: int | None = None
    ) -> list[InfiniteToken]:
        """Return the tokens that are not revoked, of one account or of all, or of one user, oldest first."""
        query = select(INFINITE_TOKEN).where(_IS_LIVE)
        if account_id is not None:
            query = query.where(INFINITE_TOKEN.c.account_id == account_id)
        if user_id is not None:
            query = query.where(INFINITE_TOKEN.c.user_id == user_id)
        rows = transaction.execute(query.order_by(INFINITE_TOKEN.c.created_at, INFINITE_TOKEN.c.id))
        return [
            InfiniteToken(
                row.id, row.account_id, row.label, row.created_at, row.scopes or "", row.expires_at, row.user_id
            )
            for row in rows
        ]

    def revoke(self, transaction: Transaction, changed: int, token_id: str, at: datetime) -> int | None:
        """Revoke a token.

        Returns:
            The account of the token; None when no live token has this identifier.
        """
        statement = update(INFINITE_TOKEN).where(INFINITE_TOKEN.c.id == token_id, _IS_LIVE)
        statement = statement.values(revoked_at=at, changed=changed)
        account_id: int | None = transaction.execute(
            statement.returning(INFINITE_TOKEN.c.account_id)
        ).scalar_one_or_none()
        return account_id

    def revoke_all(
        self, transaction: Transaction, changed: int, account_id: int, at: datetime, user_id: int | None = None
    ) -> None:
        """Revoke every live token of an account, or of one of its users."""
        live = update(INFINITE_TOKEN).where(INFINITE_TOKEN.c.account_id == account_id, _IS_LIVE)
        if user_id is not None:
            live = live.where(INFINITE_TOKEN.c.user_id == user_id)
        transaction.execute(live.values(revoked_at=at, changed=changed))

    def end_session(self, transaction: Transaction, database: Database, changed: int, ended: EndedSession) -> bool:
        """Store that a session ended; return whether it had not ended before."""
        statement = database.insert(ENDED_SESSION).values(
            id=ended.token_id, account_id=ended.account_id, expires_at=ended.expires_at, changed=changed
        )
        inserted = statement.on_conflict_do_nothing().returning(ENDED_SESSION.c.id)
        return transaction.execute(inserted).first() is not None

    def sessions_ended_after(self, transaction: Transaction, version: int) -> dict[str, tuple[datetime, int]]:
        """Return end of the token and cache version of the sessions that ended after a cache version, by token."""
        rows = transaction.execute(select(ENDED_SESSION).where(ENDED_SESSION.c.changed > version))
        return {row.id: (row.expires_at, row.changed) for row in rows}

    def delete_expired_sessions(self, transaction: Transaction, now: datetime) -> None:
        """Delete the ended sessions whose tokens have expired anyway."""
        transaction.execute(delete(ENDED_SESSION).where(ENDED_SESSION.c.expires_at < now))

    def changed_after(self, transaction: Transaction, version: int) -> list[TokenRow]:
        """Return the tokens that changed after a cache version, revoked ones included."""
        rows = transaction.execute(select(INFINITE_TOKEN).where(INFINITE_TOKEN.c.changed > version))
        return [TokenRow(row.id, row.revoked_at is not None, row.changed) for row in rows]
