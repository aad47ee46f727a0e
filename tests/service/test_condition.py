"""Readiness and backlog as probes ask for them."""

from __future__ import annotations

import asyncio
import threading

import pytest

from timbra.errors import ServiceError
from timbra.service import condition
from timbra.service.condition import LEAVING, SILENT, Condition, Remembered
from timbra.store.outbox import Backlog

NOTHING = Backlog(0, None, {})


def broken() -> None:
    raise ServiceError("CO1000", "nothing that anybody outside should read")


def test_what_is_missing_is_named_and_nothing_else() -> None:
    one = Condition({"la base": broken, "los datos": lambda: None, "la llave": broken}, lambda: NOTHING)
    assert asyncio.run(one.missing()) == ["la base", "la llave"]


def test_all_well() -> None:
    assert asyncio.run(Condition({"la base": lambda: None}, lambda: NOTHING).missing()) == []


def test_whoever_leaves_is_not_ready() -> None:
    leaving = Condition({}, lambda: NOTHING)
    leaving.leave()
    assert asyncio.run(leaving.missing()) == [LEAVING]


def test_a_check_that_hangs_does_not_hang_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condition, "LONGEST_WAIT", 0.05)
    over = threading.Event()

    def hang() -> None:
        over.wait(30)

    async def probe() -> object:
        try:
            return await Condition({"la base": hang}, lambda: NOTHING).missing()
        finally:
            over.set()

    assert asyncio.run(probe()) == [SILENT]


def test_many_probes_ask_once() -> None:
    answers = iter(range(10))

    async def crowd() -> list[int]:
        remembered = Remembered(lambda: next(answers))
        return await asyncio.gather(*(remembered.get() for _ in range(50)))

    assert asyncio.run(crowd()) == [0] * 50


def test_an_old_answer_is_asked_anew() -> None:
    answers = iter(range(10))

    async def twice() -> tuple[int, int]:
        remembered = Remembered(lambda: next(answers), seconds=-1)
        return await remembered.get(), await remembered.get()

    assert asyncio.run(twice()) == (0, 1)


def test_a_failure_reaches_who_asked() -> None:
    with pytest.raises(ServiceError):
        asyncio.run(Remembered(broken).get())
