"""The sums so far as a text of the page that asks for the next part; only its user sees what it says."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import orjson

from timbra.core.errors import ServiceError
from timbra.documents.listing import PartialTotals
from timbra.events.cancellation_states import DocumentState
from timbra.stamps.search_sums import AmountSum, SumPlace

MAX_TOTALS = 100_000
LARGEST = 2**63 - 1


def write_totals(totals: PartialTotals) -> str:
    """Return the text; empty when all has been added."""
    place = totals.following
    if place is None:
        return ""
    sums = [(s.kind, s.currency, s.documents, s.damaged, str(s.total), s.state.value) for s in totals.sums]
    return orjson.dumps([[place.account_id, place.cursor], totals.is_complete, sums]).decode()


def read_totals(text: str) -> PartialTotals | None:
    """Read a text of `write_totals`; None for an empty one, before the first part.

    Raises:
        ServiceError: "TB4005" for another text.
    """
    if not text:
        return None
    try:
        place, is_complete, sums = orjson.loads(text)
        account_id, cursor = map(_number, place)
        return PartialTotals([_sum(*each) for each in sums], SumPlace(account_id, cursor), bool(is_complete))
    except (TypeError, ValueError, InvalidOperation) as error:
        raise ServiceError("TB4005", "El avance de la suma no es válido.") from error


def _sum(kind: object, currency: object, documents: object, damaged: object, total: object, state: object) -> AmountSum:
    amount = Decimal(str(total))
    if not amount.is_finite():
        raise ValueError("the total is no number")
    return AmountSum(str(kind), str(currency), _number(documents), _number(damaged), amount, DocumentState(state))


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ValueError("not a number")
    return value
