"""One HTTP request as a page handler sees it: caller, fields, thread pools and rendering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import structlog
from jinja2 import Environment
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Message, Receive

from timbra.cfdi.qr import VerificationPages
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.core.metrics import INTERNAL_ERRORS
from timbra.core.origin import Origin
from timbra.core.text import find_unstorable, storable
from timbra.pools import AccountPools, address_account
from timbra.web.framework.base_url import base_url_of, verification_pages_of
from timbra.web.framework.scope_state import mark_authenticated
from timbra.web.parsing.content_encoding import inflated
from timbra.web.parsing.request_body import (
    ANONYMOUS_FRACTION,
    LARGE_BODY_FRACTION,
    MemoryBudget,
    minimum_rate,
    read_body,
)
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.field_errors import FieldError, fields_of
from timbra.web.portal.dispatch.theme import theme_of
from timbra.web.public_errors import to_public_error

if TYPE_CHECKING:
    from timbra.web.portal.dispatch.environment import PageEnvironment
    from timbra.web.portal.dispatch.menu import MenuEntry
    from timbra.web.portal.dispatch.page import SessionStep

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.portal")

MAX_FIELDS = 200
MAX_FIELD_BYTES = 64 * 1024
"""Maximum size of a field that is not a file."""
CHUNK_BYTES = 64 * 1024
TOO_MANY_FILES = "Too many files"
"""Beginning of the detail of the form parser's error."""


