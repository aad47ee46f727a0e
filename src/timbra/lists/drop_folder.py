"""Drop folder: the server imports lists that an operator or a program puts into a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Protocol

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.lists.importer import ListImporter
from timbra.lists.list_store import ListEdition
from timbra.lists.sources.part_names import ListKind, complete, latest_day, part_name

BUSY = "list-busy"
SETTLED = timedelta(minutes=2)
"""How long a file must be unchanged before it counts as complete."""
_REJECTED = "refused.json"


@dataclass(frozen=True, slots=True)
class ListDelivery:
    """The parts of one list."""

    kind: ListKind
    dated: date
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ListImportOutcome:
    """Result of importing a delivery: the edition in force, or the error that rejected it."""

    delivery: ListDelivery
    edition: ListEdition | None
    rejection: ServiceError | None


class ListSource(Protocol):
    """A source of lists: a folder, or a service that publishes them."""

    def deliveries(self) -> Sequence[ListDelivery]:
        """Return complete deliveries that were neither imported nor rejected, at most one for each list."""
        ...

    def imported(self, delivery: ListDelivery) -> None:
        """Record that the delivery is in force, so that its files are no longer needed."""
        ...

    def rejected(self, delivery: ListDelivery, rejection: ServiceError) -> None:
        """Record that the delivery was rejected; it is returned again only after a change."""
        ...


def refresh(importer: ListImporter, source: ListSource) -> list[ListImportOutcome]:
    """Import all deliveries. When a delivery is rejected, the list in force stays in force.

    Several workers may call this at the same time: one imports, the others find nothing to import.

    Args:
        importer: Imports the parts of a list.
        source: Returns deliveries, and records their outcomes.

    Returns:
        The outcome of each delivery that this call imported or rejected.
    """
    outcomes = []
    for delivery in source.deliveries():
        try:
            edition = importer.run(delivery.kind, delivery.paths, dated=delivery.dated)
        except ServiceError as rejection:
            if rejection.code == BUSY or not all(path.exists() for path in delivery.paths):
                continue
            source.rejected(delivery, rejection)
            outcomes.append(ListImportOutcome(delivery, None, rejection))
        else:
            source.imported(delivery)
            outcomes.append(ListImportOutcome(delivery, edition, None))
    return outcomes


class DropFolder:
    """A folder that receives the SAT's files, under the SAT's names.

    For each list the newest day is imported once its part numbers are complete and no part has changed for a while; a
    day that has not come is a delivery of its own, which the importer rejects until that day.
    Then the files of that day and of earlier days are removed. A rejected delivery stays in the folder, with the reason
    in a JSON file beside it; it is retried when one of its files appears or changes. Files with other names are
    ignored, so that a program can write a file under another name and then rename it.
    """

    def __init__(self, folder: Path, clock: Clock, settled: timedelta = SETTLED) -> None:
        """Watch a folder.

        Args:
            clock: Wall time; it is compared with the modification times of files.
            settled: How long files must be unchanged.
        """
        self._folder = folder
        self._clock = clock
        self._settled = settled.total_seconds()

    def deliveries(self) -> list[ListDelivery]:
        rejected = self._rejections()
        found = []
        for kind in ListKind:
            parts = self._parts(kind)
            if not parts:
                continue
            days = {dated for dated, _, _ in parts}
            ahead = {day for day in days if day > latest_day(kind, self._clock.now())}
            for day in (max(group) for group in (days - ahead, ahead) if group):
                numbered = sorted((number, path) for dated, number, path in parts if dated == day)
                delivery = ListDelivery(kind, day, tuple(path for _, path in numbered))
                if (
                    complete(number for number, _ in numbered)
                    and self._is_settled(delivery)
                    and rejected.get(_key(delivery), {}).get("files") != self._fingerprint(delivery)
                ):
                    found.append(delivery)
        return found

    def imported(self, delivery: ListDelivery) -> None:
        """Remove the files of the delivery and of earlier days."""
        for dated, _, path in self._parts(delivery.kind):
            if dated <= delivery.dated:
                path.unlink(missing_ok=True)
        self._write_rejections(self._rejections())

    def rejected(self, delivery: ListDelivery, rejection: ServiceError) -> None:
        """Write the reason into the folder."""
        record = {"files": self._fingerprint(delivery), "code": rejection.code, "detail": rejection.detail}
        self._write_rejections({**self._rejections(), _key(delivery): record})

    def _parts(self, kind: ListKind) -> list[tuple[date, int, Path]]:
        if not self._folder.is_dir():
            return []
        named = [(part_name(path.name), path) for path in self._folder.iterdir() if path.is_file()]
        return [(name.dated, name.number, path) for name, path in named if name is not None and name.kind is kind]

    def _is_settled(self, delivery: ListDelivery) -> bool:
        now = self._clock.now().timestamp()
        return all(now - path.stat().st_mtime >= self._settled for path in delivery.paths)

    def _rejections(self) -> dict[str, dict[str, Any]]:
        """Return the records of rejections, by list; empty when the file is missing or unreadable."""
        try:
            stored = json.loads((self._folder / _REJECTED).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        if not isinstance(stored, dict):
            return {}
        return {kind: record for kind, record in stored.items() if isinstance(record, dict)}

    def _write_rejections(self, rejections: Mapping[str, dict[str, Any]]) -> None:
        """Replace the records, without those of days whose files are gone."""
        path = self._folder / _REJECTED
        kept = {f"{kind} {dated}" for kind in ListKind for dated, _, _ in self._parts(kind)}
        rejections = {key: record for key, record in rejections.items() if key in kept}
        if rejections:
            path.write_text(json.dumps(rejections))
        else:
            path.unlink(missing_ok=True)

    def _fingerprint(self, delivery: ListDelivery) -> list[str]:
        """Return a value that changes with every change of a file, and when the day of the list begins."""
        found = [(path.name, path.stat()) for path in delivery.paths]
        ahead = ["ahead"] if delivery.dated > latest_day(delivery.kind, self._clock.now()) else []
        return [*(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in found), *ahead]


def _key(delivery: ListDelivery) -> str:
    return f"{delivery.kind} {delivery.dated}"
