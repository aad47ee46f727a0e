"""The plan of a run: tasks of about 500 documents each, which workers read themselves.

A plan is a file with one JSON object per line. It is written whole before the first task runs, so that a run that is
started again has the same tasks, whatever was added to the sources meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, fields
from enum import StrEnum
from itertools import groupby
from typing import Any
from zipfile import ZipInfo

from timbra.bulk.archives import MAX_DEPTH, Archive, ArchiveCache, suffix_of
from timbra.bulk.locations import absolute, expand_lists, list_files, printable
from timbra.core.errors import ServiceError
from timbra.core.local_files import PDF, XML, is_system_file, prints_among

TASK_DOCUMENTS = 500
RECORD_SUFFIXES = (".jsonl", ".ndjson", ".csv")


class TaskKind(StrEnum):
    """What the range of a task consists of.

    Attributes:
        FILES: files, each a document.
        MEMBERS: members `start` to `stop` of an archive, counted over the documents in its directory.
        RECORDS: records `start` to `stop` of a file of JSON lines or CSV.
        METADATA: a text file of a metadata download of the SAT; with `inner` a member of an archive.
        UNREADABLE: a source that could not be listed; it counts as one document.
    """

    FILES = "files"
    MEMBERS = "members"
    RECORDS = "records"
    METADATA = "metadata"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Task:
    """A range of documents.

    Attributes:
        number: position in the plan, from 0.
        first: document_id of the first document.
        location: path or URL of the archive or of the metadata file; empty for files.
        inner: members that lead to a nested archive or to a metadata file in one.
        files: paths or URLs of files.
        start, stop: range of members.
        reason: why a source is unreadable, in Spanish.
    """

    number: int
    first: int
    kind: TaskKind
    location: str = ""
    inner: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    start: int = 0
    stop: int = 0
    reason: str = ""

    @property
    def documents(self) -> int:
        if self.kind is TaskKind.METADATA:
            return 0
        return {TaskKind.FILES: len(self.files), TaskKind.UNREADABLE: 1}.get(self.kind, self.stop - self.start)

    def to_line(self) -> str:
        """Return the line of the plan; names that are not UTF-8 are escaped."""
        found = ((field.name, getattr(self, field.name)) for field in fields(self))
        values = {name: value for name, value in found if value or name in ("number", "first")}
        return json.dumps(values) + "\n"

    @classmethod
    def from_line(cls, line: str | bytes) -> Task:
        values: dict[str, Any] = json.loads(line)
        values["kind"] = TaskKind(values["kind"])
        for name in ("inner", "files"):
            values[name] = tuple(values.get(name, ()))
        return cls(**values)


@dataclass(slots=True)
class PlanTotals:
    """Totals of a plan.

    Attributes:
        ignored: number of files that are no document by their name, by suffix.
    """

    documents: int = 0
    tasks: int = 0
    archives: int = 0
    metadata_files: int = 0
    unreadable_sources: int = 0
    ignored: dict[str, int] = field(default_factory=dict)

    def ignore(self, suffix: str) -> None:
        """Count a file that is no document by its name."""
        self.ignored[suffix] = self.ignored.get(suffix, 0) + 1


@dataclass(frozen=True, slots=True)
class _Range:
    kind: TaskKind
    documents: int
    values: dict[str, Any]


class Planner:
    """Lists sources and cuts them into tasks.

    Attributes:
        totals: what has been listed so far.
    """

    def __init__(self, task_documents: int = TASK_DOCUMENTS, records: Callable[[str], int] | None = None) -> None:
        """Create a planner.

        Args:
            records: counts the records of a `.jsonl`, `.ndjson` or `.csv` file; None when these are no documents, and
                `.json` files neither.
        """
        self._task_documents = task_documents
        self._records = records
        self._with_pdf = records is None  # it is validated by its CFDI, and is nothing to stamp
        self._suffixes = (XML, PDF) if self._with_pdf else (XML, ".json")
        self.totals = PlanTotals()

    def tasks(self, sources: Iterable[str]) -> Iterator[Task]:
        """Yield the tasks of sources.

        Args:
            sources: Files, folders, glob patterns, archives, URLs, and `@FILE` for lists of them.
        """
        for number, part in enumerate(self._ranges(sources)):
            yield Task(number, self.totals.documents, part.kind, **part.values)
            self.totals.documents += part.documents
            self.totals.tasks += 1

    def _ranges(self, sources: Iterable[str]) -> Iterator[_Range]:
        files: list[str] = []
        for location, is_named in self._locations(sources):
            if isinstance(location, ServiceError):
                yield self._unreadable(location)
                continue
            if is_system_file(location) and not is_named:
                continue
            suffix = suffix_of(location)
            if suffix == ".zip":
                yield from self._archive(location)
            elif suffix in RECORD_SUFFIXES and self._records is not None:
                yield from self._record_file(location, self._records)
            elif suffix == ".txt":
                self.totals.metadata_files += 1
                yield _Range(TaskKind.METADATA, 0, {"location": location})
            elif is_named or suffix in self._suffixes:
                files.append(location)
                if len(files) == self._task_documents:
                    yield _files(files)
                    files = []
            else:
                self.totals.ignore(suffix)
        if files:
            yield _files(files)

    def _locations(self, sources: Iterable[str]) -> Iterator[tuple[str | ServiceError, bool]]:
        """Yield each file, and whether a source names the file itself; an error for a source that cannot be listed."""
        try:
            for source in expand_lists([*sources]):
                try:
                    named = absolute(source)
                    for _, files in groupby(list_files(source), os.path.dirname):
                        together = [*files]
                        prints = prints_among(together) if self._with_pdf else frozenset()
                        for file in together:
                            if file in prints and file != named:
                                self.totals.ignore(PDF)
                            else:
                                yield file, file == named
                except ServiceError as error:
                    yield error, True
        except ServiceError as error:
            yield error, True

    def _record_file(self, location: str, count: Callable[[str], int]) -> Iterator[_Range]:
        try:
            records = count(location)
        except ServiceError as error:
            yield self._unreadable(error)
            return
        for start in range(0, records, self._task_documents):
            stop = min(records, start + self._task_documents)
            yield _Range(TaskKind.RECORDS, stop - start, {"location": location, "start": start, "stop": stop})

    def _archive(self, location: str) -> Iterator[_Range]:
        self.totals.archives += 1
        with closing(ArchiveCache()) as cache:
            try:
                yield from self._members(cache.open(location, ()), location, ())
            except ServiceError as error:
                yield self._unreadable(error)

    def _members(self, archive: Archive, location: str, inner: tuple[str, ...]) -> Iterator[_Range]:
        names = {member.filename for member in archive.documents(with_pdf=self._with_pdf)}
        documents = len(names)
        for start in range(0, documents, self._task_documents):
            stop = min(documents, start + self._task_documents)
            yield _Range(
                TaskKind.MEMBERS,
                stop - start,
                {"location": location, "inner": inner, "start": start, "stop": stop},
            )
        for member in archive.files:
            suffix = suffix_of(member.filename)
            if suffix == ".zip":
                yield from self._nested(archive, member, location, inner)
            elif suffix == ".txt":
                self.totals.metadata_files += 1
                yield _Range(TaskKind.METADATA, 0, {"location": location, "inner": (*inner, member.filename)})
            elif member.filename not in names:
                self.totals.ignore(suffix)

    def _nested(self, archive: Archive, member: ZipInfo, location: str, inner: tuple[str, ...]) -> Iterator[_Range]:
        self.totals.archives += 1
        if len(inner) + 1 >= MAX_DEPTH:
            text = f"{archive.name_of(member)}: hay más de {MAX_DEPTH} archivos uno dentro de otro"
            yield self._unreadable(ServiceError("source-unreadable", text))
            return
        try:
            with archive.open_nested(member) as nested:
                yield from self._members(nested, location, (*inner, member.filename))
        except ServiceError as error:
            yield self._unreadable(error)

    def _unreadable(self, error: ServiceError) -> _Range:
        self.totals.unreadable_sources += 1
        return _Range(TaskKind.UNREADABLE, 1, {"reason": printable(error.detail or error.code)})


def _files(files: list[str]) -> _Range:
    return _Range(TaskKind.FILES, len(files), {"files": tuple(files)})
