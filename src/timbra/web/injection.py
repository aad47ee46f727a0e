"""Dependency injection by type: a handler declares the groups of services that it uses as annotated parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from timbra.container import UnavailableServicesError

Handler = TypeVar("Handler", bound=Callable[..., Any])
Groups = Mapping[type[Any], Callable[[], Any]]


def bind_services(handler: Handler, groups: Groups) -> Callable[..., Any]:
    """Bind the groups of services that the parameters of a handler are annotated with.

    Args:
        handler: function whose first parameter is the request; parameters annotated with a group class follow.
        groups: builder of each group, by its class. A group is built when a handler that uses it is bound.

    Returns:
        A function of the request alone.

    Raises:
        UnavailableServicesError: the environment does not have one of the groups.
    """
    wanted = {
        parameter.name: groups[group]
        for parameter in inspect.signature(handler).parameters.values()
        if (group := _group(handler, parameter.annotation, groups)) is not None
    }
    return partial(handler, **{name: build() for name, build in wanted.items()}) if wanted else handler


def is_available(group: type[Any], groups: Groups) -> bool:
    """Build the group of services and return whether the environment has it."""
    try:
        groups[group]()
    except UnavailableServicesError:
        return False
    return True


def _group(handler: Callable[..., Any], annotation: Any, groups: Groups) -> type[Any] | None:
    """Return the group class of an annotation, which `from __future__ import annotations` leaves as text."""
    found = handler.__globals__.get(annotation) if isinstance(annotation, str) else annotation
    return found if isinstance(found, type) and found in groups else None
