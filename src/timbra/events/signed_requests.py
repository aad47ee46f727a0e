"""Signed requests that accounts sent, by the SHA-256 of their signed content, so that another account cannot."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from timbra.database.database import Database
from timbra.database.tables.stamps import SIGNED_REQUEST

COLUMNS = SIGNED_REQUEST.c


class SignedRequestRepository:
    """Rows of `signed_request`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, digest: bytes, account_id: int, at: datetime, forgotten: datetime) -> int:
        """Return the account that sent a request first, which is this one for a new request.

        Args:
            digest: SHA-256 of the signed content.
            account_id: The account that sends it now.
            at: Wall instant.
            forgotten: Requests that were sent before it are deleted.
        """
        statement = self._database.insert(SIGNED_REQUEST).values(digest=digest, account_id=account_id, at=at)
        query = select(COLUMNS.account_id).where(COLUMNS.digest == digest)
        with self._database.write() as transaction:
            transaction.execute(delete(SIGNED_REQUEST).where(COLUMNS.at < forgotten, COLUMNS.digest != digest))
            transaction.execute(statement.on_conflict_do_nothing())
            owner: int = transaction.execute(query).scalar_one()
        return owner
