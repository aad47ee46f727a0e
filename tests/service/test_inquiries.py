"""Questions that run while something else does."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.errors import ServiceError
from timbra.service.inquiries import Inquiries

QUERY = StatusQuery("", "", "", "", "")
VIGENTE = FiscalStatus("Vigente", "S", None, "")
MARK: ContextVar[str] = ContextVar("mark")


class Gate:
    """Answers once it is opened."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked, self.open = threading.Event(), threading.Event()
        self.error = error
        self.mark = ""

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.mark = MARK.get("")
        self.asked.set()
        self.open.wait(20)
        if self.error is not None:
            raise self.error
        return VIGENTE


def answer(gate: Gate, seconds: float = 20.0, *, before: bool = True) -> FiscalStatus:
    """before: whether the gate opens before the answer is waited for."""

    async def run() -> FiscalStatus:
        inquiry = Inquiries(gate, None, seconds).status(QUERY)
        assert inquiry is not None
        assert gate.asked.wait(20), "it is asked although nobody waits yet"
        if before:
            gate.open.set()
        return await inquiry.answer()

    return asyncio.run(run())


def test_it_is_asked_at_once_and_answered_when_waited_for() -> None:
    assert answer(Gate()) == VIGENTE


def test_what_the_service_raises_is_raised_to_whom_waits() -> None:
    with pytest.raises(ServiceError, match="authority-down"):
        answer(Gate(ServiceError("authority-down")))
    with pytest.raises(RuntimeError):
        answer(Gate(RuntimeError()))


def test_nobody_waits_longer_than_told() -> None:
    gate = Gate()
    with pytest.raises(ServiceError, match="a tiempo"):
        answer(gate, 0.05, before=False)
    gate.open.set()


def test_an_answer_that_is_there_counts_although_its_time_has_passed() -> None:
    """The document took longer than the authority."""
    ticks = iter([0.0, 99.0, 99.0])

    async def run() -> FiscalStatus:
        gate = Gate()
        gate.open.set()
        inquiry = Inquiries(gate, None, 1.0, lambda: next(ticks)).status(QUERY)
        assert inquiry is not None
        inquiry._future.result(20)
        return await inquiry.answer()

    assert asyncio.run(run()) == VIGENTE


def test_the_question_carries_the_context_of_whoever_asks() -> None:
    gate = Gate()
    token = MARK.set("petición 1")
    answer(gate)
    MARK.reset(token)
    assert gate.mark == "petición 1"


def test_nobody_to_ask() -> None:
    nobody = Inquiries(None, None, 1.0)
    assert nobody.status(QUERY) is None
    assert nobody.provider("00001000000500000001") is None
