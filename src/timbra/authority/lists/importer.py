"""Imports the SAT's published lists: verified, packed beside the list in force, then swapped."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date, datetime, time
from pathlib import Path

from timbra.authority.lists.ingest import IngestResult, ListIngest, Progress, ProgressCallback
from timbra.authority.lists.list_store import ListEdition, ListStore
from timbra.authority.lists.packed.name_set import write_names
from timbra.authority.lists.packed.table_writer import Spools, joined, last_wins, write_packed
from timbra.authority.lists.signer_policy import ListSigners
from timbra.authority.lists.sources.part_file import LARGEST
from timbra.authority.lists.sources.part_names import ListKind, date_of_parts
from timbra.clock import CENTRAL_MEXICO, Clock
from timbra.errors import ServiceError

LEAST_SHARE = 0.9
"""A list with fewer of the rows of the one before is taken for a broken one."""
MOST_SKIPPED = 1000
"""One row in so many may be malformed; of a small list `FEW_SKIPPED`."""
FEW_SKIPPED = 10
MERGE = {ListKind.LCO: joined, ListKind.LRFC: last_wins}


def _silent(_step: str, _done: int, _total: int) -> None:
    return


class ListImporter:
    """Imports into one folder. columns: header names of l_RFC to fields. clock: wall time, for the record.

    Every failure is a ServiceError and leaves the lists in force as they are: "list-unreadable" (no gzip, no PKCS#7,
    no such text or XML), "list-columns" (unknown header of l_RFC), "list-signature", "list-refused" (older, much
    smaller or incomplete), "list-busy" (another import is running), "list-storage" (it cannot be written).
    """

    def __init__(
        self,
        folder: Path,
        signers: ListSigners,
        columns: Mapping[str, str],
        clock: Clock,
        *,
        largest: int = LARGEST,
    ) -> None:
        self.shelf = ListStore(folder)
        self._signers = signers
        self._columns = columns
        self._clock = clock
        self._largest = largest

    def run(
        self,
        kind: ListKind,
        paths: Sequence[Path],
        *,
        dated: date | None = None,
        force: bool = False,
        told: Progress = _silent,
    ) -> ListEdition:
        """Brings the list that all these parts make up into force.

        dated: the day of a list whose file names do not tell it. The root of the LCO may tell it too and goes before
        both; last comes the day of the signature. force: accept a list that is older or much smaller, and replace a
        damaged record of the lists in force.
        """
        named = date_of_parts(kind, paths) or dated
        gauge = ProgressCallback(paths, told)
        try:
            with self.shelf.changing() as workshop, ExitStack() as stack:
                rows = stack.enter_context(Spools(_made(workshop / "rows")))
                names = stack.enter_context(Spools(_made(workshop / "names")))
                taker = ListIngest(kind, self._columns, self._largest, rows, names)
                for path in paths:
                    taker.take(path, gauge)
                dated = _day(named, taker.taken)
                self._demand_sound(taker.taken, dated)
                edition, made = self._packed(kind, dated, taker.taken, rows, names, workshop, told)
                if not force:
                    self._demand_progress(edition)
                self.shelf.publish(edition, made)
        except OSError as cause:
            raise ServiceError("list-storage", f"{cause.strerror or cause}.") from cause
        return edition

    def _demand_sound(self, taken: IngestResult, dated: date) -> None:
        noon = datetime.combine(dated, time(12), CENTRAL_MEXICO)
        for signature in taken.signatures:
            self._signers.demand(signature.certificate, signature.others, signature.signed_at or noon)
        if not taken.rows:
            raise ServiceError("list-unreadable", "La lista no trae ningún contribuyente.")
        if taken.skipped > max(FEW_SKIPPED, taken.rows // MOST_SKIPPED):
            raise ServiceError("list-unreadable", f"La lista trae {taken.skipped:,} renglones mal formados.")

    def _packed(
        self,
        kind: ListKind,
        dated: date,
        taken: IngestResult,
        rows: Spools,
        names: Spools,
        workshop: Path,
        told: Progress,
    ) -> tuple[ListEdition, dict[str, Path]]:
        stem = f"{kind.lower()}-{dated}-{secrets.token_hex(4)}"
        edition = ListEdition(
            kind=kind,
            dated=dated,
            file=f"{stem}.list",
            names=f"{stem}.names" if names.rows else "",
            fields=taken.fields,
            rows=write_packed(
                workshop / "list",
                rows,
                MERGE[kind],
                {"kind": kind, "dated": dated.isoformat(), "fields": list(taken.fields)},
                lambda done, total: told(f"{kind} {dated}", done, total),
            ),
            certificates=taken.certificates,
            skipped=taken.skipped,
            unusual=taken.unusual,
            digest=taken.signatures[0].digest,
            signers=tuple(sorted({signature.certificate.number for signature in taken.signatures})),
            signed_at=taken.signatures[0].signed_at,
            imported_at=self._clock.now(),
            parts=taken.parts,
        )
        made = {edition.file: workshop / "list"}
        if edition.names:
            made[edition.names] = workshop / "set"
            write_names(workshop / "set", names)
        return edition, made

    def _demand_progress(self, edition: ListEdition) -> None:
        current = self.shelf.editions().get(edition.kind)
        if current is None:
            return
        if edition.dated < current.dated:
            raise ServiceError(
                "list-refused", f"La {edition.kind} es del {edition.dated}, anterior a la vigente, del {current.dated}."
            )
        if edition.rows < current.rows * LEAST_SHARE:
            raise ServiceError(
                "list-refused", f"La {edition.kind} trae {edition.rows:,} contribuyentes; la vigente, {current.rows:,}."
            )


def _day(named: date | None, taken: IngestResult) -> date:
    day = taken.dated or named
    if day is not None:
        return day
    signed = [signature.signed_at for signature in taken.signatures if signature.signed_at is not None]
    if not signed:
        raise ServiceError("list-refused", "Ni el nombre ni el contenido dicen de qué día es la lista (--date).")
    return max(signed).astimezone(CENTRAL_MEXICO).date()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
