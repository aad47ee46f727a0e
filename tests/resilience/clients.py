"""Clients that believe an answer only when they have read it to its end."""

from __future__ import annotations

import http.client
import json
import re
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.resilience.stamp_requests import Order, Orders

BOUNDARY = "b0undary"
ORDERS_OF_A_VISIT = 5
TRIED = 2000
PAUSE_SECONDS = 0.005
_FOLIO = re.compile(r'Version="1.1" UUID="([0-9a-f-]{36})"')
# What a connection to a killed server, or to none, raises; IncompleteRead is an answer that was cut off.
LOST = (OSError, http.client.HTTPException)
STAMPED = {"200", "307"}
LATER = "CO1000"
PAUSE_AFTER_REJECTION = 0.05
PAUSE_WHEN_LATER = 0.5
MAX_WAIT_SECONDS = 40


@dataclass(frozen=True)
class Told:
    """An answer, read to its end. code: `200`, `307`, `CFDI3307` or another code of a rejection; worker: its mark."""

    number: int
    code: str
    uuid: str
    worker: str


class Client:
    """One connection."""

    def __init__(self, address: str, token: str, timeout: float = 30) -> None:
        place = urlsplit(address)
        self._connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=timeout)
        self._authorization = f"Bearer {token}"

    def send(self, order: Order) -> Told:
        """Raises one of LOST when the answer did not come, or not whole."""
        headers = {
            "Authorization": self._authorization,
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        }
        if order.custom_id is not None:
            headers["customid"] = order.custom_id
        body, worker = self._ask("POST", order.path, _multipart(order.xml), headers)
        return Told(order.number, _code(body), _folio(body), worker)

    def send_until_settled(self, order: Order) -> Told:
        """As `send`, and again as long as it is told to come later; AssertionError when that never ends."""
        for _ in range(MAX_WAIT_SECONDS):
            told = self.send(order)
            if told.code != LATER:
                return told
            time.sleep(PAUSE_WHEN_LATER)
        raise AssertionError(f"order {order.number} was told to come later for ever")

    def worker(self) -> str:
        """The mark of the worker that serves this connection."""
        return self._ask("GET", "/health", None, {})[1]

    def close(self) -> None:
        self._connection.close()

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[dict[str, Any], str]:
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        return json.loads(content), (answer.getheader("X-Request-Id") or "").partition("-")[0]


@dataclass
class Book:
    """What all clients together sent and were told."""

    told: list[Told] = field(default_factory=list)
    lost: list[Order] = field(default_factory=list)

    @property
    def folios(self) -> dict[int, set[str]]:
        """The folios that answers named as the stamp of each order."""
        found: dict[int, set[str]] = {}
        for one in self.told:
            if one.code in STAMPED:
                found.setdefault(one.number, set()).add(one.uuid)
        return found

    @property
    def unanswered(self) -> list[int]:
        """Orders to which no answer ever came, or only that they should be sent again."""
        answered = {one.number for one in self.told if one.code != LATER}
        asked = {order.number for order in self.lost} | {one.number for one in self.told}
        return sorted(asked - answered)

    @property
    def rejections(self) -> int:
        """How often a client was told to try later."""
        return sum(one.code == LATER for one in self.told)


class LoadClients:
    """Clients that send order after order, each on a connection of its own, until they are stopped.

    retries: a client whose connection broke opens another instead of going home, and does so anyway every few orders,
    so that all workers get some.
    """

    def __init__(self, count: int, address: str, token: str, orders: Orders, book: Book, *, retries: bool) -> None:
        self._address, self._token = address, token
        self._orders, self._book = orders, book
        self._retries = retries
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._live, daemon=True) for _ in range(count)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Waits for the requests under way, answered or broken."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _live(self) -> None:
        while not self._stopped.is_set():
            client = Client(self._address, self._token)
            try:
                self._work(client, ORDERS_OF_A_VISIT if self._retries else sys.maxsize)
            except LOST:
                if not self._retries:
                    return
                self._stopped.wait(PAUSE_AFTER_REJECTION)
            finally:
                client.close()

    def _work(self, client: Client, orders: int) -> None:
        while orders > 0 and not self._stopped.is_set():
            orders -= 1
            order = self._orders.draw()
            try:
                told = client.send(order)
            except LOST:
                self._book.lost.append(order)
                raise
            self._book.told.append(told)
            if told.code == LATER:
                self._stopped.wait(PAUSE_AFTER_REJECTION)


def clients_of_all_workers(count: int, workers: int, address: str, token: str) -> list[Client]:
    """Connected clients, equally many for each worker. Which worker takes a connection is chance, so more are tried."""
    found: dict[str, list[Client]] = {}
    share = count // workers
    for _ in range(TRIED):
        client = Client(address, token)
        of_worker = found.setdefault(client.worker(), [])
        if len(of_worker) < share:
            of_worker.append(client)
        else:
            client.close()
        if len(found) == workers and all(len(clients) == share for clients in found.values()):
            return [client for clients in found.values() for client in clients]
        time.sleep(PAUSE_SECONDS)
    raise AssertionError(f"{len(found)} of {workers} workers took connections")


def _multipart(xml: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="xml"; filename="a.xml"\r\n\r\n'
    return head.encode() + xml + f"\r\n--{BOUNDARY}--\r\n".encode()


def _code(body: dict[str, Any]) -> str:
    if body["status"] == "success":
        return "200"
    message = str(body["message"])
    return message.partition(" ")[0].rstrip(".") if message.startswith(("307", "CFDI", LATER)) else message


def _folio(body: dict[str, Any]) -> str:
    data = body.get("data") or {}
    for text in (data.get("tfd"), data.get("cfdi")):
        if found := _FOLIO.search(text or ""):
            return found[1]
    return str(data.get("uuid") or "")
