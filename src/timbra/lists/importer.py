"""Import of the SAT's published lists: verified, packed beside the list in force, then swapped."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Protocol

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.lists.ingest import IngestResult, ListColumns, ListIngest, Progress, ProgressCallback
from timbra.lists.list_store import ListEdition, ListStore
from timbra.lists.packed.name_set import write_names
from timbra.lists.packed.table_reader import PARTITIONS, PackedList
from timbra.lists.packed.table_writer import Spools, joined, last_wins, spool_rows, write_packed
from timbra.lists.signer_policy import ListSigners
from timbra.lists.sources.part_file import MAX_PART_BYTES
from timbra.lists.sources.part_names import ListKind, date_of_parts, latest_day

LARGE_BYTES = 4 * 1024 * 1024
"""Size of the files, compressed, from which a list is large."""
MIN_ROW_SHARE = 0.9
"""A list with a smaller share of the rows of the list in force is rejected as incomplete."""
ROWS_PER_SKIPPED_ROW = 1000
"""One row in this number may be malformed, and `MIN_SKIPPED_ROWS` of a small list."""
MIN_SKIPPED_ROWS = 10
MERGE = {
    ListKind.LCO: joined,
    ListKind.LRFC: last_wins,
    ListKind.LCNE: joined,
    ListKind.ARTICLE_69B: last_wins,
    ListKind.EXCHANGE_RATES: last_wins,
}


@dataclass(frozen=True, slots=True)
class TableDifferences:
    """Numbers of keys.

    Attributes:
        added: Keys of the new list only.
        removed: Keys of the old list only.
        changed: Keys of both lists with different columns.
    """

    added: int
    removed: int
    changed: int


def differences(old: PackedList, new: PackedList) -> TableDifferences:
    """Compare two lists; one 256th of both is in memory at a time."""
    added = removed = changed = 0
    for number in range(PARTITIONS):
        before, after = set(old.partition(number)), set(new.partition(number))
        gone = {line[: line.index(b"|")] for line in before - after}
        come = {line[: line.index(b"|")] for line in after - before}
        both = len(gone & come)
        added += len(come) - both
        removed += len(gone) - both
        changed += both
    return TableDifferences(added, removed, changed)


class Offload(Protocol):
    """Runs `ListImporter.publish` in another process, without its progress."""

    def __call__(
        self, kind: ListKind, paths: Sequence[Path], *, dated: date | None, force: bool, published_at: datetime | None
    ) -> tuple[ListEdition, ListEdition | None]:
        """Return the list and the one that it replaces; raises as `ListImporter.run`."""
        ...


def _silent(_step: str, _done: int, _total: int) -> None:
    return


class ListImporter:
    """Imports lists into one folder.

    Every failure is a ServiceError and does not change the lists in force: "list-unreadable" (no gzip, no PKCS#7,
    another text or XML), "list-columns" (unknown header of l_RFC), "list-signature", "list-refused" (older, of
    a future day, much smaller or incomplete), "list-busy" (another import is running), "list-storage" (it cannot be
    written).
    """

    def __init__(
        self,
        folder: Path,
        signers: ListSigners,
        columns: ListColumns,
        clock: Clock,
        *,
        max_part_bytes: int = MAX_PART_BYTES,
        on_published: Callable[[ListEdition, ListEdition | None], None] = lambda _new, _old: None,
        offload: Offload | None = None,
    ) -> None:
        """Import into `folder`.

        Args:
            signers: Decides which signatures are accepted.
            columns: What the operator tells about the content of the lists.
            clock: Wall time of the import.
            max_part_bytes: The maximum size of one decompressed part.
            on_published: Called with each list that came into force, and the one that it replaces.
            offload: Imports a large list in another process; None to import every list in this one.
        """
        self._offload = offload
        self.store = ListStore(folder)
        self._signers = signers
        self._columns = columns
        self._clock = clock
        self._max_part_bytes = max_part_bytes
        self._on_published = on_published

    def run(
        self,
        kind: ListKind,
        paths: Sequence[Path],
        *,
        dated: date | None = None,
        force: bool = False,
        published_at: datetime | None = None,
        on_progress: Progress = _silent,
    ) -> ListEdition:
        """Import a list and put it into force.

        The day of the list is that of its content (the root of the LCO, the first lines of 69-B, the newest exchange
        rate); else that of the file names; else `dated`; else that of the signature. Exchange rates are added to those
        in force; every other list replaces the list in force.

        Args:
            paths: All its parts.
            dated: The day of a list whose file names do not contain it.
            force: Accept a list that is older, of a future day or much smaller, and replace a damaged record of the
                lists in force.
            published_at: When the source published the files; None when that is not known.
            on_progress: Called while parts are read and rows are written.
        """
        edition, replaced = self.publish(
            kind, paths, dated=dated, force=force, published_at=published_at, on_progress=on_progress
        )
        self._on_published(edition, replaced)
        return edition

    def publish(
        self,
        kind: ListKind,
        paths: Sequence[Path],
        *,
        dated: date | None,
        force: bool,
        published_at: datetime | None,
        on_progress: Progress = _silent,
    ) -> tuple[ListEdition, ListEdition | None]:
        """Import a list as `run`, without calling `on_published`; return it with the list that it replaces."""
        if self._offload is not None and _size(paths) >= LARGE_BYTES:
            return self._offload(kind, paths, dated=dated, force=force, published_at=published_at)
        named = date_of_parts(kind, paths) or dated
        progress = ProgressCallback(paths, on_progress)
        try:
            with self.store.changing() as draft, ExitStack() as stack:
                rows = stack.enter_context(Spools(_make_folder(draft / "rows")))
                names = stack.enter_context(Spools(_make_folder(draft / "names")))
                before = self._in_force(kind, force=force)
                if before is not None and kind is ListKind.EXCHANGE_RATES:
                    _spool_all(rows, before)
                ingest = ListIngest(kind, self._columns, self._max_part_bytes, rows, names)
                for path in paths:
                    ingest.read_part(path, progress)
                dated = _day(named, ingest.result)
                self._require_sound(ingest.result, dated, may_be_empty=kind is ListKind.LCNE)
                edition, files = self._write_files(kind, dated, ingest.result, rows, names, draft, on_progress)
                if not force:
                    self._require_progress(edition)
                if before is not None:
                    edition = _compared(edition, before, PackedList(files[edition.file]))
                edition = replace(edition, published_at=published_at)
                replaced = self.store.publish(edition, files)
        except OSError as cause:
            raise ServiceError("list-storage", f"{cause.strerror or cause}.") from cause
        return edition, replaced

    def _in_force(self, kind: ListKind, *, force: bool) -> PackedList | None:
        """Return the list in force; None without one, or when it is damaged and `force` replaces it."""
        try:
            edition = self.store.editions().get(kind)
            return None if edition is None else PackedList(self.store.folder / edition.file)
        except (ServiceError, FileNotFoundError):
            if force:
                return None
            raise

    def _require_sound(self, result: IngestResult, dated: date, *, may_be_empty: bool) -> None:
        noon = datetime.combine(dated, time(12), CENTRAL_MEXICO)
        for signature in result.signatures:
            self._signers.require_trusted(signature.certificate, signature.others, signature.signed_at or noon)
        if not result.rows and not may_be_empty:
            raise ServiceError("list-unreadable", "La lista no trae ningún renglón.")
        if result.skipped > max(MIN_SKIPPED_ROWS, result.rows // ROWS_PER_SKIPPED_ROW):
            raise ServiceError("list-unreadable", f"La lista trae {result.skipped:,} renglones mal formados.")

    def _write_files(
        self,
        kind: ListKind,
        dated: date,
        result: IngestResult,
        rows: Spools,
        names: Spools,
        draft: Path,
        on_progress: Progress,
    ) -> tuple[ListEdition, dict[str, Path]]:
        stem = f"{kind.lower()}-{dated}-{secrets.token_hex(4)}"
        edition = ListEdition(
            kind=kind,
            dated=dated,
            file=f"{stem}.list",
            names=f"{stem}.names" if names.rows else "",
            fields=result.fields,
            rows=write_packed(
                draft / "list",
                rows,
                MERGE[kind],
                {"kind": kind, "dated": dated.isoformat(), "fields": list(result.fields)},
                lambda done, total: on_progress(f"{kind} {dated}", done, total),
            ),
            certificates=result.certificates,
            skipped=result.skipped,
            unusual=result.unusual,
            digest=result.signatures[0].digest if result.signatures else next(iter(result.parts.values())),
            signers=tuple(sorted({signature.certificate.number for signature in result.signatures})),
            signed_at=result.signatures[0].signed_at if result.signatures else None,
            imported_at=self._clock.now(),
            parts=result.parts,
        )
        files = {edition.file: draft / "list"}
        if edition.names:
            files[edition.names] = draft / "set"
            write_names(draft / "set", names)
        return edition, files

    def _require_progress(self, edition: ListEdition) -> None:
        latest = latest_day(edition.kind, self._clock.now())
        if edition.dated > latest:
            raise ServiceError("list-refused", f"La {edition.kind} es del {edition.dated}, un día que aún no llega.")
        current = self.store.editions().get(edition.kind)
        if current is None:
            return
        if edition.dated < current.dated <= latest:
            raise ServiceError(
                "list-refused", f"La {edition.kind} es del {edition.dated}, anterior a la vigente, del {current.dated}."
            )
        if edition.rows < current.rows * MIN_ROW_SHARE:
            raise ServiceError(
                "list-refused", f"La {edition.kind} trae {edition.rows:,} contribuyentes; la vigente, {current.rows:,}."
            )


def _day(named: date | None, result: IngestResult) -> date:
    day = result.dated or named
    if day is not None:
        return day
    signed = [signature.signed_at for signature in result.signatures if signature.signed_at is not None]
    if not signed:
        raise ServiceError("list-refused", "Ni el nombre ni el contenido dicen de qué día es la lista (--date).")
    return max(signed).astimezone(CENTRAL_MEXICO).date()


def _spool_all(spools: Spools, packed: PackedList) -> None:
    for number in range(PARTITIONS):
        spool_rows(spools, ((line[: line.index(b"|")], line + b"\n") for line in packed.partition(number)))


def _compared(edition: ListEdition, before: PackedList, after: PackedList) -> ListEdition:
    found = differences(before, after)
    return replace(edition, added=found.added, removed=found.removed, changed=found.changed)


def _make_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _size(paths: Sequence[Path]) -> int:
    try:
        return sum(path.stat().st_size for path in paths)
    except OSError:
        return 0  # reading names the file
