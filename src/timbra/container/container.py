"""The container of one process: raw values, and what functions build from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from threading import Event, RLock
from types import MappingProxyType
from typing import Any, TypeVar

from timbra.container.groups import ServiceGroups
from timbra.core.clock import Clock, WallClock
from timbra.core.environments import ENVIRONMENTS
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.pools import Pools
from timbra.pools.event_loop import Allowed, allowed_on_event_loop
from timbra.settings import Settings

T = TypeVar("T")
Build = Callable[["Container"], T]
"""Builds one part of a container. It gets what it needs from the container: raw values, and what others build."""
Bindings = Mapping[Any, Callable[["Container"], Any]]
"""Functions by those that they replace: how an environment or a test supplies the implementation of a port."""


class Container:
    """The raw values of one process, and the parts that functions build from them at first use.

    Attributes:
        settings: Settings of the server.
        environment: What differs between the environments besides the services.
        wall: Wall time.
        opened_at: Wall time at which the container was built.
        metrics: Metrics of this process.
        metrics_folder: Folder in which the workers of one server share their metrics; None for a single process.
        pools: Thread pools of this process.
        stopping: Set when this process is to end; a delivery then ends after its batch.
        bound_address: Address and port of the listening socket, see `worker.bound_address`; empty without a server.
        bindings: Functions by those that they replace. It changes only before the first use of a replaced function.
        parts: What was built, by the function.
        closing: What `close` closes; the last one built is closed first.
    """

    def __init__(
        self,
        settings: Settings,
        wall: Clock | None = None,
        metrics_folder: Path | None = None,
        bindings: Bindings = MappingProxyType({}),
    ) -> None:
        self.settings = settings
        self.environment = ENVIRONMENTS[settings.environment]
        self.wall: Clock = wall or WallClock()
        self.opened_at = self.wall.now()
        self.metrics = MetricsRegistry()
        self.metrics_folder = metrics_folder
        self.pools = Pools(self.metrics)
        self.stopping = Event()
        self.bound_address = ""
        self.bindings = dict(bindings)
        self.parts: dict[Build[Any], Any] = {}
        self.closing = ExitStack()
        self._locks: dict[Build[Any], AbstractContextManager[bool]] = {}

    def get(self, build: Build[T]) -> T:
        """Return what a function builds; it is called at the first use, which may read the database on an event loop.

        Args:
            build: The function, or the one that `bindings` replace.
        """
        if build not in self.parts:
            with self._locks.setdefault(build, RLock()), allowed_on_event_loop(Allowed.FIRST_USE):
                if build not in self.parts:
                    self.parts[build] = self.bindings.get(build, build)(self)
        found: T = self.parts[build]
        return found

    @cached_property
    def groups(self) -> ServiceGroups:
        """Functions that build each group of services that a feature declares, by its class."""
        return ServiceGroups(self.get)

    def close(self) -> None:
        """Close what was opened: a part before the parts that it uses."""
        self.closing.close()


class UnavailableServicesError(ServiceError):
    """This environment does not have the group of services: the simulated authority exists in the sandbox only."""


def production_only() -> ServiceError:
    """Return the error of a function that a sandbox does not have."""
    return UnavailableServicesError("CO1000", "Esta función no existe en el ambiente de pruebas (sandbox).")


def sandbox_only() -> ServiceError:
    """Return the error of a function that exists in the sandbox only."""
    return UnavailableServicesError("CO1000", "Esta función solo existe en el ambiente de pruebas (sandbox).")
