"""The evaluation of alerts over queries of the metrics of all nodes, as Prometheus does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from timbra.operations.alert_conditions import History, Samples
from timbra.operations.alert_rules import ALERT_RULES, AlertRule

SECONDS_PER_MINUTE = 60


@dataclass(frozen=True, slots=True)
class FiredAlert:
    """An alert that fired. at: Unix time."""

    rule: AlertRule
    node: str
    at: float


class AlertEvaluation:
    """The state of each alert of each node.

    Attributes:
        fired: The alerts that fired, in their order; an alert that fires again is not repeated.
    """

    def __init__(self, rules: Sequence[AlertRule] = ALERT_RULES) -> None:
        self._rules = rules
        self._histories: dict[str, History] = {}
        self._active_since: dict[tuple[str, str], float] = {}
        self.fired: list[FiredAlert] = []

    def add(self, at: float, queried: Mapping[str, Samples | None]) -> None:
        """Add one query of every node and evaluate all rules.

        Args:
            at: Unix time of the query.
            queried: The values by node; None for a node that did not answer.
        """
        for name, samples in queried.items():
            self._histories.setdefault(name, History()).add(at, samples)
        active: dict[tuple[str, str], float] = {}
        for rule in self._rules:
            for node in sorted(rule.condition.nodes(self._histories)):
                key = rule.name, node
                active[key] = self._active_since.get(key, at)
                is_known = any((alert.rule.name, alert.node) == key for alert in self.fired)
                if at - active[key] >= rule.minutes * SECONDS_PER_MINUTE and not is_known:
                    self.fired.append(FiredAlert(rule, node, at))
        self._active_since = active

    def is_active(self, name: str) -> bool:
        """Return whether the condition of an alert holds for a node."""
        return any(active == name for active, _ in self._active_since)
