"""The groups of services that features declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from timbra.core.features import Feature, features


class ServiceGroups(Mapping[type[Any], Callable[[], Any]]):
    """Functions that build each group of services, by its class.

    The feature of the package that has the class declares the group in `SERVICES`. Its modules are imported when one of
    its groups is looked up.

    Args:
        get: Returns what a function of `SERVICES` builds.
    """

    def __init__(self, get: Callable[[Any], Any]) -> None:
        self._get = get
        self._found: dict[type[Any], Callable[[], Any]] = {}

    def __getitem__(self, group: type[Any]) -> Callable[[], Any]:
        if group not in self._found:
            self._find(group)
        return self._found[group]

    def __iter__(self) -> Iterator[type[Any]]:
        for feature in self._features.values():
            for module in feature.services:
                yield from feature.read(module, "SERVICES")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def _features(self) -> Mapping[str, Feature]:
        return {f"timbra.{feature.package}": feature for feature in features()}

    def _find(self, group: type[Any]) -> None:
        feature = self._features.get(".".join(group.__module__.split(".")[:2]))
        if feature is None:
            return
        for module in feature.services:
            services = feature.read(module, "SERVICES")
            if group in services:
                self._found[group] = partial(self._get, services[group])
                return
