"""The one table of operations: the router and the OpenAPI document are made from it."""

from __future__ import annotations

from timbra.api.endpoints import (
    acceptance,
    balances,
    cancellation,
    certificates,
    consulta,
    lookups,
    mail,
    pdf,
    receivers,
    relations,
    sandbox,
    security,
    service,
    stamping,
    stamps,
    storage,
    users,
    validation,
)
from timbra.api.operations import Operation

OPERATIONS: tuple[Operation, ...] = (
    *security.OPERATIONS,
    *stamping.OPERATIONS,
    *validation.OPERATIONS,
    *cancellation.OPERATIONS,
    *acceptance.OPERATIONS,
    *relations.OPERATIONS,
    *certificates.OPERATIONS,
    *stamps.OPERATIONS,
    *storage.OPERATIONS,
    *pdf.OPERATIONS,
    *mail.OPERATIONS,
    *lookups.OPERATIONS,
    *balances.OPERATIONS,
    *users.OPERATIONS,
    *service.OPERATIONS,
    *sandbox.OPERATIONS,
    *receivers.OPERATIONS,
    *consulta.OPERATIONS,
)
