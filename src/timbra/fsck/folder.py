"""Files of the data folder that repeat what the database has: its environment, the newest head of the audit log."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from timbra.audit.signed_chain import HEAD_FILE, write_head
from timbra.container.build import data_folder
from timbra.container.folder_environment import FILE as ENVIRONMENT_FILE
from timbra.database.generation import FILE as GENERATION_FILE
from timbra.database.generation import SIZE
from timbra.events.audit.chain import AuditHead, newest_head
from timbra.fsck.check import FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, shown


def check_folder(run: FsckRun) -> Iterator[FsckFinding]:
    """Compare the files with what they repeat."""
    folder = run.container.get(data_folder)
    expected = run.container.settings.environment + "\n"
    environment = folder / ENVIRONMENT_FILE
    found = environment.read_bytes() if environment.exists() else b""
    if found != expected.encode():

        def write_environment(_connection: object) -> bool:
            environment.write_text(expected)
            return True

        yield FsckFinding(
            "file-differs", ENVIRONMENT_FILE, "", "", shown(found), expected.strip(), Cure.REPAIR, write_environment
        )
    generation = folder / GENERATION_FILE
    if generation.exists() and generation.stat().st_size != SIZE:
        yield FsckFinding("file-differs", GENERATION_FILE, "", stored=str(generation.stat().st_size), derived=str(SIZE))
    with run.database.read() as connection:
        head = newest_head(connection)
    file = folder / HEAD_FILE
    if head is not None and file.exists() and file.read_bytes() != _content(head):
        yield from _head_findings(run, head)


def _head_findings(run: FsckRun, head: AuditHead) -> Iterator[FsckFinding]:
    """Compare again, because a new head is written into the database before its file."""
    folder = run.container.get(data_folder)
    file = folder / HEAD_FILE
    stored = file.read_bytes()
    with run.database.read() as connection:
        newest = newest_head(connection)
    if newest != head or stored == _content(head):
        return

    def write(_connection: object) -> bool:
        file.unlink()
        write_head(folder, head)
        return True

    # A file that names a later head is the only trace of rows that were removed.
    later = _sequence(stored) > head.sequence
    values = (shown(stored), shown(_content(head)))
    if later:
        yield FsckFinding("file-differs", HEAD_FILE, "", "", *values, Cure.DECIDE)
    else:
        yield FsckFinding("file-differs", HEAD_FILE, "", "", *values, Cure.REPAIR, write)


def _sequence(content: bytes) -> int:
    try:
        return int(orjson.loads(content)["sequence"])
    except (ValueError, KeyError, TypeError):
        return 0


def _content(head: AuditHead) -> bytes:
    return orjson.dumps({"sequence": head.sequence, "hash": head.hash.hex(), "at": head.at, "key": head.key_id})


CHECKS = (FsckCheck("data folder", check_folder),)
