"""Columns of the list of documents that a user of the browser chooses, in a cookie."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response

from timbra.web.portal.dispatch.theme import YEAR_SECONDS

COOKIE = "timbra_columns"
COLUMNS = {
    "estado": "Estado",
    "tipo": "Tipo",
    "emisor": "Emisor",
    "receptor": "Receptor",
    "fecha": "Fecha y timbrado",
    "total": "Total",
}
"""Columns that can be left out, with their texts."""


def columns_of(request: Request) -> tuple[str, ...]:
    """Return the chosen columns, all of them without a choice."""
    chosen = request.cookies.get(COOKIE, "").split(".")
    return tuple(name for name in COLUMNS if name in chosen) or tuple(COLUMNS)


def set_columns(response: Response, chosen: Iterable[str], *, secure: bool) -> None:
    """Set the cookie. `secure`: whether browsers send it over HTTPS only."""
    value = ".".join(name for name in COLUMNS if name in set(chosen))
    response.set_cookie(
        COOKIE, value, max_age=YEAR_SECONDS, path="/portal", httponly=True, samesite="strict", secure=secure
    )
