"""Validation of costly documents in child processes."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from timbra.evaluation.dependencies import Dependencies
from timbra.evaluation.processes import DocumentProcesses
from timbra.pools import RunInThread
from timbra.pools.coroutines import run_coroutine
from timbra.stamping.models import DocumentKind
from timbra.validation.background_queries import ProviderCertificates
from timbra.validation.models import ExaminedReport, ValidationReport
from timbra.validation.services import ValidationServices
from timbra.validation.validation import ValidationService
from timbra.web.injection import Groups

if TYPE_CHECKING:
    from timbra.sat.port import StatusService


class OffloadingValidationService(ValidationService):
    """Validates documents as `ValidationService`, costly ones in child processes, with the same reports.

    The status of a document that a child examined is queried after its examination, by the parent.

    Args:
        processes: the child processes.
        dependencies, status, certificates, seconds: as for `ValidationService`.
    """

    def __init__(
        self,
        processes: DocumentProcesses,
        dependencies: Dependencies,
        status: StatusService | None,
        certificates: ProviderCertificates | None,
        seconds: float,
    ) -> None:
        super().__init__(dependencies, status, certificates, seconds)
        self._processes = processes

    async def validate(
        self,
        xml: bytes,
        with_status: bool,
        account: str = "",
        run_in_thread: RunInThread = asyncio.to_thread,
        *,
        require_stamp: bool = False,
        kind: DocumentKind | None = None,
        leniency: str | None = None,
    ) -> ValidationReport:
        here = partial(
            super().validate,
            xml,
            with_status,
            account,
            run_in_thread,
            require_stamp=require_stamp,
            kind=kind,
            leniency=leniency,
        )
        found = await self._processes.run_costly(
            xml, here, account, None, examine_in_child, xml, account, require_stamp, kind, leniency
        )
        return await self.with_status(found, with_status, account) if isinstance(found, ExaminedReport) else found


def examine_in_child(
    groups: Groups,
    xml: bytes,
    account: str,
    require_stamp: bool,
    kind: DocumentKind | None,
    leniency: str | None = None,
) -> ExaminedReport:
    """Examine a document; runs in the child."""
    services: ValidationServices = groups[ValidationServices]()
    examined = services.validation.examine(xml, account, require_stamp=require_stamp, kind=kind, leniency=leniency)
    return run_coroutine(examined)
