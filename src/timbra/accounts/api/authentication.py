"""Authentication: credentials in a JSON body or in headers, on either route."""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.api.serializers import session_answer
from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.web.envelopes import success
from timbra.web.framework.operation import Operation, OperationAccess, Parameter, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.decoding import decode_text
from timbra.web.parsing.json_body import json_object, lower_keys

MAX_BODY_BYTES = 64 * 1024


async def authenticate(request: RequestContext, services: AccountServices) -> Response:
    """Answer with a session token of two hours.

    Raises:
        ServiceError: "AU2000" without user or password, and those of `Accounts.authenticate`.
    """
    body = await request.body(MAX_BODY_BYTES)
    user, password = _from_json(body) or _from_headers(request)
    if not user or not password:
        raise ServiceError("AU2000")
    session = await services.accounts.authenticate(user, password, request.client_account)
    return json_response(success(session_answer(session)))


def _from_json(body: bytes) -> tuple[str, str] | None:
    """User and password of a JSON body; None for an empty body, or one without both members.

    A body that is not JSON is a wrong login, AU2000: one client sends a truncated body.
    """
    if not body.strip():
        return None
    try:
        members = lower_keys(json_object(body))
    except ServiceError as error:
        raise ServiceError("AU2000", error.detail) from error
    if "user" not in members and "password" not in members:
        return None
    user, password = members.get("user"), members.get("password")
    return (user, password) if isinstance(user, str) and isinstance(password, str) else ("", "")


def _from_headers(request: RequestContext) -> tuple[str, str]:
    headers = request.headers
    return _header_text(headers.get("user", "")), _header_text(headers.get("password", ""))


def _header_text(value: str) -> str:
    """Decode a header, which arrives as Latin-1 text, as UTF-8 when it is valid UTF-8."""
    return decode_text(value.encode("latin-1"))


OPERATIONS = (
    Operation(
        name="authenticate",
        method="POST",
        paths=("/v2/security/authenticate", "/security/authenticate"),
        endpoint=authenticate,
        summary="Get a session token",
        description="Credentials in the JSON body or in the headers `user` and `password`.",
        tag="security",
        answer="Session",
        access=OperationAccess.PUBLIC,
        parameters=(
            Parameter("user", "header", "User name, when not in the body."),
            Parameter("password", "header", "Password, when not in the body."),
        ),
        payloads=(Payload("application/json", "Credentials"),),
    ),
)
