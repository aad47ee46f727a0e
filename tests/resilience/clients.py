"""Clients that accept an answer only when it is complete."""

from __future__ import annotations

import hashlib
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
ORDERS_PER_CONNECTION = 5
TRIED = 2000
PAUSE_SECONDS = 0.005
_FOLIO = re.compile(r'Version="1.1" UUID="([0-9a-f-]{36})"')
TIMBRE = re.compile(rb"<tfd:TimbreFiscalDigital [^>]*/>")
# Exceptions of a connection to a killed server; IncompleteRead is a truncated answer.
LOST = (OSError, http.client.HTTPException)
STAMPED = {"200", "307"}
LATER = "CO1000"
PAUSE_AFTER_REJECTION = 0.05
PAUSE_WHEN_LATER = 0.5
MAX_WAIT_SECONDS = 40


@dataclass(frozen=True)
class StampAnswer:
    """A complete answer.

    Attributes:
        code: `200`, `307`, `CFDI3307` or another code of a rejection.
        worker: its identifier.
        digest: of the document, or of its timbre where the answer has no document; empty without both.
    """

    number: int
    code: str
    uuid: str
    worker: str
    digest: bytes = field(default=b"", repr=False)


class Client:
    """One connection."""

    def __init__(self, address: str, token: str, timeout: float = 30) -> None:
        place = urlsplit(address)
        self._connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=timeout)
        self._authorization = f"Bearer {token}"

    def send(self, order: Order) -> StampAnswer:
        """Send an order; raise one of LOST when there is no complete answer."""
        headers = {
            "Authorization": self._authorization,
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        }
        if order.custom_id is not None:
            headers["customid"] = order.custom_id
        body, worker = self._ask("POST", order.path, _multipart(order.xml), headers)
        return StampAnswer(order.number, _code(body), _folio(body), worker, _digest(body))

    def send_until_settled(self, order: Order) -> StampAnswer:
        """Send an order and repeat it while it is rejected with LATER; AssertionError after the last attempt."""
        for _ in range(MAX_WAIT_SECONDS):
            answer = self.send(order)
            if answer.code != LATER:
                return answer
            time.sleep(PAUSE_WHEN_LATER)
        raise AssertionError(f"order {order.number} is always rejected with {LATER}")

    def worker(self) -> str:
        """Return the identifier of the worker that serves this connection."""
        return self._ask("GET", "/health", None, {})[1]

    def close(self) -> None:
        self._connection.close()

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[dict[str, Any], str]:
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        return json.loads(content), (answer.getheader("X-Request-Id") or "").partition("-")[0]


@dataclass
class AnswerLog:
    """Requests and answers of all clients."""

    answers: list[StampAnswer] = field(default_factory=list)
    lost: list[Order] = field(default_factory=list)

    @property
    def folios(self) -> dict[int, set[str]]:
        """The folios in the answers to each order."""
        found: dict[int, set[str]] = {}
        for one in self.answers:
            if one.code in STAMPED:
                found.setdefault(one.number, set()).add(one.uuid)
        return found

    @property
    def unanswered(self) -> list[int]:
        """Orders without a final answer."""
        answered = {one.number for one in self.answers if one.code != LATER}
        sent = {order.number for order in self.lost} | {one.number for one in self.answers}
        return sorted(sent - answered)

    @property
    def rejections(self) -> int:
        """How many answers were LATER."""
        return sum(one.code == LATER for one in self.answers)


class LoadClients:
    """Clients that send orders, each on its own connection, until they are stopped.

    retries: a client opens another connection when its connection breaks, and after every few orders, so that all
    workers serve some.
    """

    def __init__(
        self, count: int, address: str, token: str, orders: Orders, answer_log: AnswerLog, *, retries: bool
    ) -> None:
        self._address, self._token = address, token
        self._orders, self._answer_log = orders, answer_log
        self._retries = retries
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._live, daemon=True) for _ in range(count)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop the clients and wait for their open requests."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _live(self) -> None:
        while not self._stopped.is_set():
            client = Client(self._address, self._token)
            try:
                self._work(client, ORDERS_PER_CONNECTION if self._retries else sys.maxsize)
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
                answer = client.send(order)
            except LOST:
                self._answer_log.lost.append(order)
                raise
            self._answer_log.answers.append(answer)
            if answer.code == LATER:
                self._stopped.wait(PAUSE_AFTER_REJECTION)


def clients_of_all_workers(count: int, workers: int, address: str, token: str) -> list[Client]:
    """Return connected clients, equally many for each worker; connect until every worker has its share."""
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


def digest_of(document: bytes) -> bytes:
    """Return a short digest, because a long run has a million answers."""
    return hashlib.blake2b(document, digest_size=16).digest()


def _digest(body: dict[str, Any]) -> bytes:
    data = body.get("data") or {}
    if document := data.get("cfdi"):
        return digest_of(document.encode())
    timbre = TIMBRE.search((data.get("tfd") or "").encode())
    return digest_of(timbre[0]) if timbre else b""


def _folio(body: dict[str, Any]) -> str:
    data = body.get("data") or {}
    for text in (data.get("tfd"), data.get("cfdi")):
        if found := _FOLIO.search(text or ""):
            return found[1]
    return str(data.get("uuid") or "")
