"""A deterministic scheduler: actors are greenlets of one thread, and a seed decides which one runs at each step.

An actor gives up control at every database statement, call of the authority and sleep. There a fault can be injected:
an error of the database before or after a statement, or the death of the process.
"""

from __future__ import annotations

import asyncio.events
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256

from greenlet import GreenletExit, getcurrent, greenlet
from tests.support.store_records import NOON

MAX_STEPS = 5_000
TIME_PASSES = 0.1
PAUSES = (0.1, 1, 3, 70)
"""Seconds; the longest one is longer than a lease of a delivery."""


class ProcessDied(BaseException):
    """The process of an actor was killed; no code of the process runs after it except clean-up of this test."""


class Actor:
    """One thread of a simulated process.

    Attributes:
        process: its process; None for an actor that never dies, such as a client.
        ready: whether it can run now.
    """

    def __init__(
        self, scheduler: Scheduler, name: str, work: Callable[[], None], ready: Callable[[], bool] = lambda: True
    ) -> None:
        self.name = name
        self.ready = ready
        self.killed = False
        self._scheduler = scheduler
        self._greenlet = greenlet(lambda: self._run(work), scheduler.hub)

    @property
    def is_alive(self) -> bool:
        return not self._greenlet.dead

    def resume(self) -> None:
        """Run the actor to its next step; errors of its work end the simulation."""
        self._scheduler.current = self
        self._greenlet.switch()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException:
            # The clean-up of a killed process works on closed connections.
            if not self.killed:
                raise


class Scheduler:
    """Runs actors step by step.

    Attributes:
        random: the source of every decision.
        now: the virtual time; it advances between steps only.
        trace: hash of all steps, equal for equal seeds.
        quiet: whether no more faults are injected.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.hub = getcurrent()
        self.actors: list[Actor] = []
        self.current: Actor | None = None
        self.instant = NOON
        self.quiet = False
        self.steps = 0
        self._trace = sha256()

    @property
    def trace(self) -> str:
        return self._trace.hexdigest()

    def now(self) -> datetime:
        """The wall and fiscal clock of the simulation."""
        return self.instant

    def spawn(self, name: str, work: Callable[[], None], ready: Callable[[], bool] = lambda: True) -> Actor:
        actor = Actor(self, name, work, ready)
        self.actors.append(actor)
        return actor

    def run(self, is_done: Callable[[], bool]) -> None:
        """Run random actors until the condition holds or no actor is left."""
        while not is_done():
            self.actors = [actor for actor in self.actors if actor.is_alive]
            able = [actor for actor in self.actors if actor.killed or actor.ready()]
            if not able:
                self.advance(30)
                if not self.actors:
                    return
            else:
                self.random.choice(able).resume()
            if self.random.random() < TIME_PASSES:
                self.advance(self.random.choice(PAUSES))
            self.steps += 1
            assert self.steps < MAX_STEPS, "the simulation makes no progress"

    def point(self, name: str) -> None:
        """Give up control at a step; the process may have died when the actor continues."""
        actor = self.current
        assert actor is not None
        self._trace.update(f"{actor.name} {name}\n".encode())
        loop = asyncio.events._get_running_loop()
        asyncio.events._set_running_loop(None)
        if not actor.killed:
            self.hub.switch()
        self.current = actor
        asyncio.events._set_running_loop(loop)
        if actor.killed:
            asyncio.events._set_running_loop(None)
            raise ProcessDied

    def wait(self, name: str, ready: Callable[[], bool]) -> None:
        """Give up control until the condition holds."""
        actor = self.current
        assert actor is not None
        before, actor.ready = actor.ready, ready
        try:
            self.point(name)
        finally:
            actor.ready = before

    def advance(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)

    def happens(self, probability: float) -> bool:
        """Draw whether a fault happens; always False when the simulation is quiet."""
        return self.random.random() < probability and not self.quiet

    def close(self) -> None:
        """End actors that are left."""
        for actor in self.actors:
            actor.killed = True
            if actor.is_alive:
                actor._greenlet.throw(GreenletExit)
