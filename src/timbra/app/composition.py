"""The composition root: it binds the ports of an environment, and opens its container."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from timbra.app.bindings import environment_bindings
from timbra.app.document_processes import run_in_child
from timbra.container import Bindings, Container, UnavailableServicesError
from timbra.container.child import child_runner
from timbra.core.clock import Clock
from timbra.delivery.ports import authority_work
from timbra.settings import Settings

__all__ = ["Container", "build_all", "build_container", "open_container"]


def build_container(
    settings: Settings,
    wall: Clock | None = None,
    metrics_folder: Path | None = None,
    bindings: Bindings = MappingProxyType({}),
) -> Container:
    """Build the container of the environment that the settings name; the caller closes it.

    Args:
        wall: Wall time; the clock of the machine when None.
        metrics_folder: Folder in which the workers of one server share their metrics; None for a single process.
        bindings: Functions by those that they replace, besides those of the environment.
    """
    own = {**environment_bindings(settings.environment), child_runner: lambda _: run_in_child}
    return Container(settings, wall, metrics_folder, {**own, **bindings})


@contextmanager
def open_container(
    settings: Settings,
    wall: Clock | None = None,
    metrics_folder: Path | None = None,
    bindings: Bindings = MappingProxyType({}),
) -> Iterator[Container]:
    """Context manager of `build_container`: closes the container at the end of the block."""
    container = build_container(settings, wall, metrics_folder, bindings)
    try:
        yield container
    finally:
        container.close()


def build_all(container: Container) -> None:
    """Build every group that the environment has, and the work with the authority.

    Raises:
        ServiceError: The settings of the provider are incomplete, see `ProviderBuilder.schedule` and `sat_delivery`. A
            certificate that may not stamp is no such error: it makes the worker not ready.
    """
    container.get(authority_work)
    for build in container.groups.values():
        with suppress(UnavailableServicesError):
            build()
