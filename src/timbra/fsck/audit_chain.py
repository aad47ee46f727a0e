"""The chain of the audit log, its signed heads, and the file of the newest head."""

from __future__ import annotations

from collections.abc import Iterator

from timbra.audit.build import audit_log
from timbra.core.errors import ServiceError
from timbra.database.tables.audit import AUDIT_EVENT, AUDIT_LINK
from timbra.fsck.check import FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding


def check_chain(run: FsckRun) -> Iterator[FsckFinding]:
    """Verify the audit log, as `timbra audit verify` does."""
    try:
        found = run.container.get(audit_log).verify()
    except ServiceError as error:
        if error.code == "CO1000":
            raise
        yield FsckFinding("key-unusable", "audit_key", "", stored=error.code, cure=Cure.RESTORE)
        return
    run.count(AUDIT_LINK.name, found.links)
    for each in found.findings:
        key = str(each.sequence or each.event_id or "")
        yield FsckFinding("audit-differs", AUDIT_EVENT.name, key, stored=each.kind, cure=Cure.RESTORE)


CHECKS = (FsckCheck("audit log", check_chain),)
