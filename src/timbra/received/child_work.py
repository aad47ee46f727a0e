"""The work of child processes for received documents: they read uploaded files and examine the documents."""

from __future__ import annotations

from timbra.pools.coroutines import run_coroutine
from timbra.received.examination import (
    MAX_MEMBERS,
    ExaminedEntry,
    Examiner,
    examine_entries,
    read_metadata_lines,
)
from timbra.received.files import Entry, Listing, UploadedFile, list_entries
from timbra.received.uploads import ChildWork
from timbra.validation.services import ValidationServices
from timbra.web.injection import Groups


def list_in_child(_groups: Groups, files: tuple[UploadedFile, ...]) -> Listing:
    """List the documents of uploaded files; runs in the child."""
    return list_entries(files, MAX_MEMBERS)


def examine_in_child(
    groups: Groups, entries: tuple[Entry, ...], account: str, require_stamp: bool, leniency: str | None = None
) -> list[ExaminedEntry]:
    """Examine documents; runs in the child."""
    return run_coroutine(examine_entries(_examiner(groups), entries, account, require_stamp, leniency))


def metadata_in_child(groups: Groups, entry: Entry, start: int) -> list[ExaminedEntry] | None:
    """Read lines of a metadata file; runs in the child."""
    return read_metadata_lines(_examiner(groups), entry, start)


def _examiner(groups: Groups) -> Examiner:
    services: ValidationServices = groups[ValidationServices]()
    return Examiner(services.validation, services.taxpayer_lookup)


CHILD_WORK = ChildWork(list_in_child, examine_in_child, metadata_in_child)
"""The functions that `ReceivedValidation` runs in child processes."""
