"""Reading the documents of a task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from timbra.bulk.archives import ArchiveCache, suffix_of
from timbra.bulk.locations import printable, read_file
from timbra.bulk.plan import Task, TaskKind
from timbra.errors import ServiceError


class TaskReader:
    """Reads documents; keeps the archive of the last task open.

    Args:
        max_bytes: size of the largest document.
    """

    def __init__(self, max_bytes: int) -> None:
        self.archives = ArchiveCache()
        self.max_bytes = max_bytes

    def documents(self, task: Task) -> Iterator[tuple[str, bytes | ServiceError]]:
        """Yield name and content of each document, or the reason why it cannot be read.

        Args:
            task: of files, of members, or of an unreadable source.
        """
        if task.kind is TaskKind.UNREADABLE:
            yield task.reason.partition(": ")[0], ServiceError("source-unreadable", task.reason)
        elif task.kind is TaskKind.FILES:
            for file in task.files:
                yield printable(file), self._read_file(file)
        elif task.kind is TaskKind.MEMBERS:
            yield from self._members(task)

    def close(self) -> None:
        """Close the open archive."""
        self.archives.close()

    def _read_file(self, file: str) -> bytes | ServiceError:
        try:
            return self._bounded(read_file(file, self.max_bytes + 1))
        except ServiceError as error:
            return error

    def _members(self, task: Task) -> Iterator[tuple[str, bytes | ServiceError]]:
        try:
            archive = self.archives.open(task.location, task.inner)
        except ServiceError as error:
            name = "!".join(map(printable, (task.location, *task.inner)))
            yield from ((f"{name}!{position}", error) for position in range(task.start, task.stop))
            return
        documents = (member for member in archive.files if suffix_of(member.filename) == ".xml")
        for member in islice(documents, task.start, task.stop):
            try:
                content: bytes | ServiceError = self._bounded(archive.read(member, self.max_bytes + 1))
            except ServiceError as error:
                content = error
            yield archive.name_of(member), content

    def _bounded(self, content: bytes) -> bytes | ServiceError:
        if len(content) > self.max_bytes:
            return ServiceError("TB4001", f"El límite es de {self.max_bytes} bytes.")
        return content
