"""Construction of the services of invoices by hand."""

from __future__ import annotations

from timbra.accounts.certificates import certificate_services
from timbra.amounts.build import amounts_services
from timbra.cancellation.build import cancellation_services
from timbra.cfdi.to_json import JsonWriter
from timbra.container import Container
from timbra.database.build import opened_database
from timbra.documents.build import document_services
from timbra.invoices.services import InvoiceServices
from timbra.invoices.store import InvoiceRepository
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services
from timbra.validation.build import validation_services


def invoice_services(container: Container) -> InvoiceServices:
    """Build what the form reads, computes, reviews and stamps with."""
    get = container.get
    return InvoiceServices(
        get(stamping_services),
        get(validation_services),
        get(certificate_services),
        get(amounts_services),
        get(document_services),
        get(cancellation_services),
        JsonWriter(get(opened_snapshot)),
        InvoiceRepository(get(opened_database)),
        container.wall,
    )


SERVICES = {InvoiceServices: invoice_services}