@dataclass(slots=True)
class PageRequest:
    """One request for a page.

    Attributes:
        environment: Profile of the environment, limits, metrics and thread pools.
        request: The HTTP request.
        templates: Jinja environment of the pages.
        caller: The signed-in user; None without a session.
        csrf_secret: The session token, or the visitor id without a session.
        menu: Entries of the navigation.
        max_bytes: Maximum size of the form body.
        step: What the session waits for; None when its user may open every page of the account.
    """

    environment: PageEnvironment
    request: Request
    templates: Environment
    caller: Caller | None
    csrf_secret: str
    menu: tuple[MenuEntry, ...] = ()
    max_bytes: int = 64 * 1024
    step: SessionStep | None = None
    _memory_budget: MemoryBudget | None = None

    @property
    def account(self) -> Caller:
        """The caller of a page that requires an account. HTTPException(401) without one."""
        if self.caller is None:
            raise HTTPException(401)
        return self.caller

    @property
    def client_account(self) -> str:
        """The account under which pools count an anonymous client, see `pools.address_account`."""
        return client_account(self.request)

    def origin(self) -> Origin:
        """Return actor, address and request for the audit log."""
        address = self.request.client.host if self.request.client else ""
        request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
        if self.caller is None:
            return Origin("anonymous", address=address, request_id=request_id)
        return Origin("user", self.caller.user, self.caller.account_id, address, request_id)

    @property
    def pools(self) -> AccountPools:
        """The worker's thread pools, used as the caller's account, or as the address of an anonymous client."""
        account = str(self.caller.account_id) if self.caller else self.client_account
        return AccountPools(self.environment.requests.pools, account)

    @property
    def secure(self) -> bool:
        """Whether cookies are sent over HTTPS only."""
        return sessions.is_secure(self.request, self.environment.requests.public_url)

    @property
    def verification_pages(self) -> VerificationPages:
        """Addresses of the pages that the QR codes of printed documents lead to."""
        host = self.request.headers.get("host", "")
        return verification_pages_of(self.environment.requests, self.request.scope, host)

    @property
    def base_url(self) -> str:
        """The address of this server, as clients of the API write it."""
        host = self.request.headers.get("host", "")
        return base_url_of(self.environment.requests, self.request.scope, host)

    def query(self, name: str) -> str:
        """Return a parameter of the query string, stripped, as `storable` text; empty when absent."""
        return storable(self.request.query_params.get(name, "").strip())

    def path_parameter(self, name: str) -> str:
        """Return a parameter of the path. HTTPException(404) when it has unprintable characters."""
        text = str(self.request.path_params[name])
        if not text.isprintable():
            raise HTTPException(404)
        return text

    async def has_session(self) -> bool:
        """Whether the session of the request is still valid; for an answer that outlasts it."""
        authenticate = self.environment.requests.authenticate
        try:
            caller = await authenticate(f"Bearer {self.csrf_secret}", self.pools.run_database)
        except ServiceError as error:
            # A database out of reach does not end a session.
            return error.retry_after is not None
        return caller.account_id == self.account.account_id

    async def form(
        self, *, max_files: int = 0, max_field_bytes: int = MAX_FIELD_BYTES, max_fields: int = MAX_FIELDS
    ) -> FormData:
        """Read a form after CSRF protection.

        Before the body is read, the server checks the origin and the CSRF token of the header or of the URL; a form
        with files must carry one of these two. Otherwise the token of the form field is verified after the body.

        Args:
            max_files: Number of files that the form may carry.
            max_field_bytes: Maximum size of a field that is not a file.
            max_fields: Number of fields that the form may have.

        Raises:
            ServiceError: "TB4005" for more files than `max_files`.
            HTTPException: 403 without a valid CSRF token or from another origin, 400 when the body is not a form.
            BodyRejectedError: As `read_body`.
        """
        verified = self._has_csrf_token_before_body()
        if not verified and (max_files or not sessions.has_cookie(self.request, secure=self.secure)):
            raise HTTPException(403)
        if not sessions.is_same_origin(self.request):
            raise HTTPException(403)
        form = await self._read_form(max_files, max_field_bytes, max_fields)
        if not verified and not self._has_csrf_field(form):
            raise HTTPException(403)
        return form

    async def unverified_form(self, *, max_files: int, max_field_bytes: int) -> FormData:
        """Read a form whose CSRF token cannot be verified; the caller changes nothing with it.

        Args:
            max_files, max_field_bytes: as for `form`.
        """
        return await self._read_form(max_files, max_field_bytes)

    def upload_url(self, path: str) -> str:
        """Return the action of a form with files: the path with a CSRF token that is valid for this path only."""
        return f"{path}?{urlencode({sessions.CSRF_FIELD: sessions.csrf_token(self.csrf_secret, path)})}"

    def release(self) -> None:
        """Give the memory of the request body back to the worker's budget."""
        if self._memory_budget is not None:
            self._memory_budget.release()

    def _has_csrf_token_before_body(self) -> bool:
        path, headers = self.request.url.path, self.request.headers
        names = (sessions.CSRF_HEADER, sessions.LEGACY_CSRF_HEADER)
        fields = (sessions.CSRF_FIELD, sessions.LEGACY_CSRF_FIELD)
        return any(self._is_csrf_token(headers.get(name)) for name in names) or any(
            sessions.verify_csrf(self.csrf_secret, self.query(name), path) for name in fields
        )

    def _has_csrf_field(self, form: FormData) -> bool:
        names = (sessions.CSRF_FIELD, sessions.LEGACY_CSRF_FIELD)
        return any(self._is_csrf_token(form.get(name)) for name in names)

    def _is_csrf_token(self, value: object) -> bool:
        return isinstance(value, str) and sessions.verify_csrf(self.csrf_secret, value)

    async def _read_form(self, max_files: int, max_field_bytes: int, max_fields: int = MAX_FIELDS) -> FormData:
        """Read the whole body within its limits and split it into fields and files."""
        requests, request = self.environment.requests, self.request
        if self.caller is not None:
            mark_authenticated(request.scope)
        fraction = LARGE_BODY_FRACTION if self.caller else ANONYMOUS_FRACTION
        self._memory_budget = MemoryBudget(requests.metrics, requests.limits.max_bytes_in_flight, fraction)
        max_bytes = min(self.max_bytes, requests.limits.max_body_bytes)
        rate = minimum_rate(requests.limits)
        receive, headers = inflated(request.receive, request.headers, max_bytes)
        body = await read_body(receive, headers, max_bytes, rate, self._memory_budget)
        buffered = Request(request.scope, _chunks(body))
        try:
            return await buffered.form(max_files=max_files, max_fields=max_fields, max_part_size=max_field_bytes)
        except HTTPException as error:
            if not max_files or TOO_MANY_FILES not in str(error.detail):
                raise
            detail = f"Un envío admite a lo más {max_files:,} archivos; use varios envíos."
            raise ServiceError("TB4005", detail) from error

    def render(self, template: str, values: Mapping[str, object] | None = None, *, status: int = 200) -> Response:
        """Render a template.

        Args:
            template: File name in the folder `templates`.
            values: Variables besides those of `_common`.
        """
        text = self.templates.get_template(template).render({**self._common(), **(values or {})})
        response = HTMLResponse(text, status)
        if self.caller is None:
            sessions.set_visitor_id(response, self.csrf_secret, secure=self.secure)
        return response

    def render_error(self, template: str, error: ServiceError, values: Mapping[str, object]) -> Response:
        """Render the page of a rejected form again, with the error and status 422; an internal error is logged."""
        error = self.public_error(error)
        return self.render(template, {**values, "error": error, "error_fields": fields_of(error)}, status=422)

    def public_error(self, error: ServiceError) -> ServiceError:
        """Return the error that the user reads; an internal one is logged and counted."""
        public = to_public_error(error)
        if public is not error:
            log.error("internal error", code=error.code, detail=error.detail)
            self.environment.requests.metrics.count(INTERNAL_ERRORS, (error.code,))
        return public

    def render_form(self, template: str, values: Mapping[str, object], error: ServiceError | None) -> Response:
        """Render the page of a form.

        Args:
            template: File name in the folder `templates`.
            values: Variables besides those of `_common`.
            error: The error of a rejected form, rendered with status 422; None when the page is opened.
        """
        return self.render(template, values) if error is None else self.render_error(template, error, values)

    def _common(self) -> dict[str, object]:
        return {
            "caller": self.caller if self.step is None else None,
            "csrf_token": sessions.csrf_token(self.csrf_secret),
            "upload_url": self.upload_url,
            "menu": self.menu,
            "path": self.request.url.path,
            "profile": self.environment.profile,
            "documentation": self.environment.documentation is not None,
            "error": None,
            "error_fields": (),
            "base_url": self.base_url,
            "theme": theme_of(self.request),
            "notice": self.query("aviso"),
            "weak_password": self.query("contrasena") == "debil",
        }


