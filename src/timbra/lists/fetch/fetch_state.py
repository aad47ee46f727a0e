"""What the last fetch of each list found: a file in the folder of the lists, replaced atomically."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from timbra.lists.sources.part_names import ListKind

FILE = "fetch.json"
_INSTANTS = ("checked_at", "rejected_at", "failing_since")


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """The state of one list.

    Attributes:
        checked_at: When the source was queried last.
        versions: Version by name of the files of the list in force.
        rejected: Version by name of the files that were rejected last; empty after an import.
        rejected_at: When they were rejected; None after an import.
        code: The code of the last failure; empty when the last query succeeded.
        detail: Its Spanish text.
        failing_since: When the failures began; None without one.
    """

    checked_at: datetime
    versions: Mapping[str, str] = field(default_factory=dict)
    rejected: Mapping[str, str] = field(default_factory=dict)
    rejected_at: datetime | None = None
    code: str = ""
    detail: str = ""
    failing_since: datetime | None = None


def read_fetch_state(folder: Path) -> dict[ListKind, FetchRecord]:
    """Return the record of each list that was fetched; empty when the file is missing or damaged."""
    try:
        stored = json.loads((folder / FILE).read_bytes())
        return {ListKind(kind): _record(row) for kind, row in stored.items()}
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def write_fetch_state(folder: Path, records: Mapping[ListKind, FetchRecord]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{FILE}.{os.getpid()}.new"
    rows = {kind: {**asdict(record), **_times(record)} for kind, record in records.items()}
    path.write_text(json.dumps(rows, indent=1))
    path.replace(folder / FILE)


def _times(record: FetchRecord) -> dict[str, str | None]:
    instants = {name: getattr(record, name) for name in _INSTANTS}
    return {name: None if instant is None else instant.isoformat() for name, instant in instants.items()}


def _record(row: Mapping[str, Any]) -> FetchRecord:
    instants = {name: row.get(name) for name in _INSTANTS}
    found = {name: None if text is None else datetime.fromisoformat(text) for name, text in instants.items()}
    return FetchRecord(**{**row, **found})
