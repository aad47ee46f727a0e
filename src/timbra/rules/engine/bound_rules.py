"""The rules of one kind of node, bound for one kind of document, and their evaluation.

Rules that declare what they read (`Rule.reads`, `Rule.applies_reads`) are memoized: for each combination of the
attribute values the engine keeps which rules remain to be evaluated, also for later documents of the same date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from timbra.cfdi.nodes import Node
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Severity, Violation
from timbra.rules.engine.rule import AnyRule, attribute_reader

MAX_DATES, MAX_VALUES = 4, 3_000
"""Size of the memo of one group, about 100 bytes a value; a full memo is emptied."""

Predicate = Callable[[Any, EvaluationContext], RuleResult]
AppliesPredicate = Callable[[Any, EvaluationContext], bool]


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A rule with the severity of a profile and the name of its rule set."""

    rule: AnyRule
    severity: Severity
    rule_set: str


BoundCheck = tuple[AppliesPredicate | None, Predicate, BoundRule]
"""Condition, predicate and entry of a rule, as the loop over the nodes needs them."""

Failures = list[tuple[BoundRule, Node, Violation | Indeterminate]]
"""Results other than None, with the rule and the node."""


class BoundRules:
    """The rules of one kind of node, in SAT's order."""

    def __init__(self, rules: Iterable[BoundRule]) -> None:
        unmemoized: list[BoundCheck] = []
        groups: dict[tuple[str, ...], list[BoundCheck]] = {}
        for entry in rules:
            rule = entry.rule
            reads = rule.reads or rule.applies_reads
            (groups.setdefault(reads, []) if reads else unmemoized).append((rule.applies, rule.predicate, entry))
        self._unmemoized = tuple(unmemoized)
        self._groups = tuple([_MemoizedGroup(reads, checks) for reads, checks in groups.items()])

    def evaluate(self, nodes: Sequence[Node], ctx: EvaluationContext, failures: Failures) -> None:
        """Evaluate every rule for every node and append to `failures` each result other than None."""
        unmemoized = self._unmemoized
        groups = [(group.reads, group.memo(ctx.on), group) for group in self._groups]
        for node in nodes:
            _evaluate(unmemoized, node, ctx, failures)
            for reads, memo, group in groups:
                value = reads(node)
                remaining = memo.get(value)
                if remaining is None:
                    remaining = group.remaining(node, ctx, value, memo)
                if remaining:
                    _evaluate(remaining, node, ctx, failures)


def _evaluate(checks: Iterable[BoundCheck], node: Node, ctx: EvaluationContext, failures: Failures) -> None:
    for applies, predicate, entry in checks:
        if applies is None or applies(node, ctx):
            result = predicate(node, ctx)
            if result is not None:
                failures.append((entry, node, result))


Memo = dict[object, tuple[BoundCheck, ...]]
"""By attribute values: the rules that remain to be evaluated for each node with these values."""


_UNDECIDED = Indeterminate("more than what is read")


class _MemoizedGroup:
    """Rules that read the same attributes."""

    def __init__(self, names: tuple[str, ...], checks: list[BoundCheck]) -> None:
        self.reads = attribute_reader(names)
        self._checks = tuple([(check, bool(check[2].rule.reads)) for check in checks])
        self._by_date: dict[date, Memo] = {}

    def memo(self, on: date) -> Memo:
        found = self._by_date.get(on)
        if found is None:
            if len(self._by_date) >= MAX_DATES:
                self._by_date.clear()
            found = self._by_date[on] = {}
        return found

    def remaining(self, node: Node, ctx: EvaluationContext, value: object, memo: Memo) -> tuple[BoundCheck, ...]:
        """Return the rules that the attribute values do not settle.

        Stores them in the memo unless a rule is violated: invalid values have no bound and would fill the memo.
        """
        remaining: tuple[BoundCheck, ...] = ()
        violated = False
        for check, settles in self._checks:
            applies, predicate, entry = check
            if applies is None or applies(node, ctx):
                result = predicate(node, ctx) if settles else _UNDECIDED
                if result is not None:
                    remaining += ((None, predicate, entry),)
                    violated = violated or isinstance(result, Violation)
        if not violated:
            if len(memo) >= MAX_VALUES:
                memo.clear()
            memo[value] = remaining
        return remaining
