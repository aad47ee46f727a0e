"""Construction of the check of a data folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from timbra.container import Container
from timbra.core.features import features
from timbra.database.build import opened_database
from timbra.fsck.check import FsckSource, Progress
from timbra.fsck.checking import check_all, repair
from timbra.fsck.findings import FsckFinding, FsckReport
from timbra.fsck.row_digests import DigestJob
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob


@dataclass(frozen=True, slots=True)
class FsckServices:
    """The check of a data folder, and the repair of what is derived."""

    check: Callable[[Progress], FsckReport]
    repair: Callable[[FsckReport], list[FsckFinding]]


def fsck_services(container: Container) -> FsckServices:
    """Build the check of the data folder of a container."""
    return FsckServices(partial(check_all, container), partial(repair, container))


def source_of(path: str) -> FsckSource | None:
    """Return the source of a path; None for a data folder."""
    sources: list[FsckSource] = [each for one in features() for each in one.load(one.check_sources, "SOURCES")]
    return next((each for each in sources if each.matches(path)), None)


def digest_job(container: Container) -> DigestJob:
    """Build the job that writes the digests of rows."""
    return DigestJob(container.get(opened_database), container.wall)


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    return [once_in_cluster(container, "row digests", 60, container.get(digest_job).run)]


JOBS = FeatureJobs(delivery=_delivery_jobs)
SERVICES = {FsckServices: fsck_services}
