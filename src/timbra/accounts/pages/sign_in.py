"""Sign-in and sign-out."""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.field_errors import fields_of
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.web.portal.dispatch.session_over import MAX_LENGTH, RETURN_FIELD, return_path


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
    values = {"user": "", "return_path": return_path(page_request.query(RETURN_FIELD))}
    return page_request.render("sign_in.html", values)


async def sign_in(page_request: PageRequest, services: AccountServices) -> Response:
    """Open a session. `timbra.accounts.login.login` throttles wrong passwords, as it does for API clients."""
    form = await page_request.form()
    path = return_path(text_field(form, RETURN_FIELD, MAX_LENGTH))
    user, field = text_field(form, "user"), form.get("password")
    password = field if isinstance(field, str) else ""
    try:
        session = await services.accounts.authenticate(user, password, page_request.client_account)
    except ServiceError as error:
        status = 429 if error.retry_after else 422
        values = {"user": user, "error": error, "error_fields": fields_of(error), "return_path": path}
        return page_request.render("sign_in.html", values, status=status)
    response = redirect(path)
    sessions.open_session(response, session.token, secure=page_request.secure)
    return response


async def sign_out(page_request: PageRequest, services: AccountServices) -> Response:
    """End the session on the server and remove its cookie."""
    await page_request.form()
    await page_request.pools.run_database(services.accounts.end_session, page_request.csrf_secret)
    response = redirect("/portal/entrar")
    sessions.close_session(response, secure=page_request.secure)
    return response


PAGES = (
    Page("GET", "/portal/entrar", show, PageAccess.PUBLIC),
    Page("POST", "/portal/entrar", sign_in, PageAccess.PUBLIC),
    Page("POST", "/portal/salir", sign_out, scope=""),
)
