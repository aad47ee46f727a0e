"""The services of reports, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.core.clock import Clock
    from timbra.reports.catalog import Reports


@dataclass(frozen=True, slots=True)
class ReportServices:
    """Reports."""

    reports: Reports
    wall: Clock
