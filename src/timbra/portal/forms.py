"""The usual way of a form: taken and gone on from, or shown again with what was wrong; and fields that are no text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal, InvalidOperation

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.errors import ServiceError
from timbra.portal.visit import Visit, moved, text_of

Work = Callable[[FormData], object]
Again = Callable[[Visit, ServiceError, FormData], Awaitable[Response]]
LONGEST_NUMBER = 12


async def take(visit: Visit, work: Work, then: str, again: Again) -> Response:
    """Does what the form says, in a thread, and goes on to `then`; a refusal shows the page `again`."""
    form = await visit.form()
    try:
        await asyncio.to_thread(work, form)
    except ServiceError as error:
        return await again(visit, error, form)
    return moved(then)


def whole_of(form: FormData, name: str, label: str) -> int | None:
    """A whole number, None for an empty field. ServiceError("TB4005") for anything else; label: what people call it."""
    text = text_of(form, name, LONGEST_NUMBER)
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ServiceError("TB4005", f"{label}: debe ser un número entero.")
    return int(text)


def decimal_of(form: FormData, name: str, label: str) -> Decimal | None:
    """A number with or without decimals, None for an empty field. ServiceError("TB4005") as `whole_of`."""
    text = text_of(form, name, LONGEST_NUMBER).replace(",", ".")
    if not text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ServiceError("TB4005", f"{label}: debe ser un número.")
    return number


def keys_of(form: FormData, name: str) -> list[str] | None:
    """Keys separated by blanks or commas, None for an empty field."""
    return text_of(form, name).replace(",", " ").split() or None
