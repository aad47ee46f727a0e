"""Groups of rules that the same attributes settle, and the values that satisfied them in earlier documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from timbra.cfdi.nodes import Node
from timbra.rules.engine.context import AnyContext
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.shortcuts import determination

_NONE: frozenset[object] = frozenset()


class ValueGroup:
    """Rules that the same attributes of a node settle, with the catalogs and the date.

    Attributes:
        read: returns the attributes as one hashable value.
    """

    __slots__ = ("_conditions", "_predicates", "_tests", "read")

    def __init__(self, names: tuple[str, ...], rules: Iterable[AnyRule]) -> None:
        self.read: Callable[[Any], Any] = attrgetter(*names)
        self._predicates, self._tests, self._conditions = _functions(rules)

    def settles(self, node: Node, ctx: AnyContext) -> bool:
        """Whether the values of the node satisfy every rule; they are cached then."""
        if not self._holds(node, ctx):
            return False
        ctx.cache.add(self, (self.read(node),))
        return True

    def _holds(self, node: Node, ctx: AnyContext) -> bool:
        for predicate in self._predicates:
            if predicate(node, ctx) is not None:
                return False
        for test in self._tests:
            if not test(node, ctx):
                return False
        for applies in self._conditions:  # noqa: SIM110 (a generator doubles the time)
            if applies(node, ctx):
                return False
        return True

    def select(self, nodes: Sequence[Node], ctx: AnyContext) -> Sequence[Node]:
        """Return the nodes that the values do not settle."""
        read, known = self.read, ctx.cache.satisfied.get(self, _NONE)
        if known.issuperset(map(read, nodes)):
            return ()
        unknown = {value: node for node in nodes if (value := read(node)) not in known}
        unsettled = {value for value, node in unknown.items() if not self._holds(node, ctx)}
        ctx.cache.add(self, unknown.keys() - unsettled)
        return [node for node in nodes if read(node) in unsettled] if unsettled else ()


class ValueGroups:
    """The groups of an engine: rules that stand together in several plans share their values.

    Attributes:
        MAX: number of groups; a full table is emptied.
    """

    MAX = 4_096

    def __init__(self) -> None:
        self._groups: dict[object, ValueGroup] = {}

    def of(self, rules: Sequence[AnyRule]) -> tuple[tuple[ValueGroup, ...], list[AnyRule]]:
        """Return the groups of the rules of one kind of node, and the rules that no attributes settle."""
        by_names: dict[tuple[str, ...], list[AnyRule]] = {}
        others = []
        for rule in rules:
            names = _names(rule)
            if names is None:
                others.append(rule)
            else:
                by_names.setdefault(names, []).append(rule)
        for names in sorted(by_names, key=len):
            wider = next((other for other in by_names if set(names) < set(other)), None)
            if wider is not None:
                by_names[wider] += by_names.pop(names)
        return tuple([self._group(names, found) for names, found in by_names.items()]), others

    def _group(self, names: tuple[str, ...], rules: list[AnyRule]) -> ValueGroup:
        key = (names, _functions(rules))
        if key not in self._groups:
            if len(self._groups) >= self.MAX:
                self._groups.clear()
            self._groups[key] = ValueGroup(names, rules)
        return self._groups[key]


def _names(rule: AnyRule) -> tuple[str, ...] | None:
    """Return the attributes that settle a rule: those of its predicate, else those of its condition."""
    for function in (rule.predicate, rule.applies):
        found = None if function is None else determination(function)
        if found is not None:
            return found.names
    return None


def _functions(rules: Iterable[AnyRule]) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Return the predicates, the tests of predicates, and the conditions that settle rules."""
    predicates, tests, conditions = [], [], []
    for rule in rules:
        found = determination(rule.predicate)
        if found is None:
            conditions.append(rule.applies)
        elif found.test is None:
            predicates.append(rule.predicate)
        else:
            tests.append(found.test)
    return tuple(predicates), tuple(dict.fromkeys(tests)), tuple(dict.fromkeys(conditions))
