"""Cause and remedy, in Spanish, of every code that the service answers; most rules have them in their records."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from timbra.messages.causes.cancellation import MESSAGE, MESSAGES, cancellation_codes
from timbra.messages.causes.cause import Cause, ServiceCode
from timbra.messages.causes.requests import REQUESTS
from timbra.messages.causes.seals import SEALS
from timbra.messages.causes.server import SERVER
from timbra.messages.causes.status import FINDING, FINDINGS, status_codes
from timbra.messages.literal import LITERAL
from timbra.messages.service import SERVICE

__all__ = ["SEALS", "SENTENCE_CAUSES", "Cause", "ServiceCode", "service_codes"]

REJECTION = "Servicio: rechazo de una petición"
DAMAGED = "Un documento guardado no se puede leer."

SENTENCE_CAUSES: dict[str, Cause] = {**REQUESTS, **SERVER, **MESSAGES, **FINDINGS}
"""By key of `SERVICE` and `LITERAL`, and by code that is only in logs; codes of rules are in `SEALS`."""


@cache
def service_codes() -> tuple[ServiceCode, ...]:
    """Return every code that is no code of a rule; a code has one entry for each of its meanings."""
    return (*_sentences(), *cancellation_codes(), *status_codes())


def _sentences() -> Iterator[ServiceCode]:
    contexts = {**dict.fromkeys(MESSAGES, MESSAGE), **dict.fromkeys(FINDINGS, FINDING)}
    for code, cause in SENTENCE_CAUSES.items():
        message = LITERAL.get(code) or f"{code} - {SERVICE.get(code, DAMAGED)}"
        yield ServiceCode(code, contexts.get(code, REJECTION), message, *cause)
