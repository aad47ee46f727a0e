"""The memo of rules that declare what they read."""

from __future__ import annotations

from datetime import date

import pytest
from tests.support.reference_data import reference_data
from tests.support.rules import nodes

from timbra.cfdi.nodes import Concepto
from timbra.examples import concepto, ingreso
from timbra.rules.engine import bound_rules
from timbra.rules.engine.bound_rules import BoundRule, Memo, _MemoizedGroup
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import AnyRule, rule


@rule("A1", at="Conceptos/Concepto/@ClaveUnidad", source="test", reads=("ClaveUnidad",))
def rejects_h87(node: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found=node.ClaveUnidad) if node.ClaveUnidad == "H87" else None


def group() -> _MemoizedGroup:
    entry: AnyRule = rejects_h87
    check = (entry.applies, entry.predicate, BoundRule(entry, Severity.ERROR, "test"))
    return _MemoizedGroup(("ClaveUnidad",), [check])


def remember(keys: list[str]) -> tuple[Memo, list[int]]:
    """Evaluate Conceptos of the units; return the memo and the number of remaining rules of each Concepto."""
    comprobante = nodes(ingreso(concepts=[concepto({"@ClaveUnidad": key}) for key in keys]))
    ctx = EvaluationContext(comprobante, reference_data())
    memo: Memo = {}
    rules = group()
    return memo, [len(rules.remaining(node, ctx, rules.reads(node), memo)) for node in comprobante.conceptos]


def test_remaining_stores_values_that_satisfy_the_rules() -> None:
    assert remember(["E48", "ACT"]) == ({"E48": (), "ACT": ()}, [0, 0])


def test_remaining_does_not_store_values_that_violate_a_rule() -> None:
    assert remember(["H87", "E48"]) == ({"E48": ()}, [1, 0])


def test_remaining_empties_a_full_memo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bound_rules, "MAX_VALUES", 2)
    memo, _ = remember(["E48", "ACT", "XBX"])
    assert memo == {"XBX": ()}


def test_memo_empties_a_full_cache_of_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bound_rules, "MAX_DATES", 2)
    rules = group()
    first = rules.memo(date(2026, 1, 1))
    assert rules.memo(date(2026, 1, 1)) is first
    for day in (2, 3):
        rules.memo(date(2026, 1, day))
    assert rules.memo(date(2026, 1, 1)) is not first
