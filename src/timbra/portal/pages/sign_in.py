"""Entering and leaving."""

from __future__ import annotations

from starlette.responses import Response

from timbra.errors import ServiceError
from timbra.portal import sessions
from timbra.portal.page import Access, Page
from timbra.portal.visit import Visit, moved, text_of


async def show(visit: Visit) -> Response:
    """The form; who is in already goes on."""
    return moved("/portal") if visit.caller else visit.show("sign_in.html", {"user": ""})


async def enter(visit: Visit) -> Response:
    """A session for the right password. Guessing is slowed by `timbra.accounts.login`, as for programs."""
    form = await visit.form()
    user, password = text_of(form, "user"), form.get("password")
    try:
        session = await visit.house.accounts.authenticate(user, password if isinstance(password, str) else "")
    except ServiceError as error:
        return visit.show("sign_in.html", {"user": user, "error": error}, status=429 if error.retry_after else 422)
    response = moved("/portal")
    sessions.open_session(response, session.token, secure=visit.secure)
    return response


async def leave(visit: Visit) -> Response:
    await visit.form()
    response = moved("/portal/entrar")
    sessions.close_session(response)
    return response


PAGES = (
    Page("GET", "/portal/entrar", show, Access.PUBLIC),
    Page("POST", "/portal/entrar", enter, Access.PUBLIC),
    Page("POST", "/portal/salir", leave),
)
