"""Dependency injection by type: a handler names the groups of services that it uses as annotated parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from timbra.errors import ServiceError

Handler = TypeVar("Handler", bound=Callable[..., Any])
Groups = Mapping[type[Any], Callable[[], Any]]


class UnavailableServicesError(ServiceError):
    """This environment does not have the group of services: the simulated authority exists in the sandbox only."""


def bind_services(handler: Handler, groups: Groups) -> Callable[..., Any]:
    """Give a handler the groups of services that its parameters are annotated with.

    Args:
        handler: A function whose first parameter is the request; parameters annotated with a group class come after.
        groups: Builds each group, by its class. A group is built when a handler that uses it is bound.

    Returns:
        The handler, to be called with the request alone.

    Raises:
        UnavailableServicesError: The environment does not have one of the groups.
    """
    wanted = {
        parameter.name: groups[group]
        for parameter in inspect.signature(handler).parameters.values()
        if (group := _group(handler, parameter.annotation, groups)) is not None
    }
    return partial(handler, **{name: build() for name, build in wanted.items()}) if wanted else handler


def is_available(group: type[Any], groups: Groups) -> bool:
    """Return whether the environment has this group of services; builds it."""
    try:
        groups[group]()
    except UnavailableServicesError:
        return False
    return True


def _group(handler: Callable[..., Any], annotation: Any, groups: Groups) -> type[Any] | None:
    """The group class of an annotation, which `from __future__ import annotations` leaves as text."""
    found = handler.__globals__.get(annotation) if isinstance(annotation, str) else annotation
    return found if isinstance(found, type) and found in groups else None
