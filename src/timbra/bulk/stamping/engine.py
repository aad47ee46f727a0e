"""The engine of a stamping run: threads that send documents, and the files that it writes."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import groupby
from pathlib import Path

from timbra.bulk.plan import Task, TaskKind
from timbra.bulk.reading import TaskReader, reason_of
from timbra.bulk.result_folder import Part, PlannedPart, ResultFolder
from timbra.bulk.schema import to_batch
from timbra.bulk.stamping.client import REJECTED, StampClient
from timbra.bulk.stamping.records import RecordReader
from timbra.bulk.stamping.rejected import REJECTED_FOLDER, rejected_rows_file
from timbra.bulk.worker import TaskResult
from timbra.cfdi.document import without_leading_space
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.validation.tables import ReportOutcome, Row, sha256_of

TASKS_AHEAD = 2
"""Tasks whose documents are in memory."""
STAMPED_FOLDER, PRINTED_FOLDER = "xml", "pdf"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
MAX_NAME = 80


class StampEngine:
    """Sends the documents of tasks to servers, several at a time, and writes stamped and rejected documents.

    Args:
        client: sends documents.
        documents: reads files and archives.
        records: reads records.
        folder: result folder: `xml/12/UUID.xml` for stamps, `pdf/12/UUID.pdf` for their prints, `rejected/` for
            documents to be corrected.
        concurrency: requests at a time.
        is_printed: whether stamped documents are printed.
    """

    def __init__(
        self,
        client: StampClient,
        documents: TaskReader,
        records: RecordReader,
        folder: Path,
        concurrency: int,
        *,
        is_printed: bool = False,
    ) -> None:
        self._client = client
        self._documents = documents
        self._records = records
        self._folder = folder
        self._is_printed = is_printed
        self._pool = ThreadPoolExecutor(concurrency, "stamp")

    def write(self, folder: ResultFolder, parts: Sequence[PlannedPart]) -> Generator[Part, None, None]:
        """Write parts in the order of the plan. See `timbra.bulk.run.Engine`."""
        numbers: dict[int, int] = {}

        def tasks() -> Iterator[Task]:
            for part in parts:
                for task in folder.tasks(part):
                    numbers[task.number] = part.number
                    yield task

        with closing(self):
            for number, results in groupby(self.run(tasks()), lambda result: numbers.pop(result.number)):
                yield folder.write_part(number, results)

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        """Yield the result of each task, in the order of the plan."""
        running: deque[tuple[Task, list[Future[Row]]]] = deque()
        for task in tasks:
            running.append((task, [*self._start(task)]))
            if len(running) == TASKS_AHEAD:
                yield _collect(*running.popleft())
        while running:
            yield _collect(*running.popleft())

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        with closing(self._documents), closing(self._records):
            pass

    def _start(self, task: Task) -> Iterator[Future[Row]]:
        reader = self._records if task.kind is TaskKind.RECORDS else self._documents
        rows_file = rejected_rows_file(task)
        for number, (source, content) in enumerate(reader.documents(task), task.first):
            yield self._pool.submit(self._row, number, source, content, rows_file)

    def _row(self, number: int, source: str, content: bytes | ServiceError, rows_file: str | None) -> Row:
        """Return the row of a document. ServiceError for what ends the run, such as servers that do not answer."""
        row: Row = {"document_id": number, "source": source}
        if isinstance(content, ServiceError):
            reason = {"code": content.code, "detail": content.detail, "file": rows_file}
            return {**row, "result": ReportOutcome.UNREADABLE.value, **reason}
        try:
            return self._stamp(row, number, source, content, rows_file)
        except ServiceError:
            raise
        except Exception as error:
            file = rows_file or self._write(number, REJECTED_FOLDER, _rejected_name(number, source, content), content)
            return {**row, "result": REJECTED, "code": reason_of(error, source).code, "file": file}

    def _stamp(self, row: Row, number: int, source: str, content: bytes, rows_file: str | None) -> Row:
        outcome = self._client.stamp(content)
        row = row | {"sha256": sha256_of(content), "custom_id": outcome.custom_id, "result": outcome.result}
        if outcome.result == REJECTED:
            name = _rejected_name(number, source, content)
            row["file"] = rows_file or self._write(number, REJECTED_FOLDER, name, content)
            return row | {"code": outcome.code, "message": outcome.message, "detail": outcome.detail}
        if outcome.uuid is None:
            raise ServiceError("bulk-engine", f"{source}: la respuesta no trae el timbre")
        folder = f"{STAMPED_FOLDER}/{outcome.uuid[:2]}"
        row["file"] = self._write(number, folder, f"{outcome.uuid}.xml", outcome.cfdi.encode())
        row["uuid"] = outcome.uuid
        return row | self._print(number, outcome.uuid, outcome.cfdi) if self._is_printed else row

    def _print(self, number: int, uuid: str, cfdi: str) -> Row:
        """Write the printed document; return its columns, or those of the reason why there is none."""
        printed = self._client.print_pdf(cfdi)
        if not printed.pdf:
            return {"code": printed.code, "message": printed.message, "detail": printed.detail}
        return {"pdf": self._write(number, f"{PRINTED_FOLDER}/{uuid[:2]}", f"{uuid}.pdf", printed.pdf)}

    def _write(self, number: int, folder: str, name: str, content: bytes) -> str:
        """Write a file whole and synced; return its path below the result folder.

        The temporary name has the number of the document: equal documents have one stamp, which threads write at once.
        """
        target = self._folder / folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_name(f"{name}.{number}.tmp")
            with draft.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        except OSError as error:
            raise ServiceError("bulk-folder", f"{target}: {error.strerror}") from error
        return f"{folder}/{name}"


def _collect(task: Task, futures: list[Future[Row]]) -> TaskResult:
    rows = [future.result() for future in futures]
    counts = Counter(str(row["result"]) for row in rows)
    return TaskResult(task.number, counts, {"stamps": [to_batch("stamps", rows)]} if rows else {})


def _rejected_name(number: int, source: str, content: bytes) -> str:
    """Return a name from the document's own that is safe in any file system, with the suffix of its content."""
    own = _UNSAFE.sub("_", re.split(r"[/\\!]", source)[-1]).removesuffix(".xml")[-MAX_NAME:]
    suffix = "xml"
    if without_leading_space(content)[:1] == b"{":
        suffix = "json" if b"\n" in content else "jsonl"
    return f"{number:08}-{own}.{suffix}"


BOUNDS = (
    Bound(
        "StampEngine",
        BoundKind.QUEUE,
        f"{TASKS_AHEAD} tasks of documents",
        "No further task is read until the first one has its results.",
    ),
)
