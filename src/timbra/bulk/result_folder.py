"""The folder of a run: its description, its plan, and the parts of its tables.

A part has the rows of consecutive tasks in the order of the plan, and is written by one process: a file for each table,
then `parts/part-000012.json`. A part without that file does not count and is written again, with the same rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timbra.bulk.plan import Planner, PlanTotals, Task
from timbra.bulk.schema import SCHEMAS, to_batch
from timbra.bulk.storage import LOCK, open_storage
from timbra.bulk.worker import TaskResult
from timbra.core.errors import ServiceError
from timbra.validation.tables import Row

MAX_PART_TASKS = 40
"""Tasks of the largest part: about 20,000 documents."""
MIN_PARTS = 1000
"""Parts of a plan, as long as it has so many tasks and parts are not the largest: the work of one process at a time."""
RUN, PLAN, PARTS = "run.json", "plan.jsonl", "parts"
STATUSES = "statuses"


@dataclass(frozen=True, slots=True)
class RunDescription:
    """What a run does; a folder is continued only with an equal description.

    Attributes:
        kind: `validate` or `stamp`.
        schema_version: version of the tables.
        timbra: version of the program.
        data_version: version of the SAT data with which documents are validated; empty for `stamp`.
        sources: as given.
        options: options that change the rows, by name.
    """

    kind: str
    schema_version: int
    timbra: str
    data_version: str
    sources: tuple[str, ...]
    options: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the description as the file holds it; names that are not UTF-8 are escaped."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A part of the plan.

    Attributes:
        number: position in the plan, from 0.
        start, stop: range of bytes of `plan.jsonl` with its tasks.
    """

    number: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part that is written.

    Attributes:
        part: number of the part.
        documents: number of its documents.
        results: number of its documents by result.
        tables: number of rows by table; a table without rows has no file.
    """

    part: int
    documents: int
    results: Mapping[str, int]
    tables: Mapping[str, int]


class ResultFolder:
    """The folder of one run.

    Args:
        location: path, or URL of object storage.
    """

    def __init__(self, location: str) -> None:
        self._storage = open_storage(location)
        self.location = self._storage.location

    @property
    def exists(self) -> bool:
        """Whether the folder has a run whose plan is complete."""
        return RUN in self._storage.names("")

    def description(self) -> dict[str, Any]:
        """Return the description of the run, with `totals` of its plan.

        Raises:
            ServiceError: `bulk-folder` when the folder has no run or its description cannot be read.
        """
        if not self.exists:
            raise ServiceError("bulk-folder", f"{self.location}: no tiene una corrida")
        try:
            [content] = self._storage.read([RUN])
            found: dict[str, Any] = json.loads(content)
        except ValueError as error:
            raise ServiceError("bulk-folder", f"{self.location}: {error}") from error
        if "parts" not in found:
            raise ServiceError("bulk-folder", f"{self.location}: la corrida es de otra versión")
        return found

    def require(self, description: RunDescription) -> None:
        """Check that the run in the folder is the described one.

        Raises:
            ServiceError: `bulk-folder`, with the names and values that differ.
        """
        found, expected = self.description(), description.to_json()
        different = [name for name in expected if found.get(name) != expected[name]]
        if different:
            values = "; ".join(f"{name}: {_short(found.get(name))} / {_short(expected[name])}" for name in different)
            raise ServiceError("bulk-folder", f"{self.location}: {values}")

    def create(self, description: RunDescription, planner: Planner) -> None:
        """List the sources, and write plan and description.

        Raises:
            ServiceError: `bulk-folder` for a folder that cannot be written or that has other files.
        """
        others = [name for name in self._storage.names("") if name not in (LOCK, PLAN)]
        if others:
            raise ServiceError("bulk-folder", f"{self.location}: tiene otros archivos ({others[0]})")
        starts, size = list[int](), 0
        with self._storage.write(PLAN) as file:
            for task in planner.tasks(description.sources):
                starts.append(size)
                size += file.write(task.to_line().encode())
        part_tasks = min(MAX_PART_TASKS, -(-len(starts) // MIN_PARTS)) or 1
        content = {**description.to_json(), "totals": asdict(planner.totals), "parts": [*starts[::part_tasks], size]}
        with self._storage.write(RUN) as file:
            file.write(json.dumps(content).encode())

    def discard(self) -> None:
        """Remove the plan of a run without documents."""
        for name in (RUN, PLAN, LOCK):
            self._storage.remove(name)

    def totals(self) -> PlanTotals:
        return PlanTotals(**self.description()["totals"])

    def lock(self) -> AbstractContextManager[None]:
        """Keep other processes from writing into the folder; object storage has no lock.

        Raises:
            ServiceError: `bulk-folder` when another process writes into it.
        """
        return self._storage.lock()

    def parts(self) -> list[Part]:
        """Return the written parts."""
        names = self._storage.names(PARTS)
        return [Part(**json.loads(content)) for content in self._storage.read([f"{PARTS}/{name}" for name in names])]

    def missing_parts(self) -> list[PlannedPart]:
        """Return the parts of the plan that are not written."""
        written = {part.part for part in self.parts()}
        planned = (PlannedPart(number, *ends) for number, ends in enumerate(pairwise(self.description()["parts"])))
        return [part for part in planned if part.number not in written]

    def tasks(self, part: PlannedPart) -> list[Task]:
        """Return the tasks of a part."""
        lines = self._storage.read_range(PLAN, part.start, part.stop).splitlines()
        return [Task.from_line(line) for line in lines]

    def all_tasks(self) -> Iterator[Task]:
        """Yield the tasks of the plan."""
        for number, ends in enumerate(pairwise(self.description()["parts"])):
            yield from self.tasks(PlannedPart(number, *ends))

    def files(self, table: str) -> list[str]:
        """Return the files of a table, of the written parts only."""
        if table == STATUSES:
            names = self._storage.names(STATUSES)
        else:
            names = sorted(_name(part.part, "parquet") for part in self.parts() if part.tables.get(table))
        return [f"{self.location}/{table}/{name}" for name in names]

    def count_null(self, table: str, column: str, other: str) -> int:
        """Return the number of rows of a table that have no value in a column, but one in another."""
        found = 0
        for file in self.files(table):
            rows = pq.read_table(file, columns=[column, other])
            found += int(pc.sum(pc.and_(pc.is_null(rows[column]), pc.is_valid(rows[other]))).as_py() or 0)
        return found

    def write_part(self, number: int, results: Iterable[TaskResult]) -> Part:
        """Write a part. `results`: of all its tasks, in the order of the plan."""
        counts: Counter[str] = Counter()
        batches: dict[str, list[pa.RecordBatch]] = {}
        for result in results:
            counts.update(result.counts)
            for table, rows in result.batches.items():
                batches.setdefault(table, []).extend(rows)
        for table, rows in batches.items():
            self._write_table(table, _name(number, "parquet"), rows)
        sizes = {table: sum(batch.num_rows for batch in rows) for table, rows in batches.items()}
        part = Part(number, counts.total(), dict(sorted(counts.items())), sizes)
        with self._storage.write(f"{PARTS}/{_name(number, 'json')}") as file:
            file.write(json.dumps(asdict(part)).encode())
        return part

    def write_statuses(self, rows: list[Row]) -> None:
        """Add answers of the authority, as one file."""
        self._write_table(STATUSES, f"{uuid4().hex}.parquet", [to_batch(STATUSES, rows)])

    def _write_table(self, table: str, name: str, batches: list[pa.RecordBatch]) -> None:
        with self._storage.write(f"{table}/{name}") as file:
            pq.write_table(pa.Table.from_batches(batches, SCHEMAS[table]), file, compression="zstd")


def _name(part: int, suffix: str) -> str:
    return f"part-{part:06}.{suffix}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
