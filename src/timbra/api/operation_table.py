"""The table of all operations: the router and the OpenAPI document are built from it."""

from __future__ import annotations

from timbra.api.endpoints import (
    acceptance,
    account_users,
    authentication,
    balances,
    batch_soap,
    batches,
    cancellation,
    certificates,
    mail,
    operations,
    pdf,
    relations,
    retenciones,
    stamping,
    stamps,
    storage,
    taxpayer_lookup,
    users,
    validation,
    webhooks,
)
from timbra.api.endpoints.sandbox import cancellation_replies, controls, retenciones_page, state, status_service
from timbra.api.framework.operation import Operation
from timbra.api.openapi.endpoint import openapi_operation

OPERATIONS: tuple[Operation, ...] = (
    *authentication.OPERATIONS,
    *stamping.OPERATIONS,
    *retenciones.OPERATIONS,
    *validation.OPERATIONS,
    *cancellation.OPERATIONS,
    *acceptance.OPERATIONS,
    *relations.OPERATIONS,
    *certificates.OPERATIONS,
    *stamps.OPERATIONS,
    *storage.OPERATIONS,
    *pdf.OPERATIONS,
    *mail.OPERATIONS,
    *taxpayer_lookup.OPERATIONS,
    *balances.OPERATIONS,
    *users.OPERATIONS,
    *account_users.OPERATIONS,
    *webhooks.OPERATIONS,
    *batches.OPERATIONS,
    *batch_soap.OPERATIONS,
    *operations.OPERATIONS,
    openapi_operation(lambda: OPERATIONS),
    *controls.OPERATIONS,
    *state.OPERATIONS,
    *cancellation_replies.OPERATIONS,
    *status_service.OPERATIONS,
    *retenciones_page.OPERATIONS,
)
