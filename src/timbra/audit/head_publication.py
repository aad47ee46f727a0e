"""Publication of the newest signed head outside of the machine: to files, HTTPS addresses and e-mail addresses.

A person who can write the database, the master key and the data folder can make another audit log, but not the heads
that have left the machine before.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

import orjson
import structlog

from timbra.audit.signed_chain import write_head
from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import AUDIT_HEADS, MetricsRegistry
from timbra.events.audit.chain import AuditHead
from timbra.sat.transport import Transport

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.audit")

STATE_FILE = "audit-heads.json"
"""File of the data folder with what each destination has."""
UNAVAILABLE = "audit-head-unsent"
MAX_ANSWER_BYTES = 64 * 1024
SUCCESSES = range(200, 300)


@dataclass(frozen=True, slots=True)
class SentHead:
    """What a destination has.

    Attributes:
        sequence: The head that it got last; 0 for none.
        at: When it got it; None for never.
        failing_since: Since when it cannot be reached; None while it can.
        reason: Why, in Spanish.
    """

    sequence: int = 0
    at: datetime | None = None
    failing_since: datetime | None = None
    reason: str = ""


class HeadDestination(Protocol):
    """A place outside of the machine. It raises ServiceError when it did not take the head."""

    is_daily: bool
    """Whether it gets one head a day instead of each that is new at a run."""

    def send(self, head: AuditHead, checkpoint: str) -> None: ...


class HeadFile:
    """A file on another machine's share, with one JSON line for each head.

    Args:
        path: The file; its folder must exist.
    """

    is_daily = False

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, head: AuditHead, checkpoint: str) -> None:
        """Append the line, durably."""
        try:
            with self._path.open("ab") as file:
                file.write(head_line(head, checkpoint) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ServiceError(UNAVAILABLE, f"{error.strerror or error}.") from error


class HeadAddress:
    """An HTTPS address that takes heads as JSON by POST and answers with a status of success."""

    is_daily = False

    def __init__(self, url: str, transport: Transport, seconds: float) -> None:
        self._url = url
        self._transport = transport
        self._seconds = seconds

    def send(self, head: AuditHead, checkpoint: str) -> None:
        answer = self._transport.exchange(
            "POST",
            self._url,
            seconds=self._seconds,
            max_bytes=MAX_ANSWER_BYTES,
            content=head_line(head, checkpoint),
            headers={"Content-Type": "application/json"},
        )
        if answer.status not in SUCCESSES:
            raise ServiceError(UNAVAILABLE, f"Respondió {answer.status}.")


class HeadEmail:
    """An e-mail address, which gets one head a day.

    Args:
        recipient: The address.
        sender: The sender's address.
        server: The host of the server, for the subject.
        transport: Sends a message, see `Smtp.send`.
    """

    is_daily = True

    def __init__(
        self, recipient: str, sender: str, server: str, transport: Callable[[EmailMessage, str, str], None]
    ) -> None:
        self._recipient = recipient
        self._sender = sender
        self._server = server
        self._transport = transport

    def send(self, head: AuditHead, checkpoint: str) -> None:
        """Send the head as text that `timbra audit verify --head` takes."""
        message = EmailMessage()
        message["From"], message["To"] = self._sender, self._recipient
        message["Subject"] = f"Timbra: bitácora de auditoría de {self._server}, renglón {head.sequence}"
        message.set_content(
            "Conserve este mensaje fuera del servidor. La bitácora de auditoría debe contener este renglón:\n\n"
            f"timbra audit verify --head {head.sequence}:{head.hash.hex()}\n\n{head_line(head).decode()}\n\n"
            f"El registro de transparencia debe continuar este checkpoint (timbra log consistency):\n\n{checkpoint}"
        )
        self._transport(message, self._sender, self._recipient)


class HeadPublication:
    """Sends the newest head to every destination that does not have it; for a job of one process of all nodes."""

    def __init__(
        self,
        newest: Callable[[], AuditHead | None],
        destinations: Mapping[str, HeadDestination],
        folder: Path,
        wall: Clock,
        metrics: MetricsRegistry,
        checkpoint: Callable[[], str] = str,
    ) -> None:
        """Publish heads.

        Args:
            newest: Returns the newest head; None without one.
            destinations: The destinations by their name in the settings.
            folder: The data folder, for the state and the file of the newest head.
            metrics: Counts the heads.
            checkpoint: Returns the newest checkpoint of the transparency log, which goes with each head.
        """
        self._metrics = metrics
        self._checkpoint = checkpoint
        self._newest = newest
        self._destinations = destinations
        self._folder = folder
        self._wall = wall

    def write_file(self) -> None:
        """Write the file of the newest head into the data folder; for a job of each node."""
        head = self._newest()
        if head is not None:
            write_head(self._folder, head)

    def run(self) -> None:
        """Send the newest head. A destination that fails is logged once, and tried again at the next run."""
        head = self._newest()
        if head is None or not self._destinations:
            return
        states = read_states(self._folder)
        found = {name: self._sent(name, head, states.get(name, SentHead())) for name in self._destinations}
        if found != states:
            _write_states(self._folder, found)

    def _sent(self, name: str, head: AuditHead, state: SentHead) -> SentHead:
        now, destination = self._wall.now(), self._destinations[name]
        if state.sequence == head.sequence or (destination.is_daily and _is_same_day(state.at, now)):
            return state
        failure = _failure_of(destination, head, self._checkpoint())
        self._metrics.count(AUDIT_HEADS, ("sent" if failure is None else failure.code,))
        if failure is None:
            return SentHead(head.sequence, now)
        if state.failing_since is None:
            log.error("audit head not sent", destination=name, code=failure.code, detail=failure.detail)
        return replace(state, failing_since=state.failing_since or now, reason=failure.detail or failure.code)


def _failure_of(destination: HeadDestination, head: AuditHead, checkpoint: str) -> ServiceError | None:
    try:
        destination.send(head, checkpoint)
    except ServiceError as error:
        return error
    return None


def problems(folder: Path, destinations: Sequence[str]) -> list[str]:
    """Return a Spanish sentence for each destination that cannot be reached; for readiness.

    Args:
        folder: The data folder.
        destinations: The names of the destinations in the settings.
    """
    states = read_states(folder)
    return [
        f"La bitácora de auditoría no llega a {name} desde {state.failing_since:%Y-%m-%dT%H:%M:%SZ}: {state.reason}"
        for name in destinations
        if (state := states.get(name)) is not None and state.failing_since is not None
    ]


def head_line(head: AuditHead, checkpoint: str = "") -> bytes:
    """Return a head as JSON; with the public key, its signature can be verified without the server."""
    return orjson.dumps(
        {
            "sequence": head.sequence,
            "hash": head.hash.hex(),
            "at": head.at,
            "key": head.key_id,
            "signature": head.signature.hex(),
            **({"checkpoint": checkpoint} if checkpoint else {}),
        }
    )


def read_states(folder: Path) -> dict[str, SentHead]:
    """Return what each destination has; empty when the file is missing or unreadable."""
    try:
        stored = orjson.loads((folder / STATE_FILE).read_bytes())
        return {name: _state(row) for name, row in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return {}


def _state(row: Mapping[str, str | int | None]) -> SentHead:
    at, failing = row["at"], row["failing_since"]
    return SentHead(
        int(row["sequence"] or 0),
        None if at is None else datetime.fromisoformat(str(at)),
        None if failing is None else datetime.fromisoformat(str(failing)),
        str(row["reason"]),
    )


def _write_states(folder: Path, states: Mapping[str, SentHead]) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".audit-heads", dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(orjson.dumps({destination: asdict(state) for destination, state in states.items()}))
    os.replace(name, folder / STATE_FILE)


def _is_same_day(at: datetime | None, now: datetime) -> bool:
    return at is not None and at.astimezone(CENTRAL_MEXICO).date() == now.astimezone(CENTRAL_MEXICO).date()
