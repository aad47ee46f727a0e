"""The reset of a sandbox: which rows of which table it removes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from sqlalchemy import Connection, Table, delete, not_, or_, select, true, update

from timbra.database.feature_tables import feature_tables
from timbra.database.tables import METADATA
from timbra.database.tables.accounts import (
    ACCOUNT,
    ACCOUNT_PROFILE,
    ACCOUNT_USER,
    APPROVAL,
    CSD,
    ENDED_SESSION,
    INFINITE_TOKEN,
    PASSKEY,
    PRINT_BRANDING,
    RECOVERY_CODE,
    SECRET,
    SIGN_IN_LINK,
    TOTP,
)
from timbra.database.tables.audit import AUDIT_TABLES
from timbra.database.tables.balances import BALANCE, BALANCE_ENTRY
from timbra.database.tables.core import CACHE_VERSION, IDENTITY, LEASE
from timbra.database.tables.digests import ROW_DIGEST
from timbra.database.tables.logins import KNOWN_ORIGIN, LOGIN_LIMIT, NOTICE
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.database.tables.operations import (
    ARCHIVE,
    AVAILABILITY_DAY,
    CATALOG_EDITION,
    CATALOG_USE,
    MANIFEST,
    NODE,
)
from timbra.database.tables.provider import DELIVERY_OUTAGE, KEY_USE, RECEPTION
from timbra.database.tables.rejections import REJECTION, USAGE_DAY, USAGE_PROGRESS
from timbra.database.tables.search import (
    CANCELLATION_SUM,
    DOCUMENT_SUM,
    LISTED_DOCUMENT,
    STAMP_WORD,
    STAMP_WORD_PROGRESS,
)
from timbra.database.tables.stamps import CONFIRMATION, CUSTOM_ID, EVENT, EVENT_CONSUMER, OUTBOX, SIGNED_REQUEST, STAMP
from timbra.database.tables.webhooks import (
    WEBHOOK,
    WEBHOOK_ALERT,
    WEBHOOK_ATTEMPT,
    WEBHOOK_DELIVERY,
    WEBHOOK_EVENT,
)
from timbra.events.dispatcher import rewind
from timbra.sandbox.store.tables import (
    SANDBOX_AUTO_REPLY,
    SANDBOX_CERTIFICATE,
    SANDBOX_DOCUMENT,
    SANDBOX_FAULT,
    SANDBOX_KEY,
    SANDBOX_MAIL,
    SANDBOX_RELATION,
    SANDBOX_REQUEST,
    SANDBOX_STATE,
    SANDBOX_TAXPAYER,
)
from timbra.stamps.progress import rewind_progress

CLEARED: Final = frozenset(
    {
        CANCELLATION_SUM,
        CONFIRMATION,
        CUSTOM_ID,
        EMAIL_OUTBOX,
        DOCUMENT_SUM,
        EVENT,
        LISTED_DOCUMENT,
        OUTBOX,
        RECEPTION,
        REJECTION,
        SANDBOX_AUTO_REPLY,
        SANDBOX_DOCUMENT,
        SANDBOX_FAULT,
        SANDBOX_MAIL,
        SANDBOX_RELATION,
        SANDBOX_REQUEST,
        SIGNED_REQUEST,
        STAMP,
        STAMP_WORD,
        STAMP_WORD_PROGRESS,
        USAGE_DAY,
        USAGE_PROGRESS,
        WEBHOOK_ALERT,
        WEBHOOK_ATTEMPT,
        WEBHOOK_DELIVERY,
        WEBHOOK_EVENT,
        *(found.table for found in feature_tables()),
    }
)
"""Tables that are empty after a reset."""
KEPT: Final = frozenset(
    {
        ACCOUNT,
        ACCOUNT_PROFILE,
        ACCOUNT_USER,
        APPROVAL,
        ARCHIVE,
        *AUDIT_TABLES,
        AVAILABILITY_DAY,
        BALANCE_ENTRY,
        CACHE_VERSION,
        CATALOG_EDITION,
        CATALOG_USE,
        CSD,
        DELIVERY_OUTAGE,
        ENDED_SESSION,
        EVENT_CONSUMER,
        IDENTITY,
        INFINITE_TOKEN,
        KEY_USE,
        KNOWN_ORIGIN,
        LEASE,
        LOGIN_LIMIT,
        MANIFEST,
        NODE,
        NOTICE,
        PASSKEY,
        PRINT_BRANDING,
        RECOVERY_CODE,
        ROW_DIGEST,
        SANDBOX_KEY,
        SECRET,
        SIGN_IN_LINK,
        TOTP,
        WEBHOOK,
    }
)
"""Tables that a reset does not change, except for the rows of accounts that it is told to remove."""
PARTIALLY_KEPT: Final = frozenset({BALANCE, SANDBOX_CERTIFICATE, SANDBOX_STATE, SANDBOX_TAXPAYER})
"""Tables whose rows return to initial values."""
OWN_DATA: Final = (
    CANCELLATION_SUM,
    CONFIRMATION,
    CUSTOM_ID,
    DOCUMENT_SUM,
    EMAIL_OUTBOX,
    EVENT,
    LISTED_DOCUMENT,
    RECEPTION,
    REJECTION,
    SIGNED_REQUEST,
    STAMP_WORD,
    USAGE_DAY,
    WEBHOOK_ALERT,
    WEBHOOK_EVENT,
)
"""Tables whose rows of an account, by the column `account_id`, its own reset removes, besides its stamps and the
tables of features."""
OF_STAMPS: Final = (OUTBOX.c.subject, SANDBOX_DOCUMENT.c.uuid, SANDBOX_RELATION.c.uuid, SANDBOX_REQUEST.c.uuid)
"""Columns with the folio of a stamp, of rows that are removed with it."""
OF_EVENTS: Final = (WEBHOOK_DELIVERY.c.event_id, WEBHOOK_ATTEMPT.c.event_id)
"""The same of an event of webhooks."""
OF_ACCOUNTS: Final = (
    APPROVAL,
    CSD,
    ENDED_SESSION,
    INFINITE_TOKEN,
    SIGN_IN_LINK,
    KNOWN_ORIGIN,
    NOTICE,
    PRINT_BRANDING,
    PASSKEY,
    TOTP,
    RECOVERY_CODE,
    ACCOUNT_USER,
    ACCOUNT_PROFILE,
    BALANCE_ENTRY,
    BALANCE,
    WEBHOOK,
)
"""Tables whose rows belong to an account, by the column `account_id`, besides the cleared ones."""
RELEASED: Final = (SANDBOX_CERTIFICATE,)
"""Tables whose rows stay without an account when their account is deleted."""
KEPT_VALUES: Final = ("certificates", "seeds")
"""Rows of `sandbox_state` that stay: the counter of certificate numbers, and the version of the seeds."""
CERTIFICATE, TAXPAYER = SANDBOX_CERTIFICATE.c, SANDBOX_TAXPAYER.c


class ResetRepository:
    """Removes the rows that testing produced, in the transaction of `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def clear(self) -> Mapping[str, int]:
        """Delete every row of the tables of `CLEARED`; return the number of deleted rows by table."""
        ordered = [table for table in reversed(METADATA.sorted_tables) if table in CLEARED]
        deleted = {table.name: self._connection.execute(delete(table)).rowcount for table in ordered}
        rewind(self._connection)
        return deleted

    def clear_account(self, account_id: int) -> Mapping[str, int]:
        """Delete the rows that the tests of one account produced, and give it the consumed stamps back.

        Returns:
            The number of deleted rows by table.
        """
        connection = self._connection
        parts = ((STAMP.c.uuid, OF_STAMPS), (WEBHOOK_EVENT.c.id, OF_EVENTS))
        deleted = {}
        for key, columns in parts:
            keys = select(key).where(key.table.c.account_id == account_id)
            for column in columns:
                deleted[column.table.name] = connection.execute(delete(column.table).where(column.in_(keys))).rowcount
        for found in feature_tables():
            rows = delete(found.table).where(found.of_account(account_id))
            deleted[found.table.name] = connection.execute(rows).rowcount
        for table in (*OWN_DATA, STAMP):
            deleted[table.name] = connection.execute(delete(table).where(table.c.account_id == account_id)).rowcount
        rewind(connection)
        rewind_progress(connection)
        own = update(BALANCE).where(BALANCE.c.account_id == account_id)
        connection.execute(own.values(remaining=BALANCE.c.assigned, used=0))
        return deleted

    def restore_balances(self) -> None:
        """Give each account the stamps back that it has consumed."""
        changed = update(BALANCE).where(or_(BALANCE.c.used != 0, BALANCE.c.remaining != BALANCE.c.assigned))
        self._connection.execute(changed.values(remaining=BALANCE.c.assigned, used=0))

    def clear_lists(self, initial: Collection[str], initial_values: Mapping[str, object]) -> None:
        """Delete taxpayers, and undo changes of lists.

        Certificates stay, without revocation. Their holders stay too, with the values with which an issued certificate
        registers its holder; their names, postal codes and regimes do not change.

        Args:
            initial: RFC of the seeds, whose rows are deleted; the caller inserts them.
            initial_values: Columns of the holders that return to these values.
        """
        connection = self._connection
        connection.execute(delete(SANDBOX_STATE).where(SANDBOX_STATE.c.name.not_in(KEPT_VALUES)))
        without = TAXPAYER.rfc.not_in(select(CERTIFICATE.rfc))
        connection.execute(delete(SANDBOX_TAXPAYER).where(or_(TAXPAYER.rfc.in_(initial), without)))
        holders = {**initial_values, "listed": true(), "pending": None}
        connection.execute(update(SANDBOX_TAXPAYER).values(holders))
        changed = or_(
            CERTIFICATE.status != "A",
            CERTIFICATE.pending_status.is_not(None),
            not_(CERTIFICATE.listed) & CERTIFICATE.in_list,
        )
        values = {"status": "A", "pending_status": None, "listed": CERTIFICATE.in_list}
        connection.execute(update(SANDBOX_CERTIFICATE).where(changed).values(values))

    def delete_accounts(self, kept: Collection[int]) -> int:
        """Delete all accounts except these, with their certificates, tokens and balances; return how many."""
        for table in OF_ACCOUNTS:
            self._connection.execute(delete(table).where(table.c.account_id.not_in(kept)))
        for table in RELEASED:
            statement = update(table).where(table.c.account_id.not_in(kept))
            self._connection.execute(statement.values(account_id=None))
        return self._connection.execute(delete(ACCOUNT).where(ACCOUNT.c.id.not_in(kept))).rowcount

    def administrators(self, role: str) -> list[int]:
        """Return the accounts with the role of an administrator, open or closed."""
        query = select(ACCOUNT.c.id).where(ACCOUNT.c.role == role, ACCOUNT.c.deleted_at.is_(None))
        return list(self._connection.execute(query).scalars())


def unlisted_tables() -> list[str]:
    """Return the tables that are not in exactly one of the three sets."""
    sets: tuple[frozenset[Table], ...] = (CLEARED, KEPT, PARTIALLY_KEPT)
    return [table.name for table in METADATA.sorted_tables if sum(table in one for one in sets) != 1]
