"""The one table of operations: the router and the OpenAPI document are made from it."""

from __future__ import annotations

from timbra.api.endpoints import certificates, sandbox, security, service, stamping, stamps, validation
from timbra.api.operations import Operation

OPERATIONS: tuple[Operation, ...] = (
    *security.OPERATIONS,
    *stamping.OPERATIONS,
    *validation.OPERATIONS,
    *certificates.OPERATIONS,
    *stamps.OPERATIONS,
    *service.OPERATIONS,
    *sandbox.OPERATIONS,
)
