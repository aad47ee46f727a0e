"""Routing: a dictionary for paths whose placeholders all have a closed set of values, patterns for the other ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from timbra.core.text import storable
from timbra.web.framework.operation import Operation

_SLASHES = re.compile(r"/{2,}")


def normalize_path(path: str) -> str:
    """Collapse runs of `/` and drop one trailing `/`; the root stays `/`, and letters keep their case."""
    if "//" in path:
        path = _SLASHES.sub("/", path)
    if len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    return path


REST = "rest"
"""The placeholder at the end of a path that matches several segments."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")

RouteMatch = tuple[Operation, Mapping[str, str]]
"""An operation and its path parameters by name."""


class Router:
    """Finds the operation of a request. Paths match without case, after `normalize_path`."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._static: dict[tuple[str, str], RouteMatch] = {}
        self._patterns: list[tuple[str, re.Pattern[str], Operation]] = []
        self._methods: set[str] = set()
        for operation in operations:
            self._methods.add(operation.method)
            for path in operation.paths:
                self._add(operation, path)

    def find(self, method: str, path: str) -> RouteMatch | None:
        """Find the operation of a method and a path.

        Args:
            method: HTTP method; HEAD is handled as GET.
            path: The path of the request, decoded.

        Returns:
            The operation and its path parameters: in lower case when the placeholder has a closed set of values, else
            as sent and made `storable`. None when there is no such operation.
        """
        method = "GET" if method == "HEAD" else method
        path = normalize_path(path)
        return self._static.get((method, path.lower())) or self._match(method, path)

    def methods(self, path: str) -> list[str]:
        """Return the HTTP methods that have an operation at a path, in alphabetical order; HEAD where GET has one."""
        found = {method for method in self._methods if self.find(method, path) is not None}
        return sorted(found | {"HEAD"} if "GET" in found else found)

    def _match(self, method: str, path: str) -> RouteMatch | None:
        for pattern_method, pattern, operation in self._patterns:
            if pattern_method == method and (match := pattern.fullmatch(path)):
                return operation, {name: storable(value) for name, value in match.groupdict().items()}
        return None

    def _add(self, operation: Operation, path: str) -> None:
        if all(name in operation.choices for name in placeholders(path)):
            for static_path, parameters in expand_path(path, operation.choices):
                self._static[operation.method, static_path] = operation, parameters
        else:
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)).replace(f"<{REST}>[^/]+", f"<{REST}>.+")
            self._patterns.append((operation.method, re.compile(pattern, re.IGNORECASE), operation))


def placeholders(path: str) -> list[str]:
    """Return the names of the placeholders of a path template, in order."""
    return _PLACEHOLDER.findall(path)


def fill_single_choices(path: str, choices: Mapping[str, tuple[str, ...]]) -> str:
    """Replace each placeholder that has only one value by this value.

    Args:
        path: A path template.
        choices: Values of a placeholder by its name.
    """
    for name in placeholders(path):
        if len(choices.get(name, ())) == 1:
            path = path.replace(f"{{{name}}}", choices[name][0])
    return path


def expand_path(path: str, choices: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every path of a template, in lower case, with its path parameters.

    Args:
        path: A path template.
        choices: Values of every placeholder by its name.
    """
    names = placeholders(path)
    for values in product(*(choices[name] for name in names)):
        parameters = dict(zip(names, values, strict=True))
        yield path.format(**parameters).lower(), parameters
