"""Acuses of cancellation as the authority gave them: they lie in the event log, under the issuer's RFC."""

from __future__ import annotations

from sqlalchemy import Text, cast, select

from timbra.store.database import Database
from timbra.store.tables.stamps import EVENT, IS_CANCELLATION

ANSWERED = "cancellation.answered"
TAKEN = frozenset(("201", "202"))


class NotedAcuses:
    """Looks through the cancellations of one issuer: for pages and look-ups, not for every request."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_cancellation(self, uuid: str, issuer_rfc: str) -> bytes | None:
        """The latest acuse that says of this CFDI that its cancellation was taken, None when there is none."""
        answers = (
            select(EVENT.c.body)
            .where(EVENT.c.subject == issuer_rfc, IS_CANCELLATION, EVENT.c.kind == ANSWERED)
            .where(cast(EVENT.c.body, Text).contains(uuid.lower(), autoescape=True))
            .order_by(EVENT.c.id.desc())
        )
        with self._database.read() as connection:
            for body in connection.execute(answers).scalars():
                codes = {folio.lower(): code for folio, code in body.get("codes", {}).items()}
                if codes.get(uuid.lower()) in TAKEN and "acuse" in body:
                    return str(body["acuse"]).encode()
        return None
