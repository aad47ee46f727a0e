"""The endpoints that get an event, in memory, so that a stamp of an account without endpoints costs no query."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select

from timbra.database.database import Database
from timbra.database.state_version import STATE_AREA
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.webhooks import WEBHOOK
from timbra.events.kinds import read_kinds

AREA = "webhooks"
"""The area of the cache version that changes with every endpoint."""


@dataclass(frozen=True, slots=True)
class Subscribers:
    """The endpoints of one account that subscribe to a kind of event.

    Attributes:
        account: The user name of the account.
        webhooks: The identifiers of the endpoints.
    """

    account: str
    webhooks: tuple[str, ...]


class WebhookSubscriptions:
    """A cache of the enabled endpoints of all accounts, read again after a change of any of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._found: Mapping[tuple[int, str], Subscribers] = {}

    @property
    def is_current(self) -> bool:
        """Whether `find` reads nothing; no I/O."""
        areas = zip((AREA, STATE_AREA), self._version or (-1, -1), strict=True)
        return all(self._database.is_current(area, version) for area, version in areas)

    def find(self, account_id: int, kind: str) -> Subscribers | None:
        """Return the subscribers; None without one. Reads the database only after a change of endpoints."""
        version = self._database.cache_version(AREA), self._database.cache_version(STATE_AREA)
        if version != self._version:
            self._load(version)
        return self._found.get((account_id, kind))

    def has_any(self, kind: str) -> bool:
        """Whether an account subscribes to a kind of event."""
        self.find(0, kind)
        return any(key[1] == kind for key in self._found)

    def _load(self, version: tuple[int, int]) -> None:
        query = select(WEBHOOK.c.id, WEBHOOK.c.account_id, WEBHOOK.c.events, ACCOUNT.c.user).where(
            WEBHOOK.c.enabled, ACCOUNT.c.id == WEBHOOK.c.account_id, ACCOUNT.c.deleted_at.is_(None)
        )
        found: dict[tuple[int, str], Subscribers] = {}
        with self._database.read() as connection:
            for row in connection.execute(query.order_by(WEBHOOK.c.created_at, WEBHOOK.c.id)):
                for kind in read_kinds(row.events):
                    earlier = found.get((row.account_id, kind))
                    webhooks = (*earlier.webhooks, row.id) if earlier else (row.id,)
                    found[row.account_id, kind] = Subscribers(row.user, webhooks)
        with self._lock:
            self._found, self._version = found, version
