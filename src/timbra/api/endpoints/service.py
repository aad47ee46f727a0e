"""What the service says of itself: its health and its OpenAPI document."""

from __future__ import annotations

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.operations import Access, Operation
from timbra.api.wire import success


async def health(exchange: Exchange) -> Response:
    """That this worker answers, and with which data."""
    return json_answer(success(dict(exchange.house.health())))


async def openapi(_: Exchange) -> Response:
    """The OpenAPI document of this very table of routes."""
    from timbra.api.openapi import document

    return json_answer(document())


OPERATIONS = (
    Operation(
        name="health",
        method="GET",
        paths=("/health",),
        endpoint=health,
        summary="Whether the service answers, and with which data",
        tag="service",
        answer="Health",
        access=Access.PUBLIC,
    ),
    Operation(
        name="openapi",
        method="GET",
        paths=("/openapi.json",),
        endpoint=openapi,
        summary="This document",
        tag="service",
        answer="OpenApi",
        access=Access.PUBLIC,
    ),
)
