"""The composition root: builds services from settings and chooses the implementation of each port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from timbra.app.container import Container
from timbra.app.document_processes import run_in_child
from timbra.app.production import ProductionContainer
from timbra.app.rehearsal import RehearsalContainer
from timbra.app.sandbox import SandboxContainer
from timbra.core.clock import Clock
from timbra.settings import Settings

__all__ = [
    "Container",
    "ProductionContainer",
    "RehearsalContainer",
    "SandboxContainer",
    "build_container",
    "open_container",
]

CONTAINERS: Mapping[str, type[Container]] = {
    "sandbox": SandboxContainer,
    "rehearsal": RehearsalContainer,
    "production": ProductionContainer,
}


def build_container(settings: Settings, wall: Clock | None = None, metrics_folder: Path | None = None) -> Container:
    """Build the container of the environment that the settings name; the caller closes it.

    Args:
        wall: Wall time; the clock of the machine when None.
        metrics_folder: Folder in which the workers of one server share their metrics; None for a single process.
    """
    container = CONTAINERS[settings.environment](settings, wall, metrics_folder)
    container.run_in_child = run_in_child
    return container


@contextmanager
def open_container(
    settings: Settings, wall: Clock | None = None, metrics_folder: Path | None = None
) -> Iterator[Container]:
    """Context manager of `build_container`: closes the container at the end of the block."""
    container = build_container(settings, wall, metrics_folder)
    try:
        yield container
    finally:
        container.close()
