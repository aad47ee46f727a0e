"""The services of amounts, which endpoints receive by type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.evaluation.processes import DocumentProcesses
    from timbra.rules.engine.ports import ReferenceData


@dataclass(frozen=True, slots=True)
class AmountsServices:
    """What amounts are computed with.

    Attributes:
        reference_data: returns catalogs and time, without lists.
        processes: child processes for large invoices; None in a process that serves no other requests meanwhile.
    """

    reference_data: Callable[[], ReferenceData]
    processes: DocumentProcesses | None
