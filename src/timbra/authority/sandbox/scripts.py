"""Receivers that answer by themselves: what a test wants them to do with requests of cancellation to come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select

from timbra.authority.sandbox.cancellation import Step
from timbra.authority.sandbox.instants import parse_duration
from timbra.cfdi.cancelacion.answer import Answer
from timbra.cfdi.rfc import is_rfc
from timbra.errors import ServiceError
from timbra.store.database import Database
from timbra.store.tables.sandbox import SANDBOX_SCRIPT

ANSWERS = {"accept": Step.ACCEPTED, "reject": Step.REJECTED}
GIVEN = {"accept": Answer.ACCEPT, "reject": Answer.REJECT}
SILENCE = "silence"
_NAMES = {step: name for name, step in ANSWERS.items()}


@dataclass(frozen=True, slots=True)
class Script:
    """answer: `accept` or `reject`. delay: fiscal time after the request."""

    rfc: str
    answer: str
    delay: timedelta = timedelta()


def answer_of(word: str) -> Answer:
    """`accept` or `reject` as the receiver would write it. ServiceError("script-invalid")."""
    if word not in GIVEN:
        raise ServiceError("script-invalid", f"Las respuestas son: {', '.join(GIVEN)}.")
    return GIVEN[word]


class Scripts:
    """One script for each receiver; requests that wait already keep what was due for them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set(self, rfc: str, answer: str, delay: str = "0s") -> Script | None:
        """`accept`, `reject`, or `silence`, which ends a script: the receiver answers nothing by itself.

        delay: `0s`, `30m`, `2d`. ServiceError("script-invalid", "time-invalid").
        """
        holder, wait = rfc.upper(), parse_duration(delay)
        if not is_rfc(holder):
            raise ServiceError("script-invalid", f"{rfc[:20]} no es un RFC.")
        if answer not in {*ANSWERS, SILENCE}:
            raise ServiceError("script-invalid", f"Las respuestas son: {', '.join((*ANSWERS, SILENCE))}.")
        if wait < timedelta():
            raise ServiceError("script-invalid", "La respuesta no puede llegar antes que la solicitud.")
        if answer == SILENCE:
            self.clear(holder)
            return None
        row = {"outcome": ANSWERS[answer], "seconds": int(wait.total_seconds())}
        statement = self._database.insert(SANDBOX_SCRIPT).values(rfc=holder, **row)
        with self._database.write() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=[SANDBOX_SCRIPT.c.rfc], set_=row))
        return Script(holder, answer, wait)

    def clear(self, rfc: str | None = None) -> None:
        """Ends the script of one receiver, or of all."""
        statement = delete(SANDBOX_SCRIPT)
        with self._database.write() as connection:
            connection.execute(statement if rfc is None else statement.where(SANDBOX_SCRIPT.c.rfc == rfc.upper()))

    def all(self) -> list[Script]:
        """By RFC."""
        with self._database.read() as connection:
            rows = connection.execute(select(SANDBOX_SCRIPT).order_by(SANDBOX_SCRIPT.c.rfc)).all()
        return [Script(row.rfc, _NAMES[Step(row.outcome)], timedelta(seconds=row.seconds)) for row in rows]
