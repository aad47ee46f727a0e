"""The one table of operations: the router and the OpenAPI document are made from it."""

from __future__ import annotations

from timbra.api.endpoints import balances, certificates, sandbox, security, service, stamping, stamps, users, validation
from timbra.api.operations import Operation

OPERATIONS: tuple[Operation, ...] = (
    *security.OPERATIONS,
    *stamping.OPERATIONS,
    *validation.OPERATIONS,
    *certificates.OPERATIONS,
    *stamps.OPERATIONS,
    *balances.OPERATIONS,
    *users.OPERATIONS,
    *service.OPERATIONS,
    *sandbox.OPERATIONS,
)
