"""The handle of an open transaction, which callers outside of the store pass on to repositories."""

from __future__ import annotations

from typing import TypeAlias

from sqlalchemy import Connection

Transaction: TypeAlias = Connection
"""What `Database.read` and `Database.write` yield. Only modules of the store execute statements on it."""
