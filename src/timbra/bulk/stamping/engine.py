"""The engine of a stamping run: threads that send documents, and the files that it writes."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from timbra.bulk.plan import Task, TaskKind
from timbra.bulk.reading import TaskReader
from timbra.bulk.schema import to_batch
from timbra.bulk.stamping.client import REJECTED, StampClient
from timbra.bulk.stamping.records import RecordReader
from timbra.bulk.worker import TaskResult
from timbra.errors import ServiceError
from timbra.service.validation.tables import ReportOutcome, Row, sha256_of

TASKS_AHEAD = 2
"""Tasks whose documents are in memory."""
STAMPED_FOLDER, REJECTED_FOLDER = "xml", "rejected"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
MAX_NAME = 80


class StampEngine:
    """Sends the documents of tasks to servers, several at a time, and writes stamped and rejected documents.

    Args:
        client: sends documents.
        documents: reads files and archives.
        records: reads records.
        folder: result folder: `xml/12/UUID.xml` for stamps, `rejected/` for documents to be corrected.
        concurrency: requests at a time.
    """

    def __init__(
        self, client: StampClient, documents: TaskReader, records: RecordReader, folder: Path, concurrency: int
    ) -> None:
        self._client = client
        self._documents = documents
        self._records = records
        self._folder = folder
        self._pool = ThreadPoolExecutor(concurrency, "stamp")

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        """See `Engine.run`. The tasks end in the order of the plan."""
        running: deque[tuple[Task, list[Future[Row]]]] = deque()
        for task in tasks:
            running.append((task, [*self._start(task)]))
            if len(running) == TASKS_AHEAD:
                yield _collect(*running.popleft())
        while running:
            yield _collect(*running.popleft())

    def close(self) -> None:
        """See `Engine.close`."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        with closing(self._documents), closing(self._records):
            pass

    def _start(self, task: Task) -> Iterator[Future[Row]]:
        reader = self._records if task.kind is TaskKind.RECORDS else self._documents
        for number, (source, content) in enumerate(reader.documents(task), task.first):
            yield self._pool.submit(self._stamp, number, source, content)

    def _stamp(self, number: int, source: str, content: bytes | ServiceError) -> Row:
        row: Row = {"document_id": number, "source": source}
        if isinstance(content, ServiceError):
            return {**row, "result": ReportOutcome.UNREADABLE.value, "code": content.code, "detail": content.detail}
        outcome = self._client.stamp(content)
        if outcome.result == REJECTED:
            file = self._write(number, REJECTED_FOLDER, _rejected_name(number, source, content), content)
        elif outcome.uuid is not None:
            folder = f"{STAMPED_FOLDER}/{outcome.uuid[:2]}"
            file = self._write(number, folder, f"{outcome.uuid}.xml", outcome.cfdi.encode())
        else:
            raise ServiceError("bulk-engine", f"{source}: la respuesta no trae el timbre")
        return {
            **row,
            "sha256": sha256_of(content),
            "custom_id": outcome.custom_id,
            "result": outcome.result,
            "uuid": outcome.uuid,
            "file": file,
            "code": outcome.code,
            "message": outcome.message,
            "detail": outcome.detail,
        }

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
    if content.lstrip()[:1] == b"{":
        suffix = "json" if b"\n" in content else "jsonl"
    return f"{number:08}-{own}.{suffix}"
