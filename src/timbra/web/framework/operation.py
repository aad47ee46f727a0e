"""Declarations of operations: the router and the OpenAPI document are built from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from starlette.responses import Response

from timbra.core.errors import ServiceError

Endpoint = Callable[..., Awaitable[Response]]
"""Called with the request; annotated parameters after it are groups of services, see `bind_services`."""


class OperationAccess(Enum):
    """Who may call an operation.

    Attributes:
        PUBLIC: Any client.
        ACCOUNT: An authenticated account.
        ADMINISTRATOR: An authenticated administrator.
        MONITOR: A client that may read the metrics, see `timbra.web.framework.application`.
    """

    PUBLIC = "public"
    ACCOUNT = "account"
    ADMINISTRATOR = "administrator"
    MONITOR = "monitor"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A path, query or header parameter.

    Attributes:
        name: Name, without case in queries and headers.
        place: "path", "query" or "header".
        description: Text of the OpenAPI document.
        choices: Allowed values; empty for any.
        required: Whether a request must have it.
    """

    name: str
    place: str
    description: str
    choices: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Payload:
    """A media type that an operation accepts as request body.

    Attributes:
        media_type: Content-Type.
        schema: Name of a component schema.
    """

    media_type: str
    schema: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation under one or more path templates.

    Attributes:
        name: Unique name; the metrics label requests with it.
        method: HTTP method; GET includes HEAD.
        paths: Path templates, such as `/cfdi33/{operation}/{version}`.
        endpoint: Handles the request.
        summary: Title in the OpenAPI document.
        tag: Group in the OpenAPI document.
        answer: Component schema of a successful response; "file" for bytes, "nothing" for 204.
        access: Who may call the operation.
        description: Further text of the OpenAPI document.
        choices: Values by placeholder, for those with a closed set; other placeholders match any one segment,
            `{rest}` at the end of a path any number of segments.
        parameters: Query and header parameters, and descriptions of path parameters.
        payloads: Accepted request bodies.
        rejections: Errors of bad input, which the OpenAPI document shows as examples.
        logs_rejections: Whether errors of the endpoint are written to the account's rejection log.
        authority_down_code: Code of the contract while the tax authority does not respond.
        success_status: HTTP status of a success that has a body.
        failures: Descriptions of further error statuses, by status.
        error_answers: Component schemas of an error status whose answers are not those of "Rejection" only, by status.
        media_types: Media types of an answer that is a "file".
    """

    name: str
    method: str
    paths: tuple[str, ...]
    endpoint: Endpoint
    summary: str
    tag: str
    answer: str
    access: OperationAccess = OperationAccess.ACCOUNT
    description: str = ""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    payloads: tuple[Payload, ...] = ()
    rejections: tuple[ServiceError, ...] = ()
    logs_rejections: bool = False
    authority_down_code: str = "CO1000"
    success_status: int = 200
    failures: Mapping[str, str] = field(default_factory=dict)
    error_answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    media_types: tuple[str, ...] = ("application/octet-stream",)
