"""The folder of a run: its description, its plan, and the parts of its tables.

A part has the rows of `PART_TASKS` consecutive tasks in the order of the plan. It is written whole: each file under a
temporary name, synced and renamed, then one line in `parts.jsonl`. A part without its line does not count and is
written again, with the same rows.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timbra.bulk.plan import Planner, PlanTotals, Task, read_plan
from timbra.bulk.schema import SCHEMAS, to_batch
from timbra.bulk.worker import TaskResult
from timbra.core.errors import ServiceError
from timbra.core.posix import sync_folder, try_lock
from timbra.validation.tables import Row

PART_TASKS = 40
"""Tasks of a part: about 20,000 documents."""
RUN, PLAN, PARTS, LOCK = "run.json", "plan.jsonl", "parts.jsonl", "run.lock"
STATUSES = "statuses"
STATUS_PARTS = "statuses.jsonl"
"""The lines of the parts of the table `statuses`, which later commands add to."""


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
class Part:
    """A line of `parts.jsonl`.

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
        folder: created by `create`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        """Whether the folder has a run whose plan is complete."""
        return (self.folder / RUN).is_file()

    def description(self) -> dict[str, Any]:
        """Return the description of the run, with `totals` of its plan.

        Raises:
            ServiceError: `bulk-folder` when the folder has no run or its description cannot be read.
        """
        try:
            content: dict[str, Any] = json.loads((self.folder / RUN).read_text("utf-8"))
        except FileNotFoundError as error:
            raise ServiceError("bulk-folder", f"{self.folder}: no tiene una corrida") from error
        except (OSError, ValueError) as error:
            raise ServiceError("bulk-folder", f"{self.folder}: {error}") from error
        return content

    def require(self, description: RunDescription) -> None:
        """Check that the run in the folder is the described one.

        Raises:
            ServiceError: `bulk-folder`, with the names and values that differ.
        """
        found, expected = self.description(), description.to_json()
        different = [name for name in expected if found.get(name) != expected[name]]
        if different:
            values = "; ".join(f"{name}: {_short(found.get(name))} / {_short(expected[name])}" for name in different)
            raise ServiceError("bulk-folder", f"{self.folder}: {values}")

    def create(self, description: RunDescription, planner: Planner) -> None:
        """List the sources, and write plan and description.

        Raises:
            ServiceError: `bulk-folder` for a folder that cannot be written or that has other files.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            others = {path.name for path in self.folder.iterdir()} - {LOCK, PLAN, f"{PLAN}.tmp", f"{RUN}.tmp"}
            if others:
                raise ServiceError("bulk-folder", f"{self.folder}: tiene otros archivos ({min(others)})")
            with _replacing(self.folder / PLAN) as file:
                for task in planner.tasks(description.sources):
                    file.write(task.to_line().encode())
            totals = asdict(planner.totals)
            with _replacing(self.folder / RUN) as file:
                file.write(json.dumps({**description.to_json(), "totals": totals}, indent=1).encode())
        except OSError as error:
            raise ServiceError("bulk-folder", f"{self.folder}: {error.strerror}") from error

    def discard(self) -> None:
        """Remove the plan of a run without documents."""
        for name in (RUN, PLAN, LOCK):
            (self.folder / name).unlink(missing_ok=True)

    def totals(self) -> PlanTotals:
        return PlanTotals(**self.description()["totals"])

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from writing into the folder.

        Raises:
            ServiceError: `bulk-folder` when another process writes into it.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = (self.folder / LOCK).open("wb")
        except OSError as error:
            raise ServiceError("bulk-folder", f"{self.folder}: {error.strerror}") from error
        with file:
            if not try_lock(file):
                raise ServiceError("bulk-folder", f"{self.folder}: otro proceso escribe en la carpeta")
            for name in (PARTS, STATUS_PARTS):
                self._drop_incomplete_line(name)
            yield

    def parts(self) -> list[Part]:
        """Return the written parts; an incomplete last line does not count."""
        file = self.folder / PARTS
        if not file.exists():
            return []
        lines = file.read_bytes().splitlines(keepends=True)
        return [Part(**json.loads(line)) for line in lines if line.endswith(b"\n")]

    def tasks(self) -> Iterator[Task]:
        """Yield all tasks of the plan."""
        return read_plan(self.folder / PLAN)

    def missing_tasks(self) -> Iterator[Task]:
        """Yield the tasks of the parts that are not written."""
        written = {part.part for part in self.parts()}
        return (task for task in self.tasks() if task.number // PART_TASKS not in written)

    def files(self, table: str) -> list[Path]:
        """Return the files of a table, of the written parts only."""
        if table == STATUSES:
            return [self.folder / STATUSES / _part_name(part) for part in range(self._status_parts())]
        names = [_part_name(part.part) for part in self.parts() if part.tables.get(table)]
        return [self.folder / table / name for name in sorted(names)]

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
            self._write_table(table, number, rows)
        sizes = {table: sum(batch.num_rows for batch in rows) for table, rows in batches.items()}
        part = Part(number, counts.total(), dict(sorted(counts.items())), sizes)
        self._append(PARTS, asdict(part))
        return part

    def write_statuses(self, rows: list[Row]) -> None:
        """Add answers of the authority, as one part."""
        number = self._status_parts()
        self._write_table(STATUSES, number, [to_batch(STATUSES, rows)])
        self._append(STATUS_PARTS, {"part": number, "rows": len(rows)})

    def _status_parts(self) -> int:
        file = self.folder / STATUS_PARTS
        return file.read_bytes().count(b"\n") if file.exists() else 0

    def _write_table(self, table: str, number: int, batches: list[pa.RecordBatch]) -> None:
        folder = self.folder / table
        folder.mkdir(exist_ok=True)
        with _replacing(folder / _part_name(number)) as file:
            pq.write_table(pa.Table.from_batches(batches, SCHEMAS[table]), file, compression="zstd")

    def _drop_incomplete_line(self, name: str) -> None:
        """Cut off the line that a killed process left incomplete."""
        file = self.folder / name
        if file.exists() and not (content := file.read_bytes()).endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)

    def _append(self, name: str, line: Mapping[str, Any]) -> None:
        with (self.folder / name).open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file under a temporary name; it gets its own name, synced, at the end of the block."""
    draft = path.with_name(f"{path.name}.tmp")
    with draft.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def _part_name(number: int) -> str:
    return f"part-{number:06}.parquet"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
