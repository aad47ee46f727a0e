"""Lazily built parts of a container."""

from __future__ import annotations

import functools
from typing import Any, Generic, TypeVar, overload

from timbra.container import Build, Container
from timbra.pools.event_loop import Allowed, allowed_on_event_loop

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801 - replaces the one of functools
    """As `functools.cached_property`; the first use may read the database, even on an event loop."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> cached_property[T] | T:
        if instance is None:
            return self
        with allowed_on_event_loop(Allowed.FIRST_USE):
            return super().__get__(instance, owner)


class part(Generic[T]):  # noqa: N801 - used as a property
    """A part of a container, by the function that builds it."""

    def __init__(self, build: Build[T]) -> None:
        self._build = build

    def __get__(self, instance: Container, owner: type[Any] | None = None) -> T:
        return instance.get(self._build)
