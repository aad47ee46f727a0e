"""Reading the documents of a task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from timbra.bulk.archives import ArchiveCache
from timbra.bulk.locations import printable, read_file
from timbra.bulk.plan import Task, TaskKind
from timbra.core.errors import ServiceError
from timbra.web.public_errors import document_error


def reason_of(error: Exception, source: str) -> ServiceError:
    """Return why a document of a run has no result; one document must not end a run of millions."""
    return error if isinstance(error, ServiceError) else document_error(error, printable(source))


class TaskReader:
    """Reads documents; keeps the archive of the last task open.

    Args:
        max_bytes: size of the largest document.
        with_pdf: whether a PDF of an archive may be a document, as in the plan.
    """

    def __init__(self, max_bytes: int, *, with_pdf: bool = False) -> None:
        self.archives = ArchiveCache()
        self._with_pdf = with_pdf
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
        except Exception as error:
            return reason_of(error, file)

    def _members(self, task: Task) -> Iterator[tuple[str, bytes | ServiceError]]:
        name = "!".join(map(printable, (task.location, *task.inner)))
        try:
            archive = self.archives.open(task.location, task.inner)
        except Exception as error:
            reason = reason_of(error, name)
            yield from ((f"{name}!{position}", reason) for position in range(task.start, task.stop))
            return
        documents = archive.documents(with_pdf=self._with_pdf)
        for member in islice(documents, task.start, task.stop):
            source = archive.name_of(member)
            try:
                content: bytes | ServiceError = self._bounded(archive.read(member, self.max_bytes + 1))
            except Exception as error:
                content = reason_of(error, source)
            yield source, content

    def _bounded(self, content: bytes) -> bytes | ServiceError:
        if len(content) > self.max_bytes:
            return ServiceError("TB4001", f"El límite es de {self.max_bytes} bytes.")
        return content
