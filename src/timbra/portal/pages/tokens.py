"""Access tokens of an account."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.accounts import InfiniteToken
from timbra.errors import ServiceError
from timbra.portal.page import Page
from timbra.portal.visit import Visit, moved, text_of

LONGEST_LABEL = 80
PLACE = "/portal/tokens"


async def show(visit: Visit) -> Response:
    return visit.show("tokens.html", await _values(visit))


async def create(visit: Visit) -> Response:
    """A new token, shown on this page and never again."""
    form = await visit.form()
    label = ""
    try:
        label = _checked(text_of(form, "label", LONGEST_LABEL))
        token = await asyncio.to_thread(visit.house.accounts.create_infinite_token, visit.account.user, label)
    except ServiceError as error:
        return visit.show_error("tokens.html", error, await _values(visit, label))
    return visit.show("tokens.html", {**await _values(visit), "created": token})


async def revoke(visit: Visit) -> Response:
    """Ends one of the account's own tokens."""
    await visit.form()
    wanted = visit.request.path_params["token_id"]
    if wanted not in {token.token_id for token in await _tokens(visit)}:
        raise HTTPException(404)
    await asyncio.to_thread(visit.house.accounts.revoke, wanted)
    return moved(f"{PLACE}?aviso=revocado")


async def _tokens(visit: Visit) -> list[InfiniteToken]:
    return await asyncio.to_thread(visit.house.accounts.list_infinite_tokens, visit.account.user)


async def _values(visit: Visit, label: str = "") -> dict[str, object]:
    return {"tokens": await _tokens(visit), "label": label, "created": "", "longest": LONGEST_LABEL}


def _checked(label: str) -> str:
    if not label or not label.isprintable():
        raise ServiceError("TB4005", "La etiqueta es un texto corto, para reconocer el token después.")
    return label


PAGES = (
    Page("GET", PLACE, show, menu="Tokens"),
    Page("POST", PLACE, create),
    Page("POST", f"{PLACE}/{{token_id}}/revocar", revoke),
)
