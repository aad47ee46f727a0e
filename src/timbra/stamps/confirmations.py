"""Keys of confirmation (Confirmacion) that the provider issued; the transaction of a stamp marks its key as used."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select

from timbra.core.bounds import Bound, BoundKind
from timbra.database.database import Database
from timbra.database.tables.stamps import CONFIRMATION

ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits of new keys, without those that look alike."""
LENGTH: Final = 5
"""Length of Confirmacion in the SAT's schema."""
ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class ConfirmationKey:
    """A key that was issued.

    Attributes:
        rfc: The issuer of invoices to whom it was issued.
        account_id: The account that requested it; None for the operator.
        issued_at: Wall instant.
        uuid: Folio of the stamp that used it, in lower case; None while it is unused.
    """

    key: str
    rfc: str
    account_id: int | None
    issued_at: datetime
    uuid: str | None = None


_COLUMNS = select(
    CONFIRMATION.c.key,
    CONFIRMATION.c.rfc,
    CONFIRMATION.c.account_id,
    CONFIRMATION.c.issued_at,
    CONFIRMATION.c.uuid,
)


class ConfirmationRepository:
    """Rows of `confirmation`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def issue(self, rfc: str, account_id: int | None, at: datetime) -> ConfirmationKey:
        """Store a new random key. Raises RuntimeError: No unused key was found."""
        with self._database.write() as connection:
            for _ in range(ATTEMPTS):
                key = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
                row = {"key": key, "rfc": rfc, "account_id": account_id, "issued_at": at}
                statement = self._database.insert(CONFIRMATION).values(row).on_conflict_do_nothing()
                if connection.execute(statement.returning(CONFIRMATION.c.key)).first() is not None:
                    return ConfirmationKey(key, rfc, account_id, at)
        raise RuntimeError("no unused key of confirmation was found")

    def find(self, key: str) -> ConfirmationKey | None:
        """Return a key, None when it was not issued."""
        with self._database.read() as connection:
            row = connection.execute(_COLUMNS.where(CONFIRMATION.c.key == key)).first()
        return None if row is None else ConfirmationKey(*row)

    def latest(self, account_id: int | None, limit: int) -> Sequence[ConfirmationKey]:
        """Return the latest keys that an account requested, or those of all for None."""
        query = _COLUMNS.order_by(CONFIRMATION.c.issued_at.desc(), CONFIRMATION.c.key).limit(limit)
        if account_id is not None:
            query = query.where(CONFIRMATION.c.account_id == account_id)
        with self._database.read() as connection:
            return [ConfirmationKey(*row) for row in connection.execute(query)]


BOUNDS = (
    Bound(
        "ConfirmationRepository",
        BoundKind.RETRY,
        f"{ATTEMPTS} random keys",
        "The request fails with an internal error.",
    ),
)
