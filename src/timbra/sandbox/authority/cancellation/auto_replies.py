"""Automatic replies: how simulated receivers answer future requests of cancellation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from timbra.cfdi.cancelacion.answer import ReceiverAnswer
from timbra.cfdi.rfc import is_rfc
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.cancellation.state_machine import Transition
from timbra.sandbox.instants import parse_duration
from timbra.sandbox.store.models import AutoReplyRow
from timbra.sandbox.store.transactions import SandboxStore

ANSWERS = {"accept": Transition.ACCEPTED, "reject": Transition.REJECTED}
GIVEN = {"accept": ReceiverAnswer.ACCEPT, "reject": ReceiverAnswer.REJECT}
SILENCE = "silence"
_NAMES = {step: name for name, step in ANSWERS.items()}


@dataclass(frozen=True, slots=True)
class AutoReply:
    """The automatic reply of a receiver.

    Attributes:
        rfc: The receiver.
        answer: `accept` or `reject`.
        delay: Fiscal time between the request and the reply.
    """

    rfc: str
    answer: str
    delay: timedelta = timedelta()


def answer_of(word: str) -> ReceiverAnswer:
    """Return the answer of a receiver by its name in commands.

    Raises:
        ServiceError: "script-invalid" unless `word` is `accept` or `reject`.
    """
    if word not in GIVEN:
        raise ServiceError("script-invalid", f"Las respuestas son: {', '.join(GIVEN)}.")
    return GIVEN[word]


class AutoReplies:
    """The automatic replies of the sandbox, at most one for each receiver.

    A change does not affect requests that are already pending.
    """

    def __init__(self, store: SandboxStore) -> None:
        self._store = store

    def set(self, rfc: str, answer: str, delay: str = "0s") -> AutoReply | None:
        """Set the automatic reply of a receiver, or remove it.

        Args:
            rfc: The receiver, in any letter case.
            answer: `accept`, `reject`, or `silence` to remove the reply.
            delay: Fiscal time after the request, such as `0s`, `30m` or `2d`.

        Returns:
            The stored reply; None when it was removed.

        Raises:
            ServiceError: "script-invalid", "time-invalid".
        """
        receiver, wait = rfc.upper(), parse_duration(delay)
        if not is_rfc(receiver):
            raise ServiceError("script-invalid", f"{rfc[:20]} no es un RFC.")
        if answer not in {*ANSWERS, SILENCE}:
            raise ServiceError("script-invalid", f"Las respuestas son: {', '.join((*ANSWERS, SILENCE))}.")
        if wait < timedelta():
            raise ServiceError("script-invalid", "La respuesta no puede llegar antes que la solicitud.")
        if answer == SILENCE:
            self.clear(receiver)
            return None
        with self._store.write() as transaction:
            transaction.auto_replies.put(AutoReplyRow(receiver, ANSWERS[answer], int(wait.total_seconds())))
        return AutoReply(receiver, answer, wait)

    def clear(self, rfc: str | None = None) -> None:
        """Remove the automatic reply of one receiver, or of all."""
        with self._store.write() as transaction:
            transaction.auto_replies.delete(None if rfc is None else rfc.upper())

    def all(self) -> list[AutoReply]:
        """Return all automatic replies, by RFC."""
        with self._store.read() as transaction:
            rows = transaction.auto_replies.list_all()
        return [AutoReply(row.rfc, _NAMES[Transition(row.outcome)], timedelta(seconds=row.seconds)) for row in rows]
