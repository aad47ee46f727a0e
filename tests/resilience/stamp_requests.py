"""Stamp requests of kill tests: distinct invoices, some repeated, some with a customid."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count

from tests.resilience.deployment import Deployment

AGE = timedelta(hours=24)
PLACE = "0123456789"
REPEATED = 0.25
CONTESTED = 10
RECENT = 20


@dataclass(frozen=True)
class Order:
    """One invoice. number: its Folio. template: the bytes around it. custom_id: None, its own, or its predecessor's."""

    number: int
    template: tuple[bytes, ...]
    custom_id: str | None

    @property
    def xml(self) -> bytes:
        """The invoice, built when it is sent: a million of them would need gigabytes."""
        return f"{self.number:0{len(PLACE)}}".encode().join(self.template)

    @property
    def path(self) -> str:
        """The route of each version in turn; contested customids use v4, whose rejection has the other folio."""
        generation = "" if self.custom_id is None else "/v4"
        version = 4 if is_contested(self.number) else self.number % 4 + 1
        return f"{generation}/cfdi33/issue/v{version}"


class Orders:
    """Orders for all clients; about a quarter are repetitions of recent orders."""

    def __init__(self, deployment: Deployment, seed: int, age: timedelta = AGE) -> None:
        # Old enough for a fiscal clock that steps back, and young enough for one that steps ahead.
        self._template = tuple(deployment.invoice(PLACE, age).split(PLACE.encode()))
        self._jitter = random.Random(seed)
        self._numbers = count(1)
        self._lock = threading.Lock()
        self.drawn: dict[int, Order] = {}

    def draw(self) -> Order:
        """Return the next order or a recent one."""
        with self._lock:
            if self.drawn and self._jitter.random() < REPEATED:
                newest = len(self.drawn)
                return self.drawn[self._jitter.randint(max(1, newest - RECENT), newest)]
            return self._next()

    def distinct(self, count: int) -> list[Order]:
        """Return new orders without customids."""
        with self._lock:
            return [replace(self._next(), custom_id=None) for _ in range(count)]

    def _next(self) -> Order:
        number = next(self._numbers)
        self.drawn[number] = Order(number, self._template, custom_id(number))
        return self.drawn[number]


def custom_id(number: int) -> str | None:
    """Return an own customid for every third order, and that of its predecessor for every tenth."""
    if is_contested(number):
        return f"pedido {number // CONTESTED}"
    return f"venta {number}" if number % 3 == 0 else None


def is_contested(number: int) -> bool:
    """Return whether another order with other content has the same customid."""
    return number >= CONTESTED and number % CONTESTED in (0, 1)
