"""Sign-in and sign-out."""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.second_factor.passkeys import RelyingParty, site_of
from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.field_errors import fields_of
from timbra.web.portal.dispatch.page import Page, PageAccess, SessionStep
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.web.portal.dispatch.session_over import MAX_LENGTH, RETURN_FIELD, return_path

MAX_ANSWER_LENGTH = 20_000
"""Of what an authenticator answers, as JSON."""


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    """Show the form.

    A browser with a session is redirected to the home page, and each one to the welcome page in a sandbox that has no
    accounts.
    """
    if page_request.caller:
        return redirect(return_path(page_request.query(RETURN_FIELD)))
    is_sandbox = not page_request.environment.profile.fiscal_effect
    if is_sandbox and await page_request.pools.run_database(services.accounts.is_empty):
        return redirect("/portal/bienvenida")
    return await _render(page_request, services, return_path(page_request.query(RETURN_FIELD)))


async def sign_in(page_request: PageRequest, services: AccountServices) -> Response:
    """Open a session. `timbra.accounts.login.login` throttles wrong passwords, as it does for API clients."""
    form = await page_request.form()
    path = return_path(text_field(form, RETURN_FIELD, MAX_LENGTH))
    user, field = text_field(form, "user"), form.get("password")
    password = field if isinstance(field, str) else ""
    try:
        session = await services.accounts.authenticate(user, password, page_request.client_account)
    except ServiceError as error:
        return await _render(page_request, services, path, error, user)
    response = redirect(path)
    sessions.open_session(response, session.token, secure=page_request.secure)
    return response


async def sign_in_with_passkey(page_request: PageRequest, services: AccountServices) -> Response:
    """Open a session that gave the second factor: the authenticator verified its user."""
    form = await page_request.form()
    path = return_path(text_field(form, RETURN_FIELD, MAX_LENGTH))
    site, browser, pools = portal_site(page_request), page_request.csrf_secret, page_request.pools
    try:
        answer = text_field(form, "answer", MAX_ANSWER_LENGTH)
        caller = await pools.run_database(services.passkeys.sign_in, site, browser, answer)
        session = await pools.run_database(services.accounts.session_token, caller.user, second_factor=True)
    except ServiceError as error:
        return await _render(page_request, services, path, error)
    response = redirect(path)
    sessions.open_session(response, session.token, secure=page_request.secure)
    return response


def portal_site(page_request: PageRequest) -> RelyingParty:
    """Return the address to which passkeys are bound: the public one of the settings, or that of the request."""
    url, requests = page_request.request.url, page_request.environment.requests
    return site_of(requests.public_url or f"{url.scheme}://{page_request.request.headers.get('host', '')}")


async def passkey_options(page_request: PageRequest, services: AccountServices) -> str:
    """Return the options of a passkey that signs in; empty where browsers admit none."""
    site = portal_site(page_request)
    if not site.is_possible:
        return ""
    return await page_request.pools.run_database(services.passkeys.sign_in_options, site, page_request.csrf_secret)


async def _render(
    page_request: PageRequest,
    services: AccountServices,
    path: str,
    error: ServiceError | None = None,
    user: str = "",
) -> Response:
    options = await passkey_options(page_request, services)
    values: dict[str, object] = {"user": user, "return_path": path, "passkey_options": options}
    if error is None:
        return page_request.render("sign_in.html", values)
    values |= {"error": error, "error_fields": fields_of(error)}
    return page_request.render("sign_in.html", values, status=429 if error.retry_after else 422)


async def sign_out(page_request: PageRequest, services: AccountServices) -> Response:
    """End the session on the server and remove its cookie."""
    await page_request.form()
    await page_request.pools.run_database(services.accounts.end_session, page_request.csrf_secret)
    response = redirect("/portal/entrar")
    sessions.close_session(response, secure=page_request.secure)
    return response


PAGES = (
    Page("GET", "/portal/entrar", show, PageAccess.PUBLIC, steps=frozenset(SessionStep)),
    Page("POST", "/portal/entrar", sign_in, PageAccess.PUBLIC, steps=frozenset(SessionStep)),
    Page("POST", "/portal/entrar/llave", sign_in_with_passkey, PageAccess.PUBLIC, steps=frozenset(SessionStep)),
    Page("POST", "/portal/salir", sign_out, scope="", steps=frozenset(SessionStep)),
)
