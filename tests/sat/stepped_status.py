"""A SatStatus with a clock that only the test advances."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from timbra.core.retry import RetryPolicy
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import StatusQuery
from timbra.sat.soap import SoapService
from timbra.sat.status import SatStatus
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import Transport

QUERY = StatusQuery("5b64ada3-aa4c-40b4-a2f5-572ced52be31", "EKU9003173C9", "URE180429TM6", "00116.00", "Ab+/Cd==")


@dataclass
class SteppedClock:
    """A wall clock and a counter of seconds that `sleep` advances."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return datetime(2026, 11, 17, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


def sat_status(url: str, watch: SteppedClock | None = None, *, failures: int = 5, **retry: Any) -> SatStatus:
    """Return a client of the service with one attempt by default; without a watch it uses real time."""
    transport = Transport()
    if watch is not None:
        retry = {"now": watch.monotonic, "sleep": watch.sleep, **retry}
    waits = RetryPolicy(**{"attempts": 1, "seconds": 60.0, **retry})
    breaker = CircuitBreaker(failures, 30, watch.monotonic) if watch else CircuitBreaker(failures)
    return SatStatus(SoapService(url, transport), StatusCache(watch or SteppedClock()), breaker, waits)
