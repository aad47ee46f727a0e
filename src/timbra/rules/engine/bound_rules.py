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

Predicate = Callable[[Any, Any], RuleResult]
AppliesPredicate = Callable[[Any, Any], bool]


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


Failures = list[tuple[BoundRule, Node, Violation | Indeterminate]]
"""Results other than None, with the rule and the node."""


class BoundRules:
    """The rules of one kind of node, in SAT's order."""

    def __init__(self, rules: Iterable[BoundRule]) -> None:
        checks = [(entry.rule.applies, entry.rule.predicate, entry) for entry in rules]
        self._unconditional = tuple([(predicate, entry) for applies, predicate, entry in checks if applies is None])
        self._conditional = tuple(
            [(applies, predicate, entry) for applies, predicate, entry in checks if applies is not None]
        )

    def evaluate(self, nodes: Sequence[Node], ctx: AnyContext, failures: Failures) -> None:
        """Evaluate every rule for every node and append to `failures` each result other than None."""
        unconditional, conditional = self._unconditional, self._conditional
        for node in nodes:
            for predicate, entry in unconditional:
                result = predicate(node, ctx)
                if result is not None:
                    failures.append((entry, node, result))
            for applies, predicate, entry in conditional:
                if applies(node, ctx):
                    result = predicate(node, ctx)
                    if result is not None:
                        failures.append((entry, node, result))

    def evaluate_sound(
        self, nodes: Sequence[Node], ctx: AnyContext, failures: Failures, skipped: list[BoundRule]
    ) -> None:
        """Evaluate as `evaluate`; append to `skipped` each rule that reads a part that is not sound."""
        checks = [(None, *check) for check in self._unconditional] + list(self._conditional)
        for node in nodes:
            for applies, predicate, entry in checks:
                try:
                    result = predicate(node, ctx) if applies is None or applies(node, ctx) else None
                except UnsoundPartError:
                    skipped.append(entry)
                else:
                    if result is not None:
                        failures.append((entry, node, result))
