"""The search form of the request inspector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from timbra.inspector.store import CallFilter
from timbra.web.portal.dispatch.field_errors import FieldError

FIELDS: Final = ("estado", "codigo", "rfc", "texto")
STATES: Final[Mapping[str, str]] = {
    "": "todas",
    "aceptadas": "sin error",
    "rechazadas": "con error",
    "2xx": "2xx",
    "4xx": "4xx",
    "5xx": "5xx",
}
MAX_TEXT: Final = 200


def filter_of(fields: Mapping[str, str], account_id: int) -> CallFilter:
    """Read the search form. Raises FieldError: The state is neither one of `STATES` nor an HTTP status."""
    state = fields["estado"].lower()
    statuses, rejected = None, None
    if state in ("aceptadas", "rechazadas"):
        rejected = state == "rechazadas"
    elif re.fullmatch(r"[1-5]xx", state):
        statuses = (int(state[0]) * 100, int(state[0]) * 100 + 99)
    elif re.fullmatch(r"[1-5][0-9]{2}", state):
        statuses = (int(state), int(state))
    elif state:
        raise FieldError("estado", "El estado es un número HTTP, como 400, o un grupo, como 4xx.")
    code, rfc = fields["codigo"].strip(), fields["rfc"].strip().upper()
    return CallFilter(account_id, statuses, rejected, code, rfc, fields["texto"][:MAX_TEXT])
