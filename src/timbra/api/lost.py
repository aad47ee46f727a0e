"""The sandbox's fault `answer-lost`: the work is committed and the client hears nothing."""

from __future__ import annotations

from starlette.types import Scope

HANG_UP = "timbra.hang_up"


class AnswerLostError(Exception):
    """The answer of this request must not be sent."""


async def hang_up(scope: Scope) -> None:
    """Breaks the connection; ConnectionAbortedError where the server offers no way to."""
    extension = scope.get("extensions", {}).get(HANG_UP)
    if extension is None:
        raise ConnectionAbortedError("answer lost")
    extension["close"]()
