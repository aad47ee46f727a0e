"""A run of all checks, and the repair of what is derived."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import structlog
from sqlalchemy.exc import DBAPIError

from timbra.container import Container
from timbra.core.errors import ServiceError
from timbra.core.features import features
from timbra.database.build import opened_database
from timbra.events.build import audit_recorder
from timbra.fsck.check import FsckCheck, FsckRun, Progress
from timbra.fsck.findings import Cure, FsckFinding, FsckReport, shown
from timbra.fsck.reading import is_damage
from timbra.fsck.stamp_rows import check_stamps
from timbra.fsck.structure import check_structure

LOG = structlog.get_logger("timbra.fsck")
MOST_FINDINGS = 10_000
"""Findings that a run keeps; it ends there, because a database of so many differences is restored."""

MOST_TOLD = 100
"""Repaired values that the event of the audit log has."""


def check_all(container: Container, progress: Progress = lambda _table, _read, _rows: None) -> FsckReport:
    """FsckRun every check. The server may run meanwhile. `progress`: as `FsckRun.progress`."""
    begun = time.monotonic()
    run = FsckRun(container, progress)
    found = list(islice(_findings(run), MOST_FINDINGS + 1))
    unique = list(dict.fromkeys(found[:MOST_FINDINGS]))
    rows = {str(table): number for table, number in run.rows.items()}
    return FsckReport(unique, len(found) <= MOST_FINDINGS, rows, round(time.monotonic() - begun, 3))


def repair(container: Container, report: FsckReport) -> list[FsckFinding]:
    """Write what is derived, each in a transaction of its own; return the findings that were repaired."""
    database = container.get(opened_database)
    done = []
    for finding in report.findings:
        if finding.repair is not None:
            with database.write() as connection:
                if finding.repair(connection):
                    done.append(finding)
    if done:
        values = [" ".join((each.place, each.key, each.column, each.stored, each.derived)) for each in done]
        container.get(audit_recorder).record("database.repaired", None, str(len(done)), {"values": values[:MOST_TOLD]})
    return done


def _findings(run: FsckRun) -> Iterator[FsckFinding]:
    checks: list[FsckCheck] = [each for feature in features() for each in feature.load(feature.checks, "CHECKS")]
    yield from _of_part("structure", check_structure(run))
    yield from _of_part("stamps", _of_stamps(run, checks))
    for each in checks:
        if each.run is not None:
            yield from _of_part(each.name, each.run(run))


def _of_stamps(run: FsckRun, checks: Sequence[FsckCheck]) -> Iterator[FsckFinding]:
    run.read_bounds()
    yield from check_stamps(run, [one for each in checks if each.observers for one in each.observers(run)])


def _of_part(name: str, findings: Iterable[FsckFinding]) -> Iterator[FsckFinding]:
    """Yield the findings of one part; damage that ends it is a finding, and the other parts go on."""
    try:
        yield from findings
    except (ServiceError, DBAPIError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # A damaged value may be one that no code expects.
        if not is_damage(error):
            raise
        LOG.warning("part of the check ended", part=name, error=repr(error))
        yield FsckFinding("part-failed", name, "", stored=shown(str(error)), cure=Cure.RESTORE)
