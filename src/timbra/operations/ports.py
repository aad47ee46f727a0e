"""What an environment tells about the data that a worker uses, and what features add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import BinaryIO

from timbra.container import Container
from timbra.core.periods import DayPeriod
from timbra.operations.health import HealthCheck, ServerHealth

ReportFiles = Callable[[DayPeriod], Iterable[tuple[str, Callable[[BinaryIO], object]]]]
"""Yields the file name of each report of a period, and the function that writes it."""


def server_health(_container: Container) -> Callable[[], ServerHealth]:
    """Return a function that returns the data and lists that this worker uses; each environment binds it."""
    raise NotImplementedError


def list_ages(_container: Container) -> Callable[[], Mapping[str, timedelta]]:
    """Return a function that returns the age of each list by its name; each environment binds it."""
    raise NotImplementedError


def health_conditions(_container: Container) -> Mapping[str, HealthCheck]:
    """Return the health checks that only this environment has, by the message of a failure."""
    return {}


def report_files(_container: Container) -> ReportFiles:
    """Return the reports that an archive contains; none without a feature that has reports."""
    return lambda _: ()
