"""From a method and a path to an operation: a dictionary for closed paths, patterns for the few open ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from timbra.api.framework.operation import Operation
from timbra.api.framework.path_normalization import normal_path
from timbra.text import storable

_PLACEHOLDER = re.compile(r"\{(\w+)\}")

Found = tuple[Operation, Mapping[str, str]]


class Router:
    """Finds operations. Paths match without case, with runs of `/` collapsed and one trailing `/` dropped."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._closed: dict[tuple[str, str], Found] = {}
        self._open: list[tuple[str, re.Pattern[str], Operation]] = []
        for operation in operations:
            for path in operation.paths:
                self._add(operation, path)

    def find(self, method: str, path: str) -> Found | None:
        """The operation and its path parameters (closed ones in lower case, open ones as sent, `storable`).

        None if unknown.
        """
        method = "GET" if method == "HEAD" else method
        path = normal_path(path)
        return self._closed.get((method, path.lower())) or self._match(method, path)

    def _match(self, method: str, path: str) -> Found | None:
        for wanted, pattern, operation in self._open:
            if wanted == method and (match := pattern.fullmatch(path)):
                return operation, {name: storable(value) for name, value in match.groupdict().items()}
        return None

    def _add(self, operation: Operation, path: str) -> None:
        if all(name in operation.choices for name in placeholders(path)):
            for closed, parameters in expansions(path, operation.choices):
                self._closed[operation.method, closed] = operation, parameters
        else:
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path))
            self._open.append((operation.method, re.compile(pattern, re.IGNORECASE), operation))


def placeholders(path: str) -> list[str]:
    """The names in a template, in order."""
    return _PLACEHOLDER.findall(path)


def readable(path: str, choices: Mapping[str, tuple[str, ...]]) -> str:
    """The template with every placeholder filled that has only one value."""
    for name in placeholders(path):
        if len(choices.get(name, ())) == 1:
            path = path.replace(f"{{{name}}}", choices[name][0])
    return path


def expansions(path: str, choices: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Every closed path of a template, lower case, with the values that made it."""
    names = placeholders(path)
    for values in product(*(choices[name] for name in names)):
        parameters = dict(zip(names, values, strict=True))
        yield path.format(**parameters).lower(), parameters
