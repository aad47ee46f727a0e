"""Options of an ordered reconciliation from the fields of a form or of a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod, month_of
from timbra.received.documents.selection import ParameterError
from timbra.received.reconciliation.options import ALL_TYPES, ReconciliationOptions, Side, tolerance_of, types_of

MEMORY = 512
"""MiB of the database of a reconciliation that a server runs."""
_RFC = re.compile(r"[A-ZÑ&]{3,4}[0-9]{6}[0-9A-Z]{3}")


def comparison_of(fields: Mapping[str, str]) -> ReconciliationOptions:
    """Return what is compared.

    Args:
        fields: `rfc`, `side`, `month` or `since` and `until`, `tolerance`, `types`; empty ones are absent.

    Raises:
        ParameterError: a value is not accepted.
    """
    rfc = fields.get("rfc", "").strip().upper()
    if not _RFC.fullmatch(rfc):
        raise ParameterError("rfc", "Escriba el RFC del contribuyente.")
    sides = [side.value for side in Side]
    side = fields.get("side") or Side.RECEIVED.value
    if side not in sides:
        raise ParameterError("side", f"Debe ser {' o '.join(sides)}.")
    since, until = _period(fields)
    tolerance = tolerance_of(fields.get("tolerance") or "0.01")
    if tolerance is None:
        raise ParameterError("tolerance", "La tolerancia es un importe, como 0.05.")
    types = types_of(fields.get("types") or "IE")
    if types is None:
        raise ParameterError("types", f"Son letras de {''.join(ALL_TYPES)}.")
    return ReconciliationOptions(rfc, Side(side), since, until, tolerance, types, MEMORY)


def _period(fields: Mapping[str, str]) -> tuple[date, date]:
    month, since, until = (fields.get(name, "") for name in ("month", "since", "until"))
    try:
        period = month_of(month) if month else DayPeriod(date.fromisoformat(since), date.fromisoformat(until))
    except (ValueError, ServiceError) as error:
        raise ParameterError("month", "El periodo es un mes, AAAA-MM, o dos días, AAAA-MM-DD.") from error
    return period.first, period.last
