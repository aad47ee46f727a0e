"""The SAT's published lists in force, for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from timbra.lists.fetch.fetch_state import FetchRecord
from timbra.lists.fetch.fetcher import FetchOutcome
from timbra.lists.list_store import ListEdition
from timbra.lists.published import PublishedLists, midnight
from timbra.lists.sources.part_names import ListKind

__all__ = ["FetchOutcome", "FetchRecord", "ListEdition", "ListKind", "age_in_days", "editions_in_force"]


def editions_in_force(folder: Path) -> Sequence[ListEdition]:
    """Return the editions in force, by kind of list; empty before the first import.

    Args:
        folder: `lists` in the data folder.
    """
    editions = PublishedLists(folder).current.editions
    return [editions[kind] for kind in sorted(editions)]


def age_in_days(edition: ListEdition, now: datetime) -> int:
    """Return how many days ago the day of the list began in central Mexico; negative before that day."""
    return (now - midnight(edition.dated)).days
