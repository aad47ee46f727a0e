"""A new password."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.errors import ServiceError
from timbra.portal import sessions
from timbra.portal.page import Page
from timbra.portal.visit import Visit, moved


async def show(visit: Visit) -> Response:
    return visit.show("password.html")


async def change(visit: Visit) -> Response:
    """Ends every session token of the old password; this browser gets a new one."""
    form = await visit.form()
    old, new, again = (str(form.get(name) or "") for name in ("old", "new", "again"))
    accounts, user = visit.house.accounts, visit.account.user
    try:
        await accounts.authenticate(user, old)
        await asyncio.to_thread(accounts.set_password, user, _repeated(new, again))
    except ServiceError as error:
        return visit.show_error("password.html", error, {})
    response = moved("/portal?aviso=password")
    session = await asyncio.to_thread(accounts.session_token, user)
    sessions.open_session(response, session.token, secure=visit.secure)
    return response


def _repeated(new: str, again: str) -> str:
    if new != again:
        raise ServiceError("password-invalid", "Las dos contraseñas nuevas no son iguales.")
    return new


PAGES = (
    Page("GET", "/portal/password", show),
    Page("POST", "/portal/password", change),
)
