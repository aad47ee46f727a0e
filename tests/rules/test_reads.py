"""Rules with declared reads use nothing else, so that one result serves equal nodes and later documents."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from tests.support.reference_data import InMemoryCatalogs, reference_data
from tests.support.rules import nodes

from timbra.cfdi.nodes import Comprobante, Concepto, Node
from timbra.examples import concepto, ingreso
from timbra.examples.codes import EXAMPLES
from timbra.rules.engine import bound_rules
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import Finding, RuleResult, Violation
from timbra.rules.engine.rule import AnyRule, RuleSet, rule
from timbra.rules.registry import ENGINE

PLAIN = Profile("plain")
MADE_OF = {
    "row": ("Impuesto", "TipoFactor", "TasaOCuota", "ImpuestoDR", "TipoFactorDR", "TasaOCuotaDR", "ImpuestoP",
            "TipoFactorP", "TasaOCuotaP"),
    "TipoCambio": ("tipo_cambio",),
}  # fmt: skip
"""Attributes that are derived from another one."""
OF_CONTEXT = ("catalogs", "on", "in_force", "row", "rate", "rates")
"""Parts of the context that depend on date and catalogs only."""


class Only:
    """Some attributes of another object; AttributeError for the others."""

    def __init__(self, whole: object, names: tuple[str, ...]) -> None:
        self._whole = whole
        self._names = names

    def __getattr__(self, name: str) -> Any:
        if name not in self._names:
            raise AttributeError(f"{name} is not among what is read")
        return getattr(self._whole, name)


def _narrowed(ctx: EvaluationContext) -> Any:
    comprobante = Only(ctx.comprobante, ("TipoDeComprobante",))
    return type("Narrow", (Only,), {"comprobante": comprobante})(ctx, OF_CONTEXT)


def _of_kind(comprobante: Comprobante, kind: type[Node]) -> list[Node]:
    return [comprobante] if kind is Comprobante else comprobante.of(kind)


def _evaluate(entry: AnyRule, node: Any, ctx: Any) -> tuple[bool, RuleResult]:
    """Return whether the rule applies, and its result where the rule declares its reads."""
    applies = entry.applies is None or entry.applies(node, ctx)
    return applies, entry.predicate(node, ctx) if applies and entry.reads else None


WITH_READS = [entry for book in ENGINE.rule_sets for entry in book.rules if entry.reads or entry.applies_reads]


@pytest.mark.parametrize("entry", WITH_READS, ids=lambda entry: entry.code)
def test_rule_uses_only_its_declared_reads(entry: AnyRule) -> None:
    reads = entry.reads or entry.applies_reads
    names = (*reads, *(made for name in reads for made in MADE_OF.get(name, ())))
    example, seen = EXAMPLES[entry.code], 0
    for text in (example.passing(), example.failing()):
        ctx = EvaluationContext(nodes(text), reference_data())
        for node in _of_kind(ctx.comprobante, entry.kind):
            seen += 1
            assert _evaluate(entry, Only(node, names), _narrowed(ctx)) == _evaluate(entry, node, ctx)
    assert seen


class Counted:
    """A rule about ClaveUnidad that counts its evaluations; H87 violates it."""

    def __init__(self) -> None:
        self.evaluations = 0

        @rule("A1", at="Conceptos/Concepto/@ClaveUnidad", source="test", reads=("ClaveUnidad",))
        def unit(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
            self.evaluations += 1
            return Violation(found=concepto.ClaveUnidad) if concepto.ClaveUnidad == "H87" else None

        self.engine = Engine([RuleSet("test", "1", (unit,))])

    def predicate(self, *units: str, fecha: str = "2026-11-17T12:00:00", version: str = "small") -> tuple[Finding, ...]:
        lines = [concepto({"@ClaveUnidad": unit}) for unit in units]
        catalogs = InMemoryCatalogs(version=version)
        return self.engine.check(
            nodes(ingreso(fecha=fecha, concepts=lines)), reference_data(catalogs=catalogs), PLAIN
        ).findings


def test_satisfied_value_is_not_evaluated_again() -> None:
    counted = Counted()
    assert counted.predicate("E48", "E48") == ()
    assert counted.predicate("E48") == ()
    assert counted.evaluations == 1


def test_violation_is_reported_for_every_document() -> None:
    counted = Counted()
    for _ in range(2):
        assert len(counted.predicate("H87", "E48", "H87")) == 2


def test_value_is_evaluated_again_for_another_date_or_catalog() -> None:
    counted = Counted()
    counted.predicate("E48")
    counted.predicate("E48", fecha="2026-11-16T12:00:00")
    counted.predicate("E48", version="later")
    assert counted.evaluations == 3


def test_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bound_rules, "MAX_DATES", 2)
    monkeypatch.setattr(bound_rules, "MAX_VALUES", 2)
    counted = Counted()
    units = ["E48", "A1", "A2", "A3", "A4"]
    for day in range(1, 6):
        assert counted.predicate(*units, fecha=date(2026, 11, day).strftime("%Y-%m-%dT12:00:00")) == ()
    assert counted.evaluations == 25
    (plan,) = counted.engine._plans.values()
    ((_, rules),) = plan.bound
    (group,) = rules._groups
    assert len(group._by_date) <= 2
    assert all(len(values) <= 2 for values in group._by_date.values())


def is_counted(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    return concepto.ClaveUnidad in ("H87", "E48")


def test_violation_does_not_hide_another_rule() -> None:
    @rule("A1", at="Conceptos/Concepto/@ClaveUnidad", source="test", reads=("ClaveUnidad",))
    def unit(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
        return Violation() if concepto.ClaveUnidad == "H87" else None

    @rule(
        "A2",
        at="Conceptos/Concepto/@Cantidad",
        source="test",
        applies=is_counted,
        applies_reads=("ClaveUnidad",),
    )
    def quantity(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
        return Violation() if concepto.Cantidad == "2" else None

    engine = Engine([RuleSet("test", "1", (unit, quantity))])
    lines = [concepto({"@ClaveUnidad": key, "@Cantidad": count}) for key in ("H87", "E48", "KGM") for count in "12"]
    for _ in range(2):
        found = engine.check(nodes(ingreso(concepts=lines)), reference_data(), PLAIN).findings
        assert [(finding.code, finding.path) for finding in found] == [
            ("A1", "Conceptos/Concepto[1]/@ClaveUnidad"),
            ("A1", "Conceptos/Concepto[2]/@ClaveUnidad"),
            ("A2", "Conceptos/Concepto[2]/@Cantidad"),
            ("A2", "Conceptos/Concepto[4]/@Cantidad"),
        ]
