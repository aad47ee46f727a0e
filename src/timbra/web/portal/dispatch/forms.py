"""Handling of a form: redirect after success (POST/redirect/GET), the page with the error otherwise; typed fields."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

FormAction = Callable[[FormData], object]
ErrorPage = Callable[[ServiceError, FormData], Awaitable[Response]]
MAX_NUMBER_LENGTH = 12
MIN_YEAR, MAX_YEAR = 2000, 2200


async def submit_form(
    page_request: PageRequest, action: FormAction, success_path: str, error_page: ErrorPage
) -> Response:
    """Run the action of a form in a database thread.

    Args:
        action: Reads the fields and does the work; a ServiceError rejects the form. A text that it returns is added to
            the query of `success_path`.
        success_path: The browser is redirected there after success.
        error_page: Renders the page again with the error and the fields that were sent.
    """
    form = await page_request.form()
    try:
        query = await page_request.pools.run_database(action, form)
    except ServiceError as error:
        return await error_page(error, form)
    return redirect(f"{success_path}&{query}" if isinstance(query, str) and query else success_path)


def integer_field(form: FormData, name: str, label: str) -> int | None:
    """Read a whole number; None for an empty field.

    Args:
        label: Name of the field in the error.

    Raises:
        ServiceError: "TB4005" when the field is not a whole number.
    """
    text = text_field(form, name, MAX_NUMBER_LENGTH)
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise FieldError(name, f"{label}: debe ser un número entero.")
    return int(text)


def decimal_field(form: FormData, name: str, label: str) -> Decimal | None:
    """Read a number with or without decimals; None for an empty field.

    Args:
        label: Name of the field in the error.

    Raises:
        ServiceError: "TB4005" when the field is not a number.
    """
    text = text_field(form, name, MAX_NUMBER_LENGTH).replace(",", ".")
    if not text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise FieldError(name, f"{label}: debe ser un número.")
    return number


def key_list_field(form: FormData, name: str) -> list[str] | None:
    """Read keys separated by spaces or commas; None for an empty field."""
    return text_field(form, name).replace(",", " ").split() or None


def date_range(
    page_request: PageRequest, since: str = "desde", until: str = "hasta"
) -> tuple[datetime | None, datetime | None]:
    """Read the days of a search form as instants in central Mexico.

    Args:
        since: Query parameter of the first day.
        until: Query parameter of the last day.

    Returns:
        The start of the first day, and the end of the last day, exclusive; None for an empty field.

    Raises:
        ServiceError: "TB4005" when a field is not a date.
    """
    first, last = _day(since, page_request.query(since)), _day(until, page_request.query(until))
    return _midnight(first), _midnight(last + timedelta(days=1)) if last is not None else None


def _day(name: str, text: str) -> date | None:
    try:
        day = date.fromisoformat(text) if text else None
    except ValueError as error:
        raise FieldError(name, "Las fechas se escriben como AAAA-MM-DD.") from error
    if day is not None and not MIN_YEAR <= day.year <= MAX_YEAR:
        raise FieldError(name, "La fecha está fuera de lo posible.")
    return day


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=CENTRAL_MEXICO)
