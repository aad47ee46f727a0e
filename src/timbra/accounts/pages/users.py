"""Users of the account: several people share it, each with a password and a role."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.accounts.account_users import AccountUserChange
from timbra.accounts.pages.password import WEAK_PASSWORD
from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.core.roles import AUDITOR, OPERATOR, OWNER, READER
from timbra.core.scopes import MANAGE
from timbra.web.portal.dispatch.forms import FormAction, submit_form
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, text_field

PATH = "/portal/usuarios"
ROLE_NAMES = {
    OPERATOR: "operador: timbra, cancela y consulta",
    READER: "lector: solo consulta",
    AUDITOR: "auditor: consulta, también la bitácora",
    OWNER: "titular: todo, también usuarios y certificados",
}
NOTICES = {
    "creado": "El usuario se creó.",
    "cambiado": "El usuario se cambió.",
    "password": "La contraseña se cambió; sus sesiones terminaron.",
    "factor": "Los segundos factores del usuario se quitaron; entra solo con su contraseña.",
    "quitado": "El usuario se quitó; sus sesiones y tokens terminaron.",
}
STATES = {"active": True, "closed": False}


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    return await _render(page_request, services)


async def create(page_request: PageRequest, services: AccountServices) -> Response:
    account_id = page_request.account.account_id

    def create_user(form: FormData) -> str:
        user, password = text_field(form, "user"), str(form.get("password") or "")
        services.accounts.users.create(account_id, user, password, text_field(form, "role"))
        return WEAK_PASSWORD if services.accounts.policy.warning(user, password) else ""

    return await _submit(page_request, services, create_user, "creado")


async def change(page_request: PageRequest, services: AccountServices) -> Response:
    """Change the role of a user, or whether it may log in."""
    account_id, guid = _target(page_request)

    def change_user(form: FormData) -> None:
        state = STATES.get(text_field(form, "state"))
        services.accounts.users.update(account_id, guid, AccountUserChange(text_field(form, "role") or None, state))

    return await _submit(page_request, services, change_user, "cambiado")


async def change_password(page_request: PageRequest, services: AccountServices) -> Response:
    """Set a new password of a user; the sessions of the old one end."""
    account_id, guid = _target(page_request)

    def set_password(form: FormData) -> None:
        services.accounts.users.set_password(account_id, guid, str(form.get("password") or ""))

    return await _submit(page_request, services, set_password, "password")


async def reset_factor(page_request: PageRequest, services: AccountServices) -> Response:
    """Remove the second factors of a user who lost them."""
    account_id, guid = _target(page_request)

    def reset(_: FormData) -> None:
        user = services.accounts.users.get(account_id, guid)
        services.second_factors.reset(account_id, user.user_id, user.user)

    return await _submit(page_request, services, reset, "factor")


async def remove(page_request: PageRequest, services: AccountServices) -> Response:
    account_id, guid = _target(page_request)

    def remove_user(_: FormData) -> None:
        services.accounts.users.remove(account_id, guid)

    return await _submit(page_request, services, remove_user, "quitado")


async def _submit(page_request: PageRequest, services: AccountServices, action: FormAction, notice: str) -> Response:
    return await submit_form(page_request, action, f"{PATH}?aviso={notice}", partial(_render, page_request, services))


async def _render(
    page_request: PageRequest,
    services: AccountServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    account_id = page_request.account.account_id
    users = await page_request.pools.run_database(services.accounts.users.list_users, account_id)
    enrolled = await page_request.pools.run_database(services.second_factors.enrolled_users, account_id)
    sent: Mapping[str, object] = form or {}
    values: dict[str, object] = {
        "users": users,
        "enrolled": enrolled,
        "roles": ROLE_NAMES,
        "notice_text": NOTICES.get(page_request.query("aviso"), ""),
        "user": sent.get("user", ""),
        "role": sent.get("role", OPERATOR),
    }
    return page_request.render_form("users.html", values, error)


def _target(page_request: PageRequest) -> tuple[int, str]:
    return page_request.account.account_id, page_request.path_parameter("guid")


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Usuarios", 120, MenuGroup.ACCOUNT), icon="users", scope=MANAGE),
    Page("POST", PATH, create),
    Page("POST", f"{PATH}/{{guid}}", change),
    Page("POST", f"{PATH}/{{guid}}/password", change_password),
    Page("POST", f"{PATH}/{{guid}}/segundo-factor", reset_factor),
    Page("POST", f"{PATH}/{{guid}}/quitar", remove),
)
