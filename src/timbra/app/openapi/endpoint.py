"""The operation that serves the OpenAPI document of all operations, itself included."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.responses import Response

from timbra.web.framework.operation import Operation, OperationAccess
from timbra.web.framework.request_context import RequestContext, json_response


def openapi_operation(operations: Callable[[], Sequence[Operation]]) -> Operation:
    """Return the operation of `GET /openapi.json`.

    Args:
        operations: Returns the whole table; called at the first request.
    """
    documents: list[object] = []

    async def openapi(_: RequestContext) -> Response:
        """Answer with the OpenAPI document, which is built once for each process."""
        if not documents:
            from timbra.app.openapi.document import build_document

            documents.append(build_document(operations()))
        return json_response(documents[0])

    return Operation(
        name="openapi",
        method="GET",
        paths=("/openapi.json",),
        endpoint=openapi,
        summary="This document",
        tag="service",
        answer="OpenApi",
        access=OperationAccess.PUBLIC,
    )
