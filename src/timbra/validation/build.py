"""Construction of validation."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial

from timbra.catalogs.build import catalog_search, latest_catalogs
from timbra.cfdi.build import document_parser
from timbra.cfdi.document import Document
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.clock import CENTRAL_MEXICO
from timbra.evaluation.build import document_processes
from timbra.evaluation.processes import DocumentProcesses
from timbra.pools.coroutines import run_coroutine
from timbra.rendering.build import view_reader
from timbra.sat.ports import status_service
from timbra.stamping.build import evaluation_checks
from timbra.stamping.models import DocumentKind
from timbra.validation.fix_service import FixService
from timbra.validation.models import ExaminedReport, ValidationReport
from timbra.validation.ports import current_presumptions, current_taxpayers, provider_certificates
from timbra.validation.services import ValidationServices
from timbra.validation.taxpayer_lookup import TaxpayerLookup
from timbra.validation.validation import RunCostly, Validate, ValidationService, run_here
from timbra.web.injection import Groups


def validation_services(container: Container) -> ValidationServices:
    """Build validation of documents, taxpayer look-up and status queries."""
    get = container.get
    processes, status, certificates = get(document_processes), get(status_service), get(provider_certificates)
    run_costly = run_here if processes is None else _in_processes(processes)
    seconds, clock = container.settings.sat_timeout_seconds, get(fiscal_clock)
    return ValidationServices(
        validation=ValidationService(get(evaluation_checks), status, certificates, seconds, run_costly),
        parser=get(document_parser),
        views=view_reader(container),
        taxpayer_lookup=TaxpayerLookup(get(current_taxpayers), get(current_presumptions)),
        catalogs=get(catalog_search),
        today=lambda: clock.now().astimezone(CENTRAL_MEXICO).date(),
        fixes=FixService(get(evaluation_checks), get(latest_catalogs)),
        status_service=status,
        provider_certificates=certificates,
    )


def _in_processes(processes: DocumentProcesses) -> RunCostly:
    """Return the `run_costly` of a `ValidationService` that has child processes for costly documents."""

    def run_costly(
        here: Validate, xml: bytes, account: str, require_stamp: bool, kind: DocumentKind | None, leniency: str | None
    ) -> Awaitable[tuple[Document, ValidationReport] | ExaminedReport]:
        work = (examine_in_child, xml, account, require_stamp, kind, leniency)
        return processes.run_costly(xml, here, partial(processes.run, account, None, *work, size=len(xml)))

    return run_costly


def examine_in_child(
    groups: Groups, xml: bytes, account: str, require_stamp: bool, kind: DocumentKind | None, leniency: str | None
) -> ExaminedReport:
    """Examine a document; runs in the child. The parent queries its status afterwards."""
    services: ValidationServices = groups[ValidationServices]()
    examine = services.validation.examine_document
    return run_coroutine(examine(xml, account, require_stamp=require_stamp, kind=kind, leniency=leniency))[1]


SERVICES = {ValidationServices: validation_services}
