"""The kinds of events that accounts subscribe to, in memory: events without a subscriber are not written."""

from __future__ import annotations

from sqlalchemy import select

from timbra.database.database import Database
from timbra.database.state_version import STATE_AREA
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.webhooks import AREA, WEBHOOK
from timbra.webhooks.kinds import read_kinds


class WebhookSubscriptions:
    """A cache of the kinds that enabled endpoints get, read again after a change of any of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: tuple[tuple[int, int], frozenset[tuple[int | None, str]]] = ((-1, -1), frozenset())

    def has(self, kind: str, account_id: int | None = None) -> bool:
        """Whether an endpoint of an account, or of any for None, gets a kind. Reads the database after changes only."""
        version = self._database.cache_version(AREA), self._database.cache_version(STATE_AREA)
        if version != self._known[0]:
            self._known = version, self._read()
        return (account_id, kind) in self._known[1]

    def _read(self) -> frozenset[tuple[int | None, str]]:
        query = select(WEBHOOK.c.account_id, WEBHOOK.c.events).where(
            WEBHOOK.c.enabled, ACCOUNT.c.id == WEBHOOK.c.account_id, ACCOUNT.c.deleted_at.is_(None)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        kinds = ((row.account_id, kind) for row in rows for kind in read_kinds(row.events))
        return frozenset((account, kind) for account_id, kind in kinds for account in (account_id, None))