def _chunks(body: bytes) -> Receive:
    """Replay a body as ASGI messages, in chunks, so that the form parser does not copy it whole."""
    starts = iter(range(0, max(len(body), 1), CHUNK_BYTES))

    async def receive() -> Message:
        start = next(starts)
        chunk = body[start : start + CHUNK_BYTES]
        return {"type": "http.request", "body": chunk, "more_body": start + CHUNK_BYTES < len(body)}

    return receive


def client_account(request: Request) -> str:
    """Return the account under which pools count an anonymous client, see `pools.address_account`."""
    return address_account(request.client.host if request.client else None)


def text_field(form: FormData, name: str, max_length: int = 500) -> str:
    """Return a text field, stripped; empty when absent or a file.

    Args:
        max_length: Maximum number of characters.

    Raises:
        ServiceError: "TB4005" when it is longer than `max_length` characters, or has characters that the database
            cannot store, such as NUL.
    """
    value = form.get(name)
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > max_length:
        raise FieldError(name, f"El campo {name} admite a lo más {max_length} caracteres.")
    if find_unstorable(text):
        raise FieldError(name, f"El campo {name} tiene caracteres que no son texto.")
    return text


def redirect(url: str) -> Response:
    """Redirect after a form (303), so that a reload does not send the form twice."""
    return RedirectResponse(url, 303)
