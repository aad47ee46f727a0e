"""Lists that arrive by themselves: a source tells what waits, `refresh` imports it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Protocol

from timbra.authority.lists.importing import ListImporter
from timbra.authority.lists.parts import Kind, complete, part_name
from timbra.authority.lists.shelf import Edition
from timbra.clock import Clock
from timbra.errors import ServiceError

BUSY = "list-busy"
SETTLED = timedelta(minutes=2)
"""How long a file must lie unchanged before it counts as written to its end."""
_REFUSED = "refused.json"


@dataclass(frozen=True, slots=True)
class Delivery:
    """The parts of one list."""

    kind: Kind
    dated: date
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a delivery: an edition in force, or a refusal."""

    delivery: Delivery
    edition: Edition | None
    refusal: ServiceError | None


class ListSource(Protocol):
    """Where lists come from: a folder, or a service that publishes them."""

    def deliveries(self) -> Sequence[Delivery]:
        """What is complete and was neither taken nor refused; one for each list at most. Cheap when nothing is."""
        ...

    def taken(self, delivery: Delivery) -> None:
        """The delivery is in force: its files are no longer needed."""
        ...

    def refused(self, delivery: Delivery, refusal: ServiceError) -> None:
        """The delivery is not offered again unless it changes."""
        ...


def refresh(importer: ListImporter, source: ListSource) -> list[Outcome]:
    """Imports what waits; the last good list stays in force when a delivery is refused.

    Several workers may ask at once: one does the work, the others find nothing to do.
    """
    outcomes = []
    for delivery in source.deliveries():
        try:
            edition = importer.run(delivery.kind, delivery.paths, dated=delivery.dated)
        except ServiceError as refusal:
            if refusal.code == BUSY or not all(path.exists() for path in delivery.paths):
                continue
            source.refused(delivery, refusal)
            outcomes.append(Outcome(delivery, None, refusal))
        else:
            source.taken(delivery)
            outcomes.append(Outcome(delivery, edition, None))
    return outcomes


class DropFolder:
    """A folder into which somebody puts the SAT's files, under the SAT's names.

    Of each list the newest day is taken, once its parts count up from 1 and none changed for a while; then its files
    and those of earlier days are removed. A refused delivery stays, for people to look at, with the reason in
    `refused.json`, and is tried again when a file of it comes or changes. Files under other names are not touched:
    write under one, then rename.
    """

    def __init__(self, folder: Path, clock: Clock, settled: timedelta = SETTLED) -> None:
        """clock: wall time, as files are dated by it."""
        self._folder = folder
        self._clock = clock
        self._settled = settled.total_seconds()

    def deliveries(self) -> list[Delivery]:
        refused = self._refusals()
        found = []
        for kind in Kind:
            parts = self._parts(kind)
            if not parts:
                continue
            day = max(dated for dated, _, _ in parts)
            mine = sorted((number, path) for dated, number, path in parts if dated == day)
            delivery = Delivery(kind, day, tuple(path for _, path in mine))
            if (
                complete(number for number, _ in mine)
                and self._lie_still(delivery)
                and refused.get(kind, {}).get("files") != _print_of(delivery)
            ):
                found.append(delivery)
        return found

    def taken(self, delivery: Delivery) -> None:
        for dated, _, path in self._parts(delivery.kind):
            if dated <= delivery.dated:
                path.unlink(missing_ok=True)
        self._remember({kind: told for kind, told in self._refusals().items() if kind != delivery.kind})

    def refused(self, delivery: Delivery, refusal: ServiceError) -> None:
        told = {"files": _print_of(delivery), "code": refusal.code, "detail": refusal.detail}
        self._remember({**self._refusals(), delivery.kind: told})

    def _parts(self, kind: Kind) -> list[tuple[date, int, Path]]:
        if not self._folder.is_dir():
            return []
        named = [(part_name(path.name), path) for path in self._folder.iterdir() if path.is_file()]
        return [(name.dated, name.number, path) for name, path in named if name is not None and name.kind is kind]

    def _lie_still(self, delivery: Delivery) -> bool:
        now = self._clock.now().timestamp()
        return all(now - path.stat().st_mtime >= self._settled for path in delivery.paths)

    def _refusals(self) -> dict[str, dict[str, Any]]:
        """What was refused, by list; a record that cannot be read means that everything is tried again."""
        try:
            told = json.loads((self._folder / _REFUSED).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        if not isinstance(told, dict):
            return {}
        return {kind: record for kind, record in told.items() if isinstance(record, dict)}

    def _remember(self, refusals: Mapping[str, dict[str, Any]]) -> None:
        path = self._folder / _REFUSED
        if refusals:
            path.write_text(json.dumps(refusals))
        else:
            path.unlink(missing_ok=True)


def _print_of(delivery: Delivery) -> list[str]:
    """Changes whenever a file of the delivery does."""
    found = [(path.name, path.stat()) for path in delivery.paths]
    return [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in found]
