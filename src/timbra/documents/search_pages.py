"""The search form of stamped documents: its fields, and the selection that they describe."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from urllib.parse import urlencode

from starlette.datastructures import FormData

from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.search_words import search_words
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.events.cancellation_states import DocumentState
from timbra.stamps.port import RETENCION
from timbra.stamps.search import Order, StampFilter
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.forms import date_range
from timbra.web.portal.dispatch.page_request import PageRequest
from timbra.web.portal.dispatch.scope import visible_account

FIELDS = (
    "texto",
    "uuid",
    "rfc",
    "serie",
    "folio",
    "desde",
    "hasta",
    "documento",
    "estado",
    "minimo",
    "maximo",
    "orden",
    "sentido",
)
KINDS = {
    "": "Todos",
    "cfdi": "Facturas (CFDI)",
    "I": "Ingreso",
    "E": "Egreso",
    "T": "Traslado",
    "N": "Nómina",
    "P": "Pago",
    "retenciones": "Retenciones",
}
"""Values of the field `documento`, with their texts."""
STATE_NAMES = {
    "": "Todos",
    DocumentState.VALID.value: "Vigente",
    DocumentState.PENDING.value: "Cancelación en proceso",
    DocumentState.CANCELLED.value: "Cancelado",
}
"""Values of the field `estado`, with their texts."""
ORDERS = {
    "": "Timbrado",
    Order.FECHA.value: "Fecha",
    Order.FOLIO.value: "Serie y folio",
    Order.KIND.value: "Tipo",
    Order.ISSUER.value: "RFC del emisor",
    Order.RECEIVER.value: "RFC del receptor",
    Order.TOTAL.value: "Total",
}
"""Values of the field `orden`, with their texts."""
ASCENDING = "ascendente"
DIRECTIONS = {"": "De mayor a menor", ASCENDING: "De menor a mayor"}
"""Values of the field `sentido`, with their texts."""
MAX_CHOSEN = 100
"""Documents that are chosen on a page."""
MAX_AMOUNT_LENGTH = 21
MAX_DIGITS = 18
MAX_SEARCHED_WORDS = 8
_SERIE_AND_FOLIO = re.compile(r"(\S{1,25})[ -]+(\S{1,40})")


def fields_of_search(page_request: PageRequest) -> dict[str, str]:
    """Return the fields of the search form, as text."""
    return {name: page_request.query(name) for name in FIELDS}


def query_string(fields: dict[str, str]) -> str:
    """Return the fields that are not empty as a query string."""
    return urlencode({name: value for name, value in fields.items() if value})


def filter_of(page_request: PageRequest, fields: dict[str, str]) -> StampFilter:
    """Return the selection that the fields describe. FieldError for a field that cannot be searched."""
    uuid = canonical_uuid(fields["uuid"]) if fields["uuid"] else ""
    if uuid is None:
        raise FieldError("uuid", "El folio fiscal tiene 36 caracteres, con guiones.")
    if fields["serie"] and not fields["folio"]:
        raise FieldError("folio", "Con la serie indique también el folio.")
    if fields["documento"] not in KINDS:
        raise FieldError("documento", "Elija un documento de la lista.")
    if fields["estado"] not in STATE_NAMES:
        raise FieldError("estado", "Elija un estado de la lista.")
    for name, values in (("orden", ORDERS), ("sentido", DIRECTIONS)):
        if fields[name] not in values:
            raise FieldError(name, f"Elija un {name} de la lista.")
    since, until = date_range(page_request)
    kind = fields["documento"]
    selection = StampFilter(
        visible_account(page_request),
        uuid,
        fields["rfc"].upper(),
        fields["serie"],
        fields["folio"],
        since,
        until,
        {"cfdi": False, "retenciones": True}.get(kind),
        kind if len(kind) == len(RETENCION) else "",
        DocumentState(fields["estado"]) if fields["estado"] else None,
        _amount(fields, "minimo"),
        _amount(fields, "maximo"),
    )
    return with_text(selection, fields["texto"])


def order_of(fields: dict[str, str]) -> Order:
    """Return the order of the fields."""
    return Order(fields["orden"] or Order.STAMPED)


def chosen_documents(form: FormData) -> tuple[str, ...]:
    """Return the folios that are ticked on a page, at most `MAX_CHOSEN`; none when nothing is ticked.

    Raises:
        FieldError: what is ticked is no folio: it does not count as nothing, which stands for all that was found.
    """
    given = form.getlist("documento")[:MAX_CHOSEN]
    found = tuple(filter(None, (canonical_uuid(str(value)) for value in given)))
    if given and not found:
        raise FieldError("documento", "Lo elegido no es un folio fiscal.")
    return found


def with_text(selection: StampFilter, text: str) -> StampFilter:
    """Add the text of the general search: a folio fiscal, an RFC, or names, words, and serie and folio."""
    if not text:
        return selection
    if (uuid := canonical_uuid(text)) is not None:
        return replace(selection, uuid=uuid)
    if is_rfc(text.upper()):
        return replace(selection, rfc=text.upper())
    parts = _SERIE_AND_FOLIO.fullmatch(text)
    number = (parts[1], parts[2]) if parts is not None else ("", text)
    return replace(selection, words=tuple(search_words([text], MAX_SEARCHED_WORDS)), number=number)


def _amount(fields: dict[str, str], name: str) -> Decimal | None:
    text = fields[name].replace(",", "").replace("$", "").strip()
    if not text:
        return None
    try:
        amount = Decimal(text) if len(text) <= MAX_AMOUNT_LENGTH else Decimal("NaN")
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount.adjusted() >= MAX_DIGITS:
        raise FieldError(name, "El importe es un número, como 1500.50.")
    return amount
