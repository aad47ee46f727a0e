"""Fetching of a list: query of its source, download, verification of hashes, import. A failure changes no list."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from pathlib import Path

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.lists.fetch.fetch_state import FetchRecord, read_fetch_state, write_fetch_state
from timbra.lists.fetch.http_source import ContainerSource, SingleFileSource
from timbra.lists.fetch.source import UNAVAILABLE, WRONG_HASH, FileSource, SourceFile, require_digests
from timbra.lists.importer import ListImporter
from timbra.lists.list_store import ListEdition
from timbra.lists.sources.part_names import (
    SIGNED_LISTS,
    ListKind,
    complete,
    control_file_day,
    latest_day,
    part_name,
)

BUSY = "list-busy"
REPEAT_REJECTED = timedelta(hours=1)
"""After how long files that were rejected are downloaded again although they did not change."""
_STAGING = "fetching-"
_ABANDONED = timedelta(hours=12)
_CONTROL_LINE = re.compile(r"([^|\s]+)\|([0-9a-fA-F]{64})")


class FetchStatus(StrEnum):
    """The result of a fetch."""

    UNCHANGED = "unchanged"
    IMPORTED = "imported"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The result of fetching one list.

    Attributes:
        edition: The new edition after an import.
        failure: The error of a failure; the list in force stays.
    """

    kind: ListKind
    status: FetchStatus
    edition: ListEdition | None = None
    failure: ServiceError | None = None


