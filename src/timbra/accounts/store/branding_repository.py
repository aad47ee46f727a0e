"""How the documents of an account are printed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from timbra.accounts.store.models import StoredBranding
from timbra.database.database import Database
from timbra.database.tables.accounts import PRINT_BRANDING
from timbra.database.transaction import Transaction


class BrandingRepository:
    """Rows of `print_branding`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, transaction: Transaction, account_id: int) -> StoredBranding | None:
        """Return the branding of an account; None when it has none of its own."""
        row = transaction.execute(select(PRINT_BRANDING).where(PRINT_BRANDING.c.account_id == account_id)).one_or_none()
        return None if row is None else StoredBranding(row.template, row.color, row.footer, row.logo_kind, row.logo)

    def save(self, transaction: Transaction, account_id: int, branding: StoredBranding, at: datetime) -> None:
        """Insert or replace the branding of an account.

        Args:
            transaction: A write transaction.
            at: Wall instant of the write.
        """
        values = {
            "template": branding.template,
            "color": branding.color,
            "footer": branding.footer,
            "logo_kind": branding.logo_kind,
            "logo": branding.logo,
            "changed_at": at,
        }
        statement = self._database.insert(PRINT_BRANDING).values(account_id=account_id, **values)
        transaction.execute(statement.on_conflict_do_update(index_elements=["account_id"], set_=values))

    def delete(self, transaction: Transaction, account_id: int) -> None:
        transaction.execute(delete(PRINT_BRANDING).where(PRINT_BRANDING.c.account_id == account_id))
