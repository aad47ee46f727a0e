"""The declarative form of a route: routing and OpenAPI both come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from starlette.responses import Response

Endpoint = Callable[..., Awaitable[Response]]
"""Takes the request, and the groups of services that its parameters are annotated with; see `bind_services`."""


class OperationAccess(Enum):
    """Who may call. MONITOR: no account; see `timbra.api.framework.metrics_access`."""

    PUBLIC = "public"
    ACCOUNT = "account"
    ADMINISTRATOR = "administrator"
    MONITOR = "monitor"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A path, query or header parameter. choices: allowed values, empty for any. place: `path`, `query`, `header`."""

    name: str
    place: str
    description: str
    choices: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Payload:
    """A request body. schema: name of a component schema."""

    media_type: str
    schema: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation under one or more path templates.

    paths: templates such as `/cfdi33/{operation}/{version}`. choices: the values of a placeholder, for those that have
    a closed set; the others match one segment of any text. answer: component schema of success, `file` for bytes,
    `nothing` for 204. logs_rejections: errors of the endpoint go to the account's rejection log.
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
    logs_rejections: bool = False
