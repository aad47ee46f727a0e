"""Infinite access tokens of an account."""

from __future__ import annotations

from datetime import timedelta

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.core.scopes import CANCEL, MANAGE, READ, SCOPES, STAMP, Scopes, checked_scopes
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.forms import integer_field
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

MAX_LABEL_LENGTH = 80
MAX_DAYS = 3650
PATH = "/portal/tokens"
SCOPE_NAMES = {
    STAMP: "timbrar, emitir y enviar por correo",
    CANCEL: "cancelar, aceptar y rechazar",
    READ: "consultar, validar e imprimir",
    MANAGE: "certificados, y lo que pide a un administrador",
}


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    """List the infinite tokens of the account."""
    return page_request.render("tokens.html", await _values(page_request, services))


async def create(page_request: PageRequest, services: AccountServices) -> Response:
    """Create a token; only this response shows it."""
    form = await page_request.form()
    label, user = "", page_request.account.user
    try:
        label = _label_field(form)
        scopes, lifetime = _scopes_field(form), _lifetime_field(form)
        token = await page_request.pools.run_database(
            services.accounts.create_infinite_token, user, label, scopes, lifetime
        )
    except ServiceError as error:
        return page_request.render_error("tokens.html", error, await _values(page_request, services, label))
    return page_request.render("tokens.html", {**await _values(page_request, services), "created": token})


async def revoke(page_request: PageRequest, services: AccountServices) -> Response:
    """Revoke one of the account's own tokens."""
    await page_request.form()
    token_id, user = page_request.request.path_params["token_id"], page_request.account.user
    tokens = await page_request.pools.run_database(services.accounts.list_infinite_tokens, user)
    if token_id not in {token.token_id for token in tokens}:
        raise HTTPException(404)
    await page_request.pools.run_database(services.accounts.revoke, token_id)
    return redirect(f"{PATH}?aviso=revocado")


def _label_field(form: FormData) -> str:
    label = text_field(form, "label", MAX_LABEL_LENGTH)
    if not label or not label.isprintable():
        raise FieldError("label", "La etiqueta es un texto corto, para reconocer el token después.")
    return label


def _scopes_field(form: FormData) -> Scopes | None:
    """Read the scopes; None, which means all of them, when every one is chosen or the form does not ask for them."""
    if form.get("asks_scopes") and not form.getlist("scope"):
        raise FieldError("scope", "Elija al menos un alcance.")
    try:
        scopes = checked_scopes(str(value) for value in form.getlist("scope"))
    except ValueError as error:
        raise FieldError("scope", "Los alcances son stamp, cancel, read y manage.") from error
    return None if scopes == frozenset(SCOPES) else scopes


def _lifetime_field(form: FormData) -> timedelta | None:
    days = integer_field(form, "days", "Días de vigencia")
    if days is not None and not 0 < days <= MAX_DAYS:
        raise FieldError("days", f"Días de vigencia: entre 1 y {MAX_DAYS}, o vacío para que no venza.")
    return None if days is None else timedelta(days=days)


async def _values(page_request: PageRequest, services: AccountServices, label: str = "") -> dict[str, object]:
    tokens = await page_request.pools.run_database(services.accounts.list_infinite_tokens, page_request.account.user)
    return {
        "tokens": tokens,
        "label": label,
        "created": "",
        "max_label_length": MAX_LABEL_LENGTH,
        "scopes": SCOPE_NAMES,
    }


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Tokens", 110, MenuGroup.ACCOUNT), icon="key-round", shortcut="t"),
    Page("POST", PATH, create, scope=READ),
    Page("POST", f"{PATH}/{{token_id}}/revocar", revoke, scope=READ),
)
