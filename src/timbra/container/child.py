"""Work in a child process, which has a container of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from timbra.container import Container
from timbra.core.metrics import State
from timbra.settings import Settings


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """What a child returns.

    Attributes:
        value: The result of the work; None after an error.
        error: The exception of the work.
        metrics: What the work counted.
    """

    value: Any
    error: Exception | None
    metrics: State


RunInChild = Callable[..., ProcessOutcome]
"""Runs work in a child: `run(settings, work, *args)` returns the outcome of `work(container, *args)`."""


def child_runner(_container: Container) -> RunInChild:
    """Return the function that runs work in a child; it can be pickled. The composition root binds it."""
    raise NotImplementedError


def keyless_settings(settings: Settings) -> Settings:
    """Return the settings without secrets, for a child process."""
    secrets = {name: "" for name, field in type(settings).model_fields.items() if not field.repr}
    return settings.model_copy(update={**secrets, "master_key_file": None})
