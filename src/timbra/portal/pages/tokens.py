"""Infinite access tokens of an account."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.errors import ServiceError
from timbra.portal.dispatch.page import Page
from timbra.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.service.services import AccountServices

MAX_LABEL_LENGTH = 80
PATH = "/portal/tokens"


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    """List the infinite tokens of the account."""
    return page_request.render("tokens.html", await _values(page_request, services))


async def create(page_request: PageRequest, services: AccountServices) -> Response:
    """Create a token; only this response shows it."""
    form = await page_request.form()
    label, user = "", page_request.account.user
    try:
        label = _label_field(form)
        token = await page_request.pools.run_database(services.accounts.create_infinite_token, user, label)
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
        raise ServiceError("TB4005", "La etiqueta es un texto corto, para reconocer el token después.")
    return label


async def _values(page_request: PageRequest, services: AccountServices, label: str = "") -> dict[str, object]:
    tokens = await page_request.pools.run_database(services.accounts.list_infinite_tokens, page_request.account.user)
    return {"tokens": tokens, "label": label, "created": "", "max_label_length": MAX_LABEL_LENGTH}


PAGES = (
    Page("GET", PATH, show, menu="Tokens"),
    Page("POST", PATH, create),
    Page("POST", f"{PATH}/{{token_id}}/revocar", revoke),
)
