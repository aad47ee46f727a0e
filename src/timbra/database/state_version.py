"""The version of the whole state of a sandbox: it grows when the sandbox is reset or a saved state is restored.

Caches that read changed rows only, and work that was read from one state and is written later, compare it.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from timbra.database.tables.core import CACHE_VERSION

STATE_AREA = "state"
"""The area of the cache version."""


def lock_state_version(connection: Connection) -> int:
    """Return the stored version, and let no reset or restore commit before the end of the write transaction."""
    query = select(CACHE_VERSION.c.number).where(CACHE_VERSION.c.area == STATE_AREA).with_for_update(read=True)
    return connection.execute(query).scalar_one_or_none() or 0
