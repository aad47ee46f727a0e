"""Whether the published lists are fresh, and whether their sources can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from timbra.core.clock import Clock
from timbra.lists.fetch.fetch_state import FetchRecord
from timbra.lists.list_store import ListEdition
from timbra.lists.published import midnight
from timbra.lists.sources.part_names import ListKind, latest_day


@dataclass(frozen=True, slots=True)
class ListHealth:
    """The state of the lists of a folder.

    Attributes:
        editions: Returns the lists in force.
        records: Returns what the last query of each source found.
        max_ages: The lists that the server needs, and the maximum age of each in hours.
    """

    editions: Callable[[], Mapping[ListKind, ListEdition]]
    records: Callable[[], Mapping[ListKind, FetchRecord]]
    max_ages: Mapping[str, float]
    wall: Clock

    def stale(self) -> Sequence[str]:
        """Return a Spanish sentence for each needed list that is missing, too old or of a future day."""
        editions, now, found = self.editions(), self.wall.now(), []
        for name, hours in self.max_ages.items():
            edition = editions.get(ListKind(name))
            if edition is None:
                found.append(f"No se ha importado la lista {name}.")
                continue
            if edition.dated > latest_day(edition.kind, now):
                found.append(f"La lista {name} es del {edition.dated}, un día que aún no llega.")
                continue
            age = now - midnight(edition.dated)
            if age > timedelta(hours=hours):
                spent = int(age / timedelta(hours=1))
                found.append(f"La lista {name} es del {edition.dated}: hace {spent} horas; el límite es {hours:g}.")
        return found

    def failures(self) -> Sequence[str]:
        """Return a Spanish sentence for each list whose last query failed."""
        return [
            f"La lista {kind} no se pudo actualizar desde {record.failing_since:%Y-%m-%dT%H:%M:%SZ}: {record.code}."
            for kind, record in self.records().items()
            if record.code and record.failing_since is not None
        ]
