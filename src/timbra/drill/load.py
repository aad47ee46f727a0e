"""The load of a drill: clients that send each invoice to one node after the other until it is stamped."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from httpx2 import Client, HTTPError, Response

from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT

PATH = "/cfdi33/issue/v4"
SERIES = "SIMULACRO"
AGE = timedelta(minutes=5)
TIMEOUT_SECONDS = 30
PAUSE_SECONDS = 0.5
"""Between two attempts to send an invoice."""
NO_ANSWER = "sin respuesta"
ALREADY_STAMPED = "307"
STOP_SECONDS = 60


@dataclass(frozen=True, slots=True)
class StampedAnswer:
    """A stamp that a client got.

    Attributes:
        number: The Folio of the invoice.
        cfdi: The stamped document as the server answered it; empty when the answer has none.
        first_sent: Unix time of the first attempt.
        sent: Unix time of the attempt that got the answer.
        at: Unix time of the answer.
    """

    number: int
    uuid: str
    cfdi: bytes
    node: str
    first_sent: float
    sent: float
    at: float


@dataclass(frozen=True, slots=True)
class RejectedAttempt:
    """An attempt without a stamp. code: of the answer; the kind of failure without an answer."""

    code: str
    status: int
    message: str
    node: str
    at: float


@dataclass
class LoadLog:
    """What the clients sent and got. Appended to by several threads."""

    sent: list[int] = field(default_factory=list)
    answers: list[StampedAnswer] = field(default_factory=list)
    rejections: list[RejectedAttempt] = field(default_factory=list)

    def unanswered(self) -> list[int]:
        """Return the invoices that have no stamp yet."""
        return sorted({*self.sent} - {answer.number for answer in self.answers})


class Load:
    """Clients that send invoices at a rate until they are stopped; each goes on with an invoice until it is stamped.

    Attributes:
        log: What they sent and got.
    """

    def __init__(self, nodes: Sequence[tuple[str, str]], token: str, rate: float, clients: int) -> None:
        """Prepare the clients.

        Args:
            nodes: Name and address of each node.
            rate: Invoices each second, over all clients.
        """
        self.log = LoadLog()
        self._nodes = nodes
        self._token = token
        self._period = clients / rate
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._abandoned = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, name=f"drill-client-{place}", daemon=True) for place in range(clients)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Send no more invoices, and wait until those that were sent are stamped or the time is over."""
        self._stopped.set()
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._abandoned.set()
        for thread in self._threads:
            thread.join(TIMEOUT_SECONDS + PAUSE_SECONDS)

    def _work(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        # A proxy of the environment must not get requests to this machine.
        with Client(headers=headers, timeout=TIMEOUT_SECONDS, trust_env=False) as client:
            while not self._stopped.is_set():
                begun = time.monotonic()
                with self._lock:
                    number = next(self._numbers)
                self.log.sent.append(number)
                self._send_until_stamped(client, number)
                self._stopped.wait(max(0.0, self._period - (time.monotonic() - begun)))

    def _send_until_stamped(self, client: Client, number: int) -> None:
        xml, first_sent = invoice(number), time.time()
        for attempt in itertools.count(number):
            name, address = self._nodes[attempt % len(self._nodes)]
            if self._send(client, (number, xml, first_sent), name, address) or self._abandoned.wait(PAUSE_SECONDS):
                return

    def _send(self, client: Client, order: tuple[int, bytes, float], name: str, address: str) -> bool:
        """Send an invoice to a node, and return whether it has a stamp."""
        number, xml, first_sent = order
        sent = time.time()
        try:
            response = client.post(address + PATH, files={"xml": ("factura.xml", xml)})
        except HTTPError as error:
            self.log.rejections.append(RejectedAttempt(NO_ANSWER, 0, type(error).__name__, name, time.time()))
            return False
        found = read_answer(response)
        if isinstance(found, tuple):
            self.log.answers.append(StampedAnswer(number, *found, name, first_sent, sent, time.time()))
            return True
        self.log.rejections.append(RejectedAttempt(found, response.status_code, _message(response), name, time.time()))
        return False


def read_answer(response: Response) -> tuple[str, bytes] | str:
    """Return folio and document of a stamp, also of an earlier one (307); else the code of the rejection."""
    body = _json(response)
    data, message = body.get("data") or {}, str(body.get("message") or "")
    code = message.partition(" ")[0].rstrip(".:")
    if isinstance(data, dict) and data.get("uuid") and (body.get("status") == "success" or code == ALREADY_STAMPED):
        return str(data["uuid"]).lower(), str(data.get("cfdi") or "").encode()
    return code or f"HTTP {response.status_code}"


def invoice(number: int, now: Callable[[], datetime] = lambda: datetime.now(CENTRAL_MEXICO)) -> bytes:
    """Return an unsealed invoice that can be issued now. Its Folio is the number."""
    from timbra.examples import ingreso

    fecha = (now() - AGE).strftime(LOCAL_FORMAT)
    return ingreso({"@Serie": SERIES, "@Folio": str(number)}, fecha=fecha).encode()


def _message(response: Response) -> str:
    body = _json(response)
    return " ".join(str(body[name]) for name in ("message", "messageDetail") if body.get(name))


def _json(response: Response) -> dict[str, object]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
