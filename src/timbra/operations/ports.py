"""What an environment tells about the data that a worker uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from timbra.container import Container
from timbra.operations.health import HealthCheck, ServerHealth


def server_health(_container: Container) -> Callable[[], ServerHealth]:
    """Return a function that returns the data and lists that this worker uses; each environment binds it."""
    raise NotImplementedError


def list_ages(_container: Container) -> Callable[[], Mapping[str, timedelta]]:
    """Return a function that returns the age of each list by its name; each environment binds it."""
    raise NotImplementedError


def health_conditions(_container: Container) -> Mapping[str, HealthCheck]:
    """Return the health checks that only this environment has, by the message of a failure."""
    return {}
