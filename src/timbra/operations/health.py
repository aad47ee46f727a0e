"""Health checks: whether this worker is ready, and how many deliveries are pending. Results are cached for a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Generic, TypedDict, TypeVar

import structlog

from timbra.catalogs.current import CatalogsInForce
from timbra.core.errors import ServiceError
from timbra.delivery.deliveries import Backlog

LOG = structlog.get_logger(__name__)
Result = TypeVar("Result")
HealthCheck = Callable[[], None]
TIMEOUT_SECONDS = 5.0
CACHE_SECONDS = 1.0
DRAINING = "el servidor se está deteniendo"
UNKNOWN = "No se pudo comprobar el estado de las listas y del reloj."
TIMED_OUT = "las comprobaciones no terminaron a tiempo"


class ServerHealth(TypedDict):
    """The data and lists that a worker uses. lists_version: day of each list, empty without lists.

    catalogs_edition: the edition of catalogs in force, empty for those of the release. catalogs_since: ISO 8601; None
    when no edition was ever put in force.

    lists_age_hours: None without lists, and in the sandbox. fiscal_time: ISO 8601 with a zone. audit_head: sequence and
    hash of the newest head of the audit log, as `timbra audit verify --head` takes it; empty without one.
    """

    status: str
    environment: str
    data_version: str
    catalogs_edition: str
    catalogs_since: str | None
    lists_version: str
    lists_age_hours: int | None
    fiscal_time: str
    audit_head: str


class CatalogHealth(TypedDict):
    """What `ServerHealth` has about the catalogs."""

    data_version: str
    catalogs_edition: str
    catalogs_since: str | None


def catalog_health(catalogs: CatalogsInForce) -> CatalogHealth:
    """Return the part of `ServerHealth` that is about the catalogs."""
    since = None if catalogs.since is None else catalogs.since.isoformat()
    return {
        "data_version": catalogs.snapshot.version,
        "catalogs_edition": catalogs.edition,
        "catalogs_since": since,
    }


class CachedResult(Generic[Result]):
    """The cached result of a slow function. An expired result is computed again in a thread, once for all callers.

    Args:
        compute: the function.
        seconds: lifetime of a result.
    """

    def __init__(self, compute: Callable[[], Result], seconds: float = CACHE_SECONDS) -> None:
        self._compute = compute
        self._seconds = seconds
        self._task: asyncio.Task[Result] | None = None
        self._expires = 0.0

    async def get(self) -> Result:
        """Return the result, or raise what the function raised.

        Raises:
            TimeoutError: The function did not return within five seconds.
        """
        if self._task is None or (self._task.done() and monotonic() > self._expires):
            self._task = asyncio.create_task(asyncio.to_thread(self._compute))
            self._task.add_done_callback(self._set_expiry)
        if self._task.done():
            return self._task.result()
        return await asyncio.wait_for(asyncio.shield(self._task), TIMEOUT_SECONDS)

    def _set_expiry(self, task: asyncio.Task[Result]) -> None:
        self._expires = monotonic() + self._seconds
        if not task.cancelled():
            task.exception()  # marks the exception as retrieved when no caller waits any more


class HealthChecks:
    """The readiness of this worker.

    Args:
        checks: By name, in Spanish; a check raises when its condition does not hold.
        backlog: Reads the pending deliveries.
        warnings: Returns what an operator must see to while requests are served, in Spanish.
    """

    def __init__(
        self,
        checks: Mapping[str, HealthCheck],
        backlog: Callable[[], Backlog],
        warnings: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._checks = checks
        self._warnings = CachedResult(warnings)
        self._failing = CachedResult(self.run_checks)
        self._backlog = CachedResult(backlog)
        self.is_draining = False

    async def failing(self) -> Sequence[str]:
        """Return the names of the failing checks, none when the worker is ready. The log has the causes."""
        if self.is_draining:
            return [DRAINING]
        try:
            return await self._failing.get()
        except TimeoutError:
            return [TIMED_OUT]

    async def warnings(self) -> Sequence[str]:
        """Return what an operator must see to, in Spanish; a failure to find out is such a warning."""
        try:
            return await self._warnings.get()
        except (ServiceError, TimeoutError, OSError):
            LOG.warning("warnings of the server are unknown", exc_info=True)
            return [UNKNOWN]

    async def backlog(self) -> Backlog:
        """Return the pending deliveries.

        Raises:
            ServiceError: "CO1000" when the database is out of reach.
            TimeoutError: The database did not respond in time.
        """
        return await self._backlog.get()

    def start_draining(self) -> None:
        """Report this worker as not ready from now on; it still serves requests."""
        self.is_draining = True

    def run_checks(self) -> list[str]:
        """Run all checks now and return the names of the failing ones."""
        return [name for name, check in self._checks.items() if not _passes(name, check)]


def _passes(name: str, check: HealthCheck) -> bool:
    """Run a check. Any exception is a failed check, and is logged."""
    try:
        check()
    except Exception as error:
        LOG.warning("not ready", missing=name, error=repr(error))
        return False
    return True
