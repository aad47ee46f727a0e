"""The data that rules read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from timbra.container import Container
from timbra.rules.engine.ports import ReferenceData


@dataclass(frozen=True, slots=True)
class ReferenceSource:
    """The reference data of an environment.

    Attributes:
        current: Returns the reference data for the evaluation of one request.
        known: Returns them without reading the database; None when it has to be read.
    """

    current: Callable[[], ReferenceData]
    known: Callable[[], ReferenceData | None]


def reference_source(_container: Container) -> ReferenceSource:
    """Return the reference data; each environment binds it."""
    raise NotImplementedError
