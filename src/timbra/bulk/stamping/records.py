"""Records of JSON lines and CSV files, each a CFDI as JSON."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any

from timbra.bulk.archives import suffix_of
from timbra.bulk.locations import open_seekable, printable, unreadable
from timbra.bulk.plan import Task
from timbra.bulk.reading import reason_of
from timbra.core.errors import ServiceError
from timbra.validation.tables import sha256_of

_ABSENT = object()
"""What is left of a text, an object or a list whose placeholders all are empty."""
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


class JsonTemplate:
    """A CFDI as JSON with placeholders: `{COLUMN}` in a text is the value of that column of a row.

    A member whose text consists of placeholders and becomes empty is left out, so that optional attributes can be
    empty columns. So is an object, with its fixed members, when all placeholders in it become empty, such as a
    deduction that a worker does not have.

    Attributes:
        sha256: hash of the file.

    Args:
        file: the JSON.

    Raises:
        ServiceError: `source-unreadable`.
    """

    def __init__(self, file: Path) -> None:
        try:
            text = file.read_bytes()
            self._document: Any = json.loads(text.decode("utf-8-sig"))
        except (OSError, ValueError) as error:
            raise unreadable(str(file), error) from error
        self.sha256 = sha256_of(text)

    def fill(self, row: Mapping[str, str]) -> bytes:
        """Return the document of a row. Raises ServiceError: `source-unreadable` for a placeholder without a column."""
        try:
            filled = _fill(self._document, row)
            return json.dumps({} if filled is _ABSENT else filled, ensure_ascii=False).encode()
        except KeyError as error:
            raise ServiceError("source-unreadable", f"falta la columna {error.args[0]}") from error


class RecordReader:
    """Reads records; keeps the last file open, because successive tasks read the same file.

    Args:
        template: makes documents of the rows of CSV files; None when there are none.
    """

    def __init__(self, template: JsonTemplate | None) -> None:
        self._template = template
        self._stack = ExitStack()
        self._location = ""
        self._next = 0
        self._records: Iterator[bytes | ServiceError] = iter(())

    def count(self, location: str) -> int:
        """Return the number of records of a file. Raises ServiceError: `source-unreadable`."""
        with ExitStack() as stack:
            return sum(1 for _ in self._open(location, stack))

    def documents(self, task: Task) -> Iterator[tuple[str, bytes | ServiceError]]:
        """Yield name and content of each record, or the reason why it cannot be read.

        Raises:
            ServiceError: `source-unreadable` when the file cannot be read any more.
        """
        if task.location != self._location or task.start < self._next:
            self.close()
            self._records, self._location = self._open(task.location, self._stack), task.location
        skipped = task.start - self._next
        records = islice(self._records, skipped, skipped + task.documents)
        for number, content in enumerate(records, task.start + 1):
            yield f"{printable(task.location)}:{number}", content
        self._next = task.stop

    def close(self) -> None:
        """Close the open file."""
        self._stack.close()
        self._location, self._next = "", 0

    def _open(self, location: str, stack: ExitStack) -> Iterator[bytes | ServiceError]:
        file = stack.enter_context(open_seekable(location))
        if suffix_of(location) != ".csv":
            return (line.strip() for line in file if line.strip())
        if self._template is None:
            raise ServiceError("source-unreadable", f"{printable(location)}: un CSV necesita --template")
        text = stack.enter_context(TextIOWrapper(file, "utf-8-sig", errors="replace", newline=""))
        return (self._filled(row) for row in csv.DictReader(text, restval=""))

    def _filled(self, row: dict[str, str]) -> bytes | ServiceError:
        if self._template is None:
            raise ValueError("rows need a template")
        try:
            return self._template.fill(row)
        except Exception as error:
            return reason_of(error, self._location)


def _fill(value: Any, row: Mapping[str, str]) -> Any:
    """Return the value with the columns of the row, or `_ABSENT`."""
    if isinstance(value, str):
        filled = _PLACEHOLDER.sub(lambda match: row[match[1]].strip(), value)
        return filled if filled or not value else _ABSENT
    if isinstance(value, list):
        items = [_fill(each, row) for each in value]
        return _unless_absent(value, items, [each for each in items if each is not _ABSENT])
    if isinstance(value, dict):
        members = {name: _fill(each, row) for name, each in value.items()}
        present = {name: each for name, each in members.items() if each is not _ABSENT}
        return _unless_absent(value, members.values(), present)
    return value


def _unless_absent(value: Any, filled: Iterable[Any], present: Any) -> Any:
    """Return what is present, unless all that has placeholders is absent."""
    parts = value.values() if isinstance(value, dict) else value
    variable = [result for part, result in zip(parts, filled, strict=True) if _has_placeholder(part)]
    return _ABSENT if variable and all(result is _ABSENT for result in variable) else present


def _has_placeholder(value: Any) -> bool:
    if isinstance(value, str):
        return _PLACEHOLDER.search(value) is not None
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_has_placeholder, parts))
