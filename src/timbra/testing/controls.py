"""The fiscal clock and the faults of a sandbox server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from timbra.testing.connection import SandboxConnection


class SandboxClock:
    """Fiscal time: it decides the 72 hours of Fecha, FechaTimbrado, and which catalogs and certificates apply."""

    def __init__(self, connection: SandboxConnection) -> None:
        self._connection = connection

    def now(self) -> datetime:
        """Return fiscal time, aware."""
        return datetime.fromisoformat(self._connection.send("GET", "/sandbox/clock")["fiscalTime"])

    def set(self, instant: datetime | str, *, running: bool = False) -> datetime:
        """Set fiscal time.

        Args:
            instant: ISO 8601; without a zone in central Mexico.
            running: Whether time passes from there; otherwise it stands still.

        Returns:
            The new fiscal time.

        Raises:
            SandboxError: The instant cannot be read.
        """
        text = instant.isoformat() if isinstance(instant, datetime) else instant
        return self._changed("set", {"instant": text, "running": running})

    def advance(self, duration: timedelta | str) -> datetime:
        """Advance fiscal time by a duration such as `72h` or `-1d`; return the new fiscal time."""
        text = f"{duration // timedelta(seconds=1)}s" if isinstance(duration, timedelta) else duration
        return self._changed("advance", {"duration": text})

    def reset(self) -> datetime:
        """Return to the time of the machine."""
        return self._changed("reset", {})

    def _changed(self, action: str, body: dict[str, object]) -> datetime:
        answer = self._connection.send("POST", f"/sandbox/clock/{action}", body)
        return datetime.fromisoformat(answer["fiscalTime"])


@dataclass(frozen=True, slots=True)
class ActiveFault:
    """An active fault.

    Attributes:
        remaining: Requests that it still affects; None until it is cleared.
        seconds: Duration of a latency, or the value of Retry-After.
        probability: Share of the requests that it affects.
        seed: Number from which the decisions follow.
        route: Beginning of the path; empty for every path.
        account: User name; empty for every account.
    """

    name: str
    remaining: int | None
    seconds: float
    probability: float = 1.0
    seed: int = 1
    route: str = ""
    account: str = ""


class FaultControl:
    """Faults on demand, such as `answer-lost`, `unavailable` and `token-expired`."""

    def __init__(self, connection: SandboxConnection) -> None:
        self._connection = connection

    def set(
        self,
        name: str,
        *,
        times: int | None = None,
        seconds: float | None = None,
        probability: float | None = None,
        seed: int | None = None,
        route: str | None = None,
        account: str | None = None,
    ) -> ActiveFault:
        """Activate a fault.

        Args:
            name: Its name.
            times: Number of requests that it affects; None for all until it is cleared.
            seconds: Duration of a latency, or the value of Retry-After.
            probability: Share of the affected requests; None for all.
            seed: Number from which the decisions of a probability follow.
            route: Only paths that begin so.
            account: Only requests of this user.

        Raises:
            SandboxError: The fault is unknown, or a value is out of range.
        """
        given = {
            "name": name,
            "times": times,
            "seconds": seconds,
            "probability": probability,
            "seed": seed,
            "route": route,
            "account": account,
        }
        body = {key: value for key, value in given.items() if value is not None}
        return _fault(self._connection.send("POST", "/sandbox/faults", body))

    def clear(self, name: str = "") -> None:
        """Clear one fault, or all."""
        self._connection.send("DELETE", f"/sandbox/faults/{name}" if name else "/sandbox/faults")

    def active(self) -> Sequence[ActiveFault]:
        """Return the active faults."""
        return [_fault(found) for found in self._connection.send("GET", "/sandbox/faults")]


def _fault(found: dict[str, Any]) -> ActiveFault:
    return ActiveFault(**found)
