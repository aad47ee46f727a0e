"""The sandbox's faults that the edge plays: a late answer, and an answer that is lost after the commit."""

from __future__ import annotations

import asyncio

from starlette.types import Scope

from timbra.api.house import House

HANG_UP = "timbra.hang_up"


class AnswerLostError(Exception):
    """The answer of this request must not be sent."""


async def be_late(house: House) -> None:
    """Waits as long as the fault `latency` says, if it is on."""
    if house.sandbox and (fault := house.faults.take("latency")) is not None:
        await asyncio.sleep(fault.seconds)


def lose_answer(house: House) -> None:
    """Raises AnswerLostError when the fault `answer-lost` is on."""
    if house.sandbox and house.faults.take("answer-lost") is not None:
        raise AnswerLostError


async def hang_up(scope: Scope) -> None:
    """Breaks the connection; ConnectionAbortedError where the server offers no way to."""
    extension = scope.get("extensions", {}).get(HANG_UP)
    if extension is None:
        raise ConnectionAbortedError("answer lost")
    extension["close"]()
