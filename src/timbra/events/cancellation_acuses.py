"""Acuses of cancellation, which the event log stores under the issuer's RFC."""

from __future__ import annotations

from sqlalchemy import Text, cast, select

from timbra.database.database import Database
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION

ANSWERED = "cancellation.answered"
ACCEPTED_CODES = frozenset(("201", "202", "1201", "1202"))
"""EstatusUUID of CFDI and of retenciones that are cancelled, or whose cancellation is in process."""


class StoredAcuses:
    """Searches the cancellation events of an issuer; suitable for single look-ups, too slow for every request."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_cancellation(self, uuid: str, issuer_rfc: str) -> bytes | None:
        """Return the latest acuse with an accepted cancellation of this document; None without one."""
        answers = (
            select(EVENT.c.body)
            .where(EVENT.c.subject == issuer_rfc, IS_CANCELLATION, EVENT.c.kind == ANSWERED)
            .where(cast(EVENT.c.body, Text).contains(uuid.lower(), autoescape=True))
            .order_by(EVENT.c.id.desc())
        )
        with self._database.read() as connection:
            for body in connection.execute(answers).scalars():
                codes = {folio.lower(): code for folio, code in body.get("codes", {}).items()}
                if codes.get(uuid.lower()) in ACCEPTED_CODES and "acuse" in body:
                    return str(body["acuse"]).encode()
        return None
