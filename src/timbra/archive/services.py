"""The services of archives, which commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.archive.export import ArchiveExport
    from timbra.archive.monthly import MonthlyArchives
    from timbra.archive.retention import Retention
    from timbra.core.clock import Clock
    from timbra.events.recorder import EventRecorder


@dataclass(frozen=True, slots=True)
class ArchiveServices:
    """Archives.

    Attributes:
        archive: writes the archive of any period.
        archives: writes and records the archives of months.
        retention: deletes what is older than the term and archived.
        events: the event log.
    """

    archive: ArchiveExport
    archives: MonthlyArchives
    retention: Retention
    events: EventRecorder
    wall: Clock
