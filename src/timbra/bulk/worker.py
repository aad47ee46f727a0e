"""The work of one process: it opens its services once, reads the documents of a task and validates them."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from timbra.bulk.locations import open_seekable, printable
from timbra.bulk.plan import Task, TaskKind
from timbra.bulk.reading import TaskReader, reason_of
from timbra.bulk.schema import SCHEMAS, to_batch
from timbra.core.errors import ServiceError
from timbra.core.groups import in_groups
from timbra.pools.garbage_collection import tune_garbage_collector
from timbra.validation.metadata_files import read_metadata
from timbra.validation.printed_totals import opened, with_printed_total
from timbra.validation.tables import (
    Row,
    accounting_rows,
    concept_rows,
    document_row,
    finding_rows,
    payment_rows,
    relation_rows,
    sha256_of,
    unreadable_row,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from timbra.cfdi.document import Document
    from timbra.validation.models import ValidationReport

METADATA_BATCH = 10_000
OPTIONAL_ROWS = {
    "concepts": concept_rows,
    "payments": payment_rows,
    "accounting": accounting_rows,
    "relations": relation_rows,
}
PROCESS_ENDED = "bulk-process-ended"
"""Code of a document at which the worker process ends."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Options of the validation.

    Attributes:
        data: data folder; None for the one that the settings of the worker's machine name.
        require_stamp: whether a document without a stamp has an error instead of a warning.
        tables: the optional tables that are written.
    """

    data: Path | None
    require_stamp: bool = False
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The results of a task.

    Attributes:
        number: the task.
        counts: number of documents by result.
        batches: rows by table.
    """

    number: int
    counts: Mapping[str, int]
    batches: Mapping[str, list[pa.RecordBatch]]


