"""The services of reports, and the periodic jobs that record what reports show."""

from __future__ import annotations

import socket
from dataclasses import asdict
from typing import TYPE_CHECKING

import structlog

from timbra.app.child_processes import ChildProcesses
from timbra.app.parts import cached_property
from timbra.core.environments import ENVIRONMENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from timbra.archive.services import ArchiveServices
    from timbra.manifests.services import ManifestServices
    from timbra.reports.services import ReportServices

CLOCK_LOG = structlog.get_logger("timbra.clock")


class ReportJobs(ChildProcesses):
    """Reports of a provider, and what is recorded for them."""

    @cached_property
    def report_services(self) -> ReportServices:
        from timbra.app.reports import report_services

        return report_services(self)

    @cached_property
    def manifest_services(self) -> ManifestServices:
        from timbra.app.reports import manifest_services

        return manifest_services(self)

    @cached_property
    def archive_services(self) -> ArchiveServices:
        from timbra.app.reports import archive_services

        return archive_services(self, self.report_services.reports)

    def record_availability(self) -> None:
        """Record whether this worker is ready, as the probe of one minute; for a job that one worker of all runs."""
        from timbra.app.health_checks import checks
        from timbra.core.clock import CENTRAL_MEXICO
        from timbra.operations.availability import AvailabilityLog
        from timbra.operations.health import HealthChecks

        failing = HealthChecks(checks(self), self.backlog).run_checks()
        day = self.wall.now().astimezone(CENTRAL_MEXICO).date()
        AvailabilityLog(self.database).add(day, is_ready=not failing)

    def record_clock(self) -> None:
        """Write the reading of the machine's clock into the event log, and log an alarm; for a job of one worker.

        A sandbox has no alarm: the instants of its stamps prove nothing.
        """
        from timbra.reports.catalog import CLOCK_EVENT

        reading, problem = self.clock_discipline.read(), self.clock_discipline.problem()
        if problem is not None and not ENVIRONMENTS[self.settings.environment].is_sandbox:
            CLOCK_LOG.warning("clock not accurate", detail=problem)
        if reading is not None:
            self.event_log.record(CLOCK_EVENT, socket.gethostname(), asdict(reading))

    def archive_problems(self) -> Sequence[str]:
        """See `ListStores.archive_problems`; none without archives."""
        settings = self.settings
        has_archives = settings.archive_place or settings.retention_months
        return self.archive_services.archives.problems() if has_archives else ()

    def archive_months(self) -> None:
        """Write the archive of an ended month, or prune an old one; for a job of one worker of all nodes."""
        services = self.archive_services
        if not services.archives.run_due():
            services.retention.prune()
