"""Construction of validation."""

from __future__ import annotations

from functools import partial

from timbra.cfdi.build import document_parser
from timbra.container import Container
from timbra.evaluation.build import document_processes
from timbra.rendering.build import view_reader
from timbra.sat.ports import status_service
from timbra.stamping.build import evaluation_checks
from timbra.validation.offloading import OffloadingValidationService
from timbra.validation.ports import current_presumptions, current_taxpayers, provider_certificates
from timbra.validation.services import ValidationServices
from timbra.validation.taxpayer_lookup import TaxpayerLookup
from timbra.validation.validation import ValidationService


def validation_services(container: Container) -> ValidationServices:
    """Build validation of documents, taxpayer look-up and status queries."""
    get = container.get
    processes, status, certificates = get(document_processes), get(status_service), get(provider_certificates)
    use_case = ValidationService if processes is None else partial(OffloadingValidationService, processes)
    return ValidationServices(
        validation=use_case(get(evaluation_checks), status, certificates, container.settings.sat_timeout_seconds),
        parser=get(document_parser),
        views=view_reader(container),
        taxpayer_lookup=TaxpayerLookup(get(current_taxpayers), get(current_presumptions)),
        status_service=status,
        provider_certificates=certificates,
    )


SERVICES = {ValidationServices: validation_services}
