"""Documents of a stamping run that were not stamped: a list of them, and the rows of their CSV files.

Both are for correction: a row of a CSV file is corrected and stamped again with the same template, a copy of a document
by itself.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path, PurePosixPath
from typing import IO

import pyarrow.parquet as pq

from timbra.bulk.archives import suffix_of
from timbra.bulk.locations import open_seekable, printable
from timbra.bulk.plan import Task, TaskKind
from timbra.bulk.result_folder import ResultFolder
from timbra.core.errors import ServiceError
from timbra.core.spreadsheets import safe_text
from timbra.validation.tables import Row, sha256_of

REJECTED_FOLDER = "rejected"
LIST = "rejected.csv"
"""The list of all of them, in the result folder."""
COLUMNS = ("source", "file", "result", "code", "message", "detail")
REASON = "Rechazo"
"""Column that the rows of a CSV file get."""
CSV = ".csv"
NOT_STAMPED = ("rejected", "unreadable")


def rejected_rows_file(task: Task) -> str | None:
    """Return the file, below the result folder, for the rejected rows of a task of a CSV file; None for other tasks."""
    if task.kind is not TaskKind.RECORDS or suffix_of(task.location) != CSV:
        return None
    name = PurePosixPath(printable(task.location)).stem
    return f"{REJECTED_FOLDER}/{name}-{sha256_of(printable(task.location).encode())[:8]}{CSV}"


def write_rejected(results: ResultFolder) -> int:
    """Write the list and the rows of a run that has ended.

    Returns:
        The number of documents that were not stamped.

    Raises:
        ServiceError: `source-unreadable` for a CSV file that is not there any more; `bulk-folder` for a folder that
            cannot be written.
    """
    count, reasons = 0, dict[Task, dict[int, str]]()
    try:
        with (Path(results.location, LIST)).open("w", encoding="utf-8-sig", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
            table.writeheader()
            for row, task in _not_stamped(results):
                count += 1
                table.writerow({name: safe_text(str(row[name] or "")) for name in COLUMNS})
                if rejected_rows_file(task) is not None:
                    position = row["document_id"] - task.first + task.start
                    reasons.setdefault(_whole(task), {})[position] = _reason(row)
        for task, found in reasons.items():
            _write_rows(results, task, found)
    except OSError as error:
        raise ServiceError("bulk-folder", f"{results.location}: {error.strerror}") from error
    if not count:
        (Path(results.location, LIST)).unlink()
    return count


def _not_stamped(results: ResultFolder) -> Iterator[tuple[Row, Task]]:
    """Yield each document that was not stamped, with its task, in the order of the plan."""
    tasks = results.all_tasks()
    task = next(tasks)
    for file in results.files("stamps"):
        for batch in pq.ParquetFile(file).iter_batches(columns=["document_id", *COLUMNS]):
            for row in batch.to_pylist():
                if row["result"] in NOT_STAMPED:
                    while row["document_id"] >= task.first + task.documents:
                        task = next(tasks)
                    yield row, task


def _whole(task: Task) -> Task:
    """Return one key for all tasks of a file."""
    return Task(0, 0, task.kind, task.location)


def _reason(row: Row) -> str:
    return " ".join(str(row[name]) for name in ("message", "detail") if row[name]) or str(row["code"])


def _write_rows(results: ResultFolder, task: Task, reasons: dict[int, str]) -> None:
    """Write the rows of a CSV file at these positions, with their reasons in a column of their own."""
    target = Path(results.location, str(rejected_rows_file(task)))
    target.parent.mkdir(exist_ok=True)
    with ExitStack() as stack:
        source: IO[bytes] = stack.enter_context(open_seekable(task.location))
        rows = csv.DictReader(
            stack.enter_context(TextIOWrapper(source, "utf-8-sig", errors="replace", newline="")), restval=""
        )
        names = [name for name in rows.fieldnames or () if name != REASON]
        file = stack.enter_context(target.open("w", encoding="utf-8-sig", newline=""))
        table = csv.DictWriter(file, [*names, REASON], extrasaction="ignore")
        table.writeheader()
        for position, row in enumerate(rows):
            if position in reasons:
                table.writerow({**row, REASON: safe_text(reasons[position])})
