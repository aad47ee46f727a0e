"""The reset of the account's own test data, after a confirmation."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.core.scopes import MANAGE
from timbra.sandbox.services import SandboxServices
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH = "/portal/reinicio"


async def show(page_request: PageRequest) -> Response:
    """Show what a reset removes, and the form."""
    return page_request.render("sandbox/account_reset.html")


async def reset(page_request: PageRequest, services: SandboxServices) -> Response:
    """Remove the data of the account when the form repeats the user name."""
    form, account = await page_request.form(), page_request.account
    try:
        confirmation = text_field(form, "confirm")
        if confirmation != account.user:
            raise FieldError("confirm", "El nombre escrito no es el del usuario.")
        run = services.account_reset.reset
        await page_request.pools.run_database(run, account.account_id, account.user, confirmation)
    except ServiceError as error:
        return page_request.render_error("sandbox/account_reset.html", error, {})
    return redirect("/portal?aviso=reinicio")


PAGES = (
    Page(
        "GET",
        PATH,
        show,
        PageAccess.SANDBOX_ACCOUNT,
        menu=MenuItem("Reiniciar datos", 180, MenuGroup.ACCOUNT),
        icon="undo-2",
        scope=MANAGE,
    ),
    Page("POST", PATH, reset, PageAccess.SANDBOX_ACCOUNT),
)