class Worker:
    """Validates tasks, one document after another.

    Args:
        options: options of the validation.

    Attributes:
        data_version: version of the SAT data.
    """

    def __init__(self, options: WorkerOptions) -> None:
        from timbra.app.composition import open_container
        from timbra.console.ephemeral_services import ephemeral_data
        from timbra.console.services_option import command_settings
        from timbra.database.build import opened_database
        from timbra.operations.build import build_info
        from timbra.validation.services import ValidationServices

        self._options = options
        self._stack = ExitStack()
        settings = command_settings(self._stack.enter_context(ephemeral_data(options.data)))
        container = self._stack.enter_context(open_container(settings))
        container.get(opened_database).poll()
        self.data_version = build_info(container)["data_version"]
        self._validation = container.groups[ValidationServices]().validation
        self._reader = TaskReader(settings.max_body_bytes, with_pdf=True)
        self._stack.callback(self._reader.close)
        self._loop = asyncio.new_event_loop()
        self._stack.callback(self._loop.close)
        tune_garbage_collector()
        gc.freeze()

    def run(self, task: Task) -> TaskResult:
        """Validate the documents of a task. A document that cannot be read has a row that says so."""
        rows = _Rows(task.first, self._options.tables)
        if task.kind is TaskKind.METADATA:
            return TaskResult(task.number, {}, {"metadata": list(self._metadata(task))})
        self._loop.run_until_complete(self._validate(task, rows))
        return TaskResult(task.number, rows.counts, rows.batches())

    def close(self) -> None:
        self._stack.close()

    async def _validate(self, task: Task, rows: _Rows) -> None:
        for group in in_groups(self._reader.documents(task), _size):
            for validated in [await self._validated(source, content) for source, content in group]:
                self._add(rows, validated)

    async def _validated(self, source: str, content: bytes | ServiceError) -> _Validated:
        if isinstance(content, ServiceError):
            return _Validated(source, {}, content)
        identity: Row = {"source": source, "sha256": sha256_of(content), "bytes": len(content)}
        require_stamp = self._options.require_stamp
        try:
            xml, read = opened(content)
            document, report = await self._validation.validate_document(xml, False, require_stamp=require_stamp)
            return _Validated(source, identity, (document, with_printed_total(report, document.root, read)))
        except Exception as error:
            return _Validated(source, identity, reason_of(error, source))

    def _add(self, rows: _Rows, validated: _Validated) -> None:
        source, identity, outcome = validated.source, validated.identity, validated.outcome
        if isinstance(outcome, ServiceError):
            rows.add_unreadable(source, outcome, identity)
            return
        document, report = outcome
        root = document.root
        try:
            parts = {name: [*OPTIONAL_ROWS[name](root)] for name in self._options.tables}
            parts["findings"] = [*finding_rows(report)]
            rows.add({**document_row(root, report), **identity}, parts)
        except Exception as error:
            rows.add_unreadable(source, reason_of(error, source), identity)

    def _metadata(self, task: Task) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a metadata file; nothing for a file that cannot be read or is of another kind."""
        name = "!".join(map(printable, (task.location, *task.inner)))
        try:
            with ExitStack() as stack:
                if task.inner:
                    archive = self._reader.archives.open(task.location, task.inner[:-1])
                    member = next(each for each in archive.files if each.filename == task.inner[-1])
                    file: Any = stack.enter_context(TemporaryFile())
                    archive.extract(member, file)
                    file.seek(0)
                else:
                    file = stack.enter_context(open_seekable(task.location))
                rows = (row for row in read_metadata(file, name) if row is not None)
                while chunk := [*islice(rows, METADATA_BATCH)]:
                    yield to_batch("metadata", chunk)
        except Exception as error:
            yield to_batch("metadata", [{"source": printable(reason_of(error, name).detail or name)}])


def _size(document: tuple[str, bytes | ServiceError]) -> int:
    content = document[1]
    return len(content) if isinstance(content, bytes) else 0


@dataclass(frozen=True, slots=True)
class _Validated:
    """A document of a group.

    Attributes:
        identity: columns that tell which document it is; empty for one that was not read.
        outcome: the parsed document and its report, or why there is none.
    """

    source: str
    identity: Row
    outcome: tuple[Document, ValidationReport] | ServiceError


class _Rows:
    """Rows of a task by table."""

    def __init__(self, first: int, tables: tuple[str, ...]) -> None:
        self._next = first
        self._rows: dict[str, list[Row]] = {name: [] for name in ("documents", "findings", *tables)}
        self.counts: Counter[str] = Counter()

    def add(self, document: Row, parts: Mapping[str, list[Row]]) -> None:
        """Add the rows of a document, which get its columns of identity."""
        document["document_id"] = self._next
        self._rows["documents"].append(document)
        for name, rows in parts.items():
            for row in rows:
                row["document_id"], row["uuid"] = self._next, document.get("uuid")
            self._rows[name] += rows
        self.counts[document["result"]] += 1
        self._next += 1

    def add_unreadable(self, source: str, error: ServiceError, identity: Row | None = None) -> None:
        finding = {
            "position": 0,
            "severity": "error",
            "code": error.code,
            "detail": error.detail and printable(error.detail),
        }
        self.add({**(identity or {}), **unreadable_row(source, error)}, {"findings": [finding]})

    def batches(self) -> dict[str, list[pa.RecordBatch]]:
        return {name: [to_batch(name, rows)] for name, rows in self._rows.items() if rows}


def failed_task_result(task: Task, error: Exception) -> TaskResult:
    """Return the result of a task of one document, or of a metadata file, that failed.

    Args:
        error: what it raised; `PROCESS_ENDED` when the worker process ended, such as for lack of memory.
    """
    if task.kind is TaskKind.METADATA:
        name = printable("!".join((task.location, *task.inner)))
        source = reason_of(error, name).detail or name
        return TaskResult(task.number, {}, {"metadata": [to_batch("metadata", [{"source": source}])]})
    rows = _Rows(task.first, ())
    name = printable(task.files[0] if task.files else "!".join((task.location, *task.inner, str(task.start))))
    rows.add_unreadable(name, reason_of(error, name))
    return TaskResult(task.number, rows.counts, rows.batches())


def merge_results(number: int, results: list[TaskResult]) -> TaskResult:
    """Return the results of the parts of a task as one."""
    counts: Counter[str] = Counter()
    batches: dict[str, list[pa.RecordBatch]] = {name: [] for name in SCHEMAS}
    for result in results:
        counts.update(result.counts)
        for name, parts in result.batches.items():
            batches[name] += parts
    return TaskResult(number, counts, {name: parts for name, parts in batches.items() if parts})
