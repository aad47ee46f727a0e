"""Finds assertions about durations in the text of a test: they fail on a busy machine, and belong to the bench.

A deadline (`assert time.monotonic() < deadline` in a waiting loop) is accepted: no clock reading is subtracted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

CLOCKS = frozenset(
    f"{name}{unit}"
    for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time")
    for unit in ("", "_ns")
)
CLOCK = re.compile(r"\b(monotonic|perf_counter|process_time|thread_time|timeit|time(_ns)?\(\))")
"""Matches every text that reads a clock."""
COLLECTING = frozenset({"append", "add", "extend"})
PROGRAM = re.compile(r"\b(monotonic|perf_counter|process_time|thread_time)(_ns)?\(\)\s*-")
"""Matches source code in a string that subtracts from a clock reading."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def timed_assertions(source: str) -> list[int]:
    """The lines of assertions that depend on a duration, and of programs in strings that measure one."""
    if not CLOCK.search(source):
        return []
    tree = ast.parse(source)
    names = _Names(tree)
    asserted = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert) and names.measures(node.test)}
    return sorted(asserted | set(_programs(tree)))


def _programs(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and PROGRAM.search(node.value):
            yield node.lineno


class _Names:
    """Names of a module that hold a clock reading or a duration in any scope."""

    def __init__(self, tree: ast.Module) -> None:
        self._clocks = {name for name, imported in _imported(tree, "time") if imported in CLOCKS}
        self._readings: set[str] = set()
        self._durations = {name for name, _ in _imported(tree, "timeit")}
        nodes = list(ast.walk(tree))
        while self._learn(nodes):
            pass

    def measures(self, node: ast.AST) -> bool:
        """Whether a part of it is a difference of clock readings, or a name of one."""
        return any(self._is_duration(part) for part in ast.walk(node))

    def _reads(self, node: ast.AST) -> bool:
        return any(
            (isinstance(part, ast.Call) and self._is_clock(part.func))
            or (isinstance(part, ast.Name) and part.id in self._readings)
            for part in ast.walk(node)
        )

    def _is_clock(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Attribute):
            return function.attr in CLOCKS
        return isinstance(function, ast.Name) and function.id in self._clocks

    def _is_duration(self, node: ast.AST) -> bool:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            return self._reads(node.left) or self._reads(node.right)
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id == "timeit"
        return isinstance(node, ast.Name) and node.id in self._durations

    def _learn(self, nodes: Iterable[ast.AST]) -> bool:
        """Add names from assignments and returns; return whether there were new ones."""
        before = len(self._readings), len(self._durations)
        for node in nodes:
            for name, value in _bound(node):
                if self.measures(value):
                    self._durations.add(name)
                elif self._reads(value):
                    self._readings.add(name)
        return before != (len(self._readings), len(self._durations))


def _imported(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """Yield the imported names of the module: the local name and the name in the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names with the values that they get: assigned, collected in a list, or returned by a function of the name."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((name, value) for target in targets for name in _names_in(target))
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
            | ast.AugAssign(target=target, value=value)
        ):
            yield from ((name, value) for name in _names_in(target))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute), args=[value, *_]):
            if attribute in COLLECTING:
                yield name, value
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from ((node.name, value) for value in _returned(node))


def _names_in(target: ast.expr) -> Iterator[str]:
    yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _returned(function: Function) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            yield node.value
