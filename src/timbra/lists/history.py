"""The history of the published lists: what the event of each import says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from timbra.database.database import Database
from timbra.events.event_log import Event, newest_events
from timbra.lists.published import midnight
from timbra.lists.refresh import IMPORTED

ImportRow = tuple[str | int | date | datetime | None, ...]
"""Node, list, day, published, imported, delay in seconds, rows, added, removed, changed, signers and digests."""


def list_history(database: Database, names: Sequence[str], limit: int) -> list[ImportRow]:
    """Return the newest imports of lists, newest first; no names for all lists."""
    return [import_row(event) for event in newest_events(database, IMPORTED, names, limit)]


def import_row(event: Event) -> ImportRow:
    dated = datetime.fromisoformat(str(event.body["dated"])).date()
    published, imported = event.instant("published_at"), event.instant("imported_at") or event.at
    since = published or midnight(dated)
    parts = event.body.get("parts")
    return (
        str(event.body.get("node", "")),
        event.subject,
        dated,
        published,
        imported,
        int((imported - since).total_seconds()),
        event.number("rows"),
        event.number("added"),
        event.number("removed"),
        event.number("changed"),
        " ".join(event.texts("signers")),
        " ".join(f"{name}:{digest}" for name, digest in parts.items()) if isinstance(parts, Mapping) else "",
    )
