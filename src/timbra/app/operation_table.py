"""The table of all operations: the router and the OpenAPI document are built from it."""

from __future__ import annotations

from timbra.app.openapi.endpoint import openapi_operation
from timbra.core.features import features
from timbra.web.framework.operation import Operation

OPERATIONS: tuple[Operation, ...] = (
    *(operation for feature in features() for operation in feature.load(feature.operations, "OPERATIONS")),
    openapi_operation(lambda: OPERATIONS),
)
