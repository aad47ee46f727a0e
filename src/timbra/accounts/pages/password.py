"""Password change of the signed-in user."""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect

PATH = "/portal/password"
WEAK_PASSWORD = "contrasena=debil"  # noqa: S105
"""Query parameter with which the next page warns about a weak password."""


async def show(page_request: PageRequest) -> Response:
    return page_request.render("password.html")


async def change(page_request: PageRequest, services: AccountServices) -> Response:
    """Change the password; every session of the old password ends, and this browser gets a new one."""
    form = await page_request.form()
    old, new, repeated = (str(form.get(name) or "") for name in ("old", "new", "again"))
    accounts, user = services.accounts, page_request.account.user
    try:
        await accounts.authenticate(user, old, page_request.client_account)
        _require_equal(new, repeated)
        await page_request.pools.run_database(accounts.set_password, user, new)
    except ServiceError as error:
        return page_request.render_error("password.html", error, {})
    warning = await page_request.pools.run_database(accounts.policy.warning, user, new)
    response = redirect(f"/portal?aviso=password&{WEAK_PASSWORD}" if warning else "/portal?aviso=password")
    passed = page_request.account.passed_second_factor
    session = await page_request.pools.run_database(accounts.session_token, user, second_factor=passed)
    sessions.open_session(response, session.token, secure=page_request.secure)
    return response


def _require_equal(new: str, repeated: str) -> None:
    if new != repeated:
        raise FieldError("again", "Las dos contraseñas nuevas no son iguales.")


PAGES = (
    Page("GET", PATH, show, scope=""),
    Page("POST", PATH, change, scope=""),
)
