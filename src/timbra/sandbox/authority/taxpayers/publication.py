"""Publication of the simulated lists.

The SAT publishes one list each night: a change of a listed taxpayer takes effect after 00:00 central Mexico, in fiscal
time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from timbra.core.clock import CENTRAL_MEXICO, to_central_mexico
from timbra.database.tables.column_types import from_microseconds, to_microseconds
from timbra.sandbox.store.transactions import SandboxTransaction

_NAME = "lists"
_SLACK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Publication:
    """The publication of the lists in force, in fiscal time.

    Attributes:
        published: The date of the lists in force.
        considered: The instant up to which midnights were processed.
        version: `published` as local time of central Mexico; computed once, because every look-up uses it.
    """

    published: datetime
    considered: datetime
    version: str = field(init=False)
    _earliest: datetime = field(init=False, repr=False)
    _next_midnight: datetime = field(init=False, repr=False)

    def __post_init__(self) -> None:
        set_once = object.__setattr__
        set_once(self, "version", to_central_mexico(self.published))
        set_once(self, "_earliest", self.considered - _SLACK)
        set_once(self, "_next_midnight", midnight_after(self.considered))

    def due(self, now: datetime) -> bool:
        """Whether a midnight has passed that was not processed, or the clock was moved back."""
        return not self._earliest <= now < self._next_midnight

    def ahead_of(self, now: datetime) -> bool:
        """Whether the clock was moved back by more than the difference of clocks among nodes (one minute)."""
        return now < self._earliest


def midnight_before(instant: datetime) -> datetime:
    """Return the latest 00:00 in central Mexico that is not after the instant."""
    day = instant.astimezone(CENTRAL_MEXICO).date()
    return datetime.combine(day, time(), CENTRAL_MEXICO).astimezone(instant.tzinfo)


def midnight_after(instant: datetime) -> datetime:
    """Return the first 00:00 in central Mexico after the instant."""
    day = instant.astimezone(CENTRAL_MEXICO).date() + timedelta(days=1)
    return datetime.combine(day, time(), CENTRAL_MEXICO).astimezone(instant.tzinfo)


def first_publication(now: datetime) -> Publication:
    """Return the publication of a new sandbox: the lists of the current day."""
    return Publication(midnight_before(now), now)


def read_publication(transaction: SandboxTransaction) -> Publication | None:
    """Return the stored publication, None before the first one."""
    stored = transaction.values.get(_NAME)
    if stored is None:
        return None
    value = json.loads(stored)
    return Publication(from_microseconds(value["published"]), from_microseconds(value["considered"]))


def write_publication(transaction: SandboxTransaction, publication: Publication) -> None:
    """Replace the stored publication."""
    transaction.values.put(_NAME, _serialize(publication))


def write_first_publication(transaction: SandboxTransaction, publication: Publication) -> None:
    """Store the publication unless one is stored."""
    transaction.values.put_if_absent(_NAME, _serialize(publication))


def publish_pending(transaction: SandboxTransaction) -> int:
    """Publish every pending row; return how many rows changed."""
    return transaction.taxpayers.publish_pending() + transaction.certificates.publish_pending()


def _serialize(publication: Publication) -> str:
    return json.dumps(
        {
            "published": to_microseconds(publication.published),
            "considered": to_microseconds(publication.considered),
        }
    )
