"""The rules of one kind of node, bound for one kind of document, and their evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from timbra.cfdi.nodes import Node
from timbra.cfdi.nodes.unsound import UnsoundPartError
from timbra.rules.engine.context import AnyContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Severity, Violation
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.shortcuts import Selection, selection
from timbra.rules.engine.value_groups import ValueGroups

Predicate = Callable[[Any, Any], RuleResult]
AppliesPredicate = Callable[[Any, Any], bool]

MIN_BATCH = 5
"""Number of nodes from which rule by rule is faster than node by node."""


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A rule with the severity of a profile and its rule set.

    Attributes:
        rule_set: name of the rule set.
        of_complement: whether the rule set concerns a complement; its findings follow those of the invoice.
    """

    rule: AnyRule
    severity: Severity
    rule_set: str
    of_complement: bool


BoundCheck = tuple[AppliesPredicate | None, Predicate, BoundRule]
Failures = list[tuple[BoundRule, Node, Violation | Indeterminate]]
"""Results other than None, with the rule and the node."""


class BoundRules:
    """The rules of one kind of node, in SAT's order.

    The evaluation has two steps. The first finds the nodes that may fail, in the fastest order of evaluation; it uses
    the shortcuts of the predicates and what earlier documents have shown. The second evaluates every rule for these
    nodes, which a valid document does not have.

    Args:
        rules: the rules.
        groups: the groups of an engine, which keep rules with the same determination together.
    """

    def __init__(self, rules: Iterable[BoundRule], groups: ValueGroups) -> None:
        entries = tuple(rules)
        self._checks: tuple[BoundCheck, ...] = tuple(
            [(None, entry.rule.predicate, entry) for entry in entries if entry.rule.applies is None]
            + [(entry.rule.applies, entry.rule.predicate, entry) for entry in entries if entry.rule.applies is not None]
        )
        self._groups, others = groups.of([entry.rule for entry in entries])
        self._unconditional = tuple([rule.predicate for rule in others if rule.applies is None])
        conditional: dict[AppliesPredicate, list[Predicate]] = {}
        for rule in others:
            if rule.applies is not None:
                conditional.setdefault(rule.applies, []).append(rule.predicate)
        self._conditional = tuple([(applies, tuple(found)) for applies, found in conditional.items()])
        self._selections = (
            *[group.select for group in self._groups],
            *[_violating(predicate) for predicate in self._unconditional],
            *[_conditional(applies, predicates) for applies, predicates in self._conditional],
        )

    @property
    def checks(self) -> tuple[BoundCheck, ...]:
        """Condition, predicate and rule of each, those without condition first."""
        return self._checks

    def evaluate(self, nodes: Sequence[Node], ctx: AnyContext, failures: Failures) -> None:
        """Evaluate every rule for every node and append to `failures` each result other than None."""
        if len(nodes) < MIN_BATCH:
            for node in nodes:
                if self._may_fail(node, ctx):
                    self._evaluate(node, ctx, failures)
            return
        found: list[Node] = []
        for select in self._selections:
            found += select(nodes, ctx)
        if found:
            identities = set(map(id, found))
            for node in nodes:
                if id(node) in identities:
                    self._evaluate(node, ctx, failures)

    def _may_fail(self, node: Node, ctx: AnyContext) -> bool:
        satisfied = ctx.cache.satisfied
        for group in self._groups:
            known = satisfied.get(group)
            if (known is None or group.read(node) not in known) and not group.settles(node, ctx):
                return True
        for predicate in self._unconditional:
            if predicate(node, ctx) is not None:
                return True
        for applies, predicates in self._conditional:
            if applies(node, ctx):
                for predicate in predicates:
                    if predicate(node, ctx) is not None:
                        return True
        return False

    def _evaluate(self, node: Node, ctx: AnyContext, failures: Failures) -> None:
        for applies, predicate, entry in self._checks:
            if applies is None or applies(node, ctx):
                result = predicate(node, ctx)
                if result is not None:
                    failures.append((entry, node, result))

    def evaluate_sound(
        self, nodes: Sequence[Node], ctx: AnyContext, failures: Failures, skipped: list[BoundRule]
    ) -> None:
        """Evaluate as `evaluate`; append to `skipped` each rule that reads a part that is not sound."""
        for node in nodes:
            for applies, predicate, entry in self._checks:
                try:
                    result = predicate(node, ctx) if applies is None or applies(node, ctx) else None
                except UnsoundPartError:
                    skipped.append(entry)
                else:
                    if result is not None:
                        failures.append((entry, node, result))


def _violating(predicate: Predicate) -> Selection:
    """Return the selection of the nodes that may fail a rule without condition."""
    return selection(predicate) or (lambda nodes, ctx: [node for node in nodes if predicate(node, ctx) is not None])


def _conditional(applies: AppliesPredicate, predicates: Iterable[Predicate]) -> Selection:
    """Return the selection of the nodes that may fail one of the rules of a condition."""
    concerned = selection(applies) or (lambda nodes, ctx: [node for node in nodes if applies(node, ctx)])
    violating = [_violating(predicate) for predicate in predicates]

    def select(nodes: Sequence[Node], ctx: AnyContext) -> Sequence[Node]:
        some = concerned(nodes, ctx)
        if not some:
            return ()
        found: list[Node] = []
        for each in violating:
            found += each(some, ctx)
        return found

    return select