class ListFetcher:
    """Fetches lists from their sources into the folder of an importer."""

    def __init__(
        self, importer: ListImporter, sources: Mapping[ListKind, FileSource], wall: Clock, interval: timedelta
    ) -> None:
        """Fetch lists.

        Args:
            importer: Imports files into the folder of the lists.
            sources: The source of each list.
            interval: The time between two queries of a source. Each source is queried at 00:00 of central Mexico too.
        """
        self._importer = importer
        self._sources = sources
        self._wall = wall
        self._interval = interval
        self._folder = importer.store.folder

    @property
    def kinds(self) -> Sequence[ListKind]:
        """The lists that have a source."""
        return tuple(self._sources)

    def count_files(self, kind: ListKind) -> int:
        """Query the source of a list and return how many files it has; nothing is downloaded or recorded.

        A container that has a listing may not permit reading, so that one of its files is queried too.

        Raises:
            ServiceError: The source cannot be read.
        """
        source = self._sources[kind]
        if isinstance(source, SingleFileSource):
            source.require()
        files = source.files(kind)
        if not files:
            raise ServiceError(UNAVAILABLE, "La fuente no tiene archivos de la lista.")
        if isinstance(source, ContainerSource):
            source.require(files[-1])
        return len(files)

    def due(self) -> list[ListKind]:
        """Return the lists whose source must be queried now."""
        now, records = self._wall.now(), read_fetch_state(self._folder)
        midnight = datetime.combine(now.astimezone(CENTRAL_MEXICO).date(), time(), CENTRAL_MEXICO)
        return [
            kind
            for kind in self._sources
            if (record := records.get(kind)) is None
            or record.checked_at < midnight <= now
            or now - record.checked_at >= self._interval
            or record.checked_at > now
        ]

    def fetch(self, kind: ListKind, *, force: bool = False) -> FetchOutcome:
        """Query the source of a list, and import what changed.

        Args:
            force: Download and import whatever the last fetch found; accept an older or much smaller list.
        """
        record = read_fetch_state(self._folder).get(kind) or FetchRecord(self._wall.now())
        try:
            outcome, record = self._fetch(kind, record, force=force)
        except ServiceError as failure:
            if failure.code == BUSY:
                return FetchOutcome(kind, FetchStatus.FAILED, failure=failure)
            outcome, record = FetchOutcome(kind, FetchStatus.FAILED, failure=failure), self._failed(record, failure)
        self._write(kind, record)
        return outcome

    def _fetch(self, kind: ListKind, record: FetchRecord, *, force: bool) -> tuple[FetchOutcome, FetchRecord]:
        now, since = self._wall.now(), record.failing_since
        offered = self._sources[kind].files(kind)
        days = {name.dated for file in offered if (name := part_name(file.name)) is not None and name.kind is kind}
        ahead = {day for day in days if day > latest_day(kind, now)}
        newest = max(days - ahead, default=max(ahead, default=None))
        outcome, record = self._fetch_files(kind, record, *_of_day(kind, offered, newest), force=force)
        if ahead and newest not in ahead and outcome.failure is None:
            text = f"La fuente tiene la {kind} del {max(ahead)}, un día que aún no llega."
            failure = ServiceError("list-refused", text)
            outcome = replace(outcome, status=FetchStatus.FAILED, failure=failure)
            record = replace(record, code=failure.code, detail=failure.detail or "", failing_since=since or now)
        return outcome, record

    def _fetch_files(
        self,
        kind: ListKind,
        record: FetchRecord,
        files: Sequence[SourceFile],
        control: Sequence[SourceFile],
        *,
        force: bool,
    ) -> tuple[FetchOutcome, FetchRecord]:
        now = self._wall.now()
        offered = {file.name: file.version for file in (*files, *control)}
        unchanged = FetchOutcome(kind, FetchStatus.UNCHANGED)
        in_force = kind in self._importer.store.editions()
        checked = FetchRecord(now, versions=record.versions)
        if all(offered.values()) and not force:
            if in_force and offered == record.versions:
                return unchanged, checked
            if offered == record.rejected and not _may_repeat(record, now):
                return _still_rejected(kind, record, now)
        known: Mapping[str, str] = {}
        if len(files) == 1 and not control and not force:
            known = record.rejected if not _may_repeat(record, now) else record.versions if in_force else {}
        with self._staging() as name:
            folder = Path(name)
            downloaded = self._download(kind, [*files, *control], known, folder)
            if downloaded is None:
                return _still_rejected(kind, record, now) if known is record.rejected else (unchanged, checked)
            versions = {file.name: file.version for file in downloaded}
            try:
                _require_control(kind, folder, files, control)
                published = max((file.modified_at for file in downloaded if file.modified_at), default=None)
                edition = self._importer.run(
                    kind,
                    [folder / file.name for file in files],
                    dated=None if published is None else published.astimezone(CENTRAL_MEXICO).date(),
                    published_at=published,
                    force=force,
                )
            except ServiceError as failure:
                if failure.code == BUSY:
                    raise
                outcome = FetchOutcome(kind, FetchStatus.FAILED, failure=failure)
                return outcome, replace(self._failed(record, failure), rejected=versions, rejected_at=now)
        return FetchOutcome(kind, FetchStatus.IMPORTED, edition), FetchRecord(now, versions)

    def _download(
        self, kind: ListKind, files: Sequence[SourceFile], known: Mapping[str, str], folder: Path
    ) -> list[SourceFile] | None:
        """Return the downloaded files; None when the only file has not changed."""
        downloaded = []
        for file in files:
            found = self._sources[kind].download(file, known.get(file.name, ""), folder / file.name)
            if found is None:
                return None
            downloaded.append(found)
        return downloaded

    def _staging(self) -> tempfile.TemporaryDirectory[str]:
        """Return a folder for downloads; remove those that crashed processes left."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in self._folder.glob(f"{_STAGING}*"):
            if self._wall.now().timestamp() - left.stat().st_mtime > _ABANDONED.total_seconds():
                shutil.rmtree(left, ignore_errors=True)
        return tempfile.TemporaryDirectory(prefix=_STAGING, dir=self._folder)

    def _failed(self, record: FetchRecord, failure: ServiceError) -> FetchRecord:
        now = self._wall.now()
        return replace(
            record,
            checked_at=now,
            code=failure.code,
            detail=failure.detail or "",
            failing_since=record.failing_since or now,
        )

    def _write(self, kind: ListKind, record: FetchRecord) -> None:
        write_fetch_state(self._folder, {**read_fetch_state(self._folder), kind: record})


def _may_repeat(record: FetchRecord, now: datetime) -> bool:
    """Whether files that did not change since their rejection are downloaded again."""
    return record.rejected_at is None or now - record.rejected_at >= REPEAT_REJECTED


def _still_rejected(kind: ListKind, record: FetchRecord, now: datetime) -> tuple[FetchOutcome, FetchRecord]:
    failure = ServiceError(record.code, record.detail)
    return FetchOutcome(kind, FetchStatus.FAILED, failure=failure), replace(record, checked_at=now)


def _of_day(
    kind: ListKind, files: Sequence[SourceFile], day: date | None
) -> tuple[Sequence[SourceFile], Sequence[SourceFile]]:
    """Return the parts of a day in order, and its control file, if any; without a day the only file of a list.

    Raises:
        ServiceError: "list-source" without files, "list-refused" when parts are missing.
    """
    if day is None and files and kind not in SIGNED_LISTS and all(part_name(file.name) is None for file in files):
        return files[:1], ()
    if day is None:
        raise ServiceError(UNAVAILABLE, f"La fuente no tiene archivos de la lista {kind}.")
    numbered = sorted(
        (name.number, position)
        for position, file in enumerate(files)
        if (name := part_name(file.name)) is not None and (name.kind, name.dated) == (kind, day)
    )
    if not complete(number for number, _ in numbered):
        raise ServiceError("list-refused", f"Faltan partes de la {kind} del {day}.")
    control = [file for file in files if control_file_day(kind, file.name) == day]
    return [files[position] for _, position in numbered], control[:1]


def _require_control(kind: ListKind, folder: Path, files: Sequence[SourceFile], control: Sequence[SourceFile]) -> None:
    """Compare the files with the control file: their number, and the SHA-256 of each.

    Raises:
        ServiceError: "list-hash" when they differ; "list-refused" when the control file of L_CNE is missing.
    """
    if not control:
        if kind is ListKind.LCNE:
            raise ServiceError("list-refused", f"Falta el archivo de control de la {kind}.")
        return
    name = control[0].name
    lines = (folder / name).read_text("utf-8", "replace").split()
    found = [match.groups() for line in lines[1:] if (match := _CONTROL_LINE.fullmatch(line))]
    hashes = {str(file): str(digest) for file, digest in found}
    if not lines or not lines[0].isdigit() or int(lines[0]) != len(hashes) or len(hashes) != len(lines) - 1:
        raise ServiceError(WRONG_HASH, f"{name}: el archivo de control no se entiende.")
    if set(hashes) != {file.name for file in files}:
        raise ServiceError(WRONG_HASH, f"{name}: nombra {', '.join(sorted(hashes))}.")
    for file in files:
        require_digests(folder / file.name, {"sha256": hashes[file.name]})
