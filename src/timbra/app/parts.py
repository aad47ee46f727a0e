"""Lazily built parts of a container."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

from timbra.database.event_loop import Allowed, allowed_on_event_loop

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
