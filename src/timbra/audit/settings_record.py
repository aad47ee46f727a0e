"""Changes of settings in the audit log: each start of a server compares its settings with those of its last start."""

from __future__ import annotations

import hashlib
import hmac

import orjson

from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit, changed_values
from timbra.events.audit.events import last_event
from timbra.settings import Settings

LOCK = "audit-settings"
EVENT = "settings.changed"
DIGITS = 12


def record_settings(database: Database, audit: Audit, settings: Settings, host: str, secret: bytes) -> None:
    """Write an event with the settings that changed since the last start on this host; none for equal ones.

    Args:
        audit: Writes the event.
        settings: The settings of this start.
        host: The name of the machine.
        secret: Key of the digests that stand for secret values.
    """
    values = settings_values(settings, secret)
    with database.read() as transaction:
        if _last_values(transaction, host) == values:
            return
    with database.write() as transaction:
        database.bump(transaction, LOCK)  # the workers of a server start at the same time; one of them writes
        before = _last_values(transaction, host)
        if before != values:
            body = {**changed_values(before, values), "settings": values}
            audit.record(transaction, EVENT, None, host, body)


def settings_values(settings: Settings, secret: bytes) -> dict[str, object]:
    """Return the settings that differ from their defaults, as JSON values; a keyed digest stands for a secret value."""
    values: dict[str, object] = {}
    for name, value in orjson.loads(settings.model_dump_json(exclude_defaults=True)).items():
        field = type(settings).model_fields[name]
        is_secret = not field.repr or name == "database_url"
        values[name] = _digest(secret, str(value)) if is_secret and value else value
    return values


def _last_values(transaction: Transaction, host: str) -> dict[str, object]:
    event = last_event(transaction, EVENT, host)
    return {} if event is None else dict(orjson.loads(event.body)["settings"])


def _digest(secret: bytes, value: str) -> str:
    return f"hmac {hmac.new(secret, value.encode(), hashlib.sha256).hexdigest()[:DIGITS]}"
