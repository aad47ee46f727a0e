"""Rules that tell what they read read nothing else: only then may one verdict serve many nodes and documents."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from tests.support.rules import nodes
from tests.support.world import SmallCatalogs, world

from timbra.cfdi.nodes import Comprobante, Concepto, Node
from timbra.examples import concepto, ingreso
from timbra.examples.codes import EXAMPLES
from timbra.rules import asking
from timbra.rules.case import Case
from timbra.rules.checking import ENGINE
from timbra.rules.engine import Engine
from timbra.rules.finding import Breach, Finding, Verdict
from timbra.rules.profiles import Profile
from timbra.rules.rule import AnyRule, Book, rule

PLAIN = Profile("plain")
MADE_OF = {
    "row": ("Impuesto", "TipoFactor", "TasaOCuota", "ImpuestoDR", "TipoFactorDR", "TasaOCuotaDR", "ImpuestoP",
            "TipoFactorP", "TasaOCuotaP"),
    "TipoCambio": ("tipo_cambio",),
}  # fmt: skip
"""Attributes that say nothing beyond another one."""
OF_CASE = ("catalogs", "on", "in_force", "row", "rate", "rates")
"""What of a case comes from its date and its catalogs alone."""


class Only:
    """Another object's attributes, some of them; AttributeError for the others."""

    def __init__(self, whole: object, names: tuple[str, ...]) -> None:
        self._whole = whole
        self._names = names

    def __getattr__(self, name: str) -> Any:
        if name not in self._names:
            raise AttributeError(f"{name} is not among what is read")
        return getattr(self._whole, name)


def _narrowed(case: Case) -> Any:
    comprobante = Only(case.comprobante, ("TipoDeComprobante",))
    return type("Narrow", (Only,), {"comprobante": comprobante})(case, OF_CASE)


def _of_kind(comprobante: Comprobante, kind: type[Node]) -> list[Node]:
    return [comprobante] if kind is Comprobante else comprobante.of(kind)


def _answers(entry: AnyRule, node: Any, case: Any) -> tuple[bool, Verdict]:
    """Whether the rule applies, and its verdict where that, too, depends on nothing but what it reads."""
    applies = entry.applies is None or entry.applies(node, case)
    return applies, entry.judge(node, case) if applies and entry.reads else None


TELLING = [entry for book in ENGINE.books for entry in book.rules if entry.reads or entry.applies_reads]


@pytest.mark.parametrize("entry", TELLING, ids=lambda entry: entry.code)
def test_a_rule_reads_what_it_tells(entry: AnyRule) -> None:
    told = entry.reads or entry.applies_reads
    names = (*told, *(made for name in told for made in MADE_OF.get(name, ())))
    example, seen = EXAMPLES[entry.code], 0
    for text in (example.passing(), example.failing()):
        case = Case(nodes(text), world())
        for node in _of_kind(case.comprobante, entry.kind):
            seen += 1
            assert _answers(entry, Only(node, names), _narrowed(case)) == _answers(entry, node, case)
    assert seen


class Counted:
    """A rule about ClaveUnidad that counts how often it is asked; H87 breaks it."""

    def __init__(self) -> None:
        self.asked = 0

        @rule("A1", at="Conceptos/Concepto/@ClaveUnidad", source="test", reads=("ClaveUnidad",))
        def unit(concepto: Concepto, _case: Case) -> Verdict:
            self.asked += 1
            return Breach(found=concepto.ClaveUnidad) if concepto.ClaveUnidad == "H87" else None

        self.engine = Engine([Book("test", "1", (unit,))])

    def judge(self, *units: str, fecha: str = "2026-11-17T12:00:00", version: str = "small") -> tuple[Finding, ...]:
        lines = [concepto({"@ClaveUnidad": unit}) for unit in units]
        catalogs = SmallCatalogs(version=version)
        return self.engine.check(nodes(ingreso(fecha=fecha, concepts=lines)), world(catalogs=catalogs), PLAIN).findings


def test_what_held_is_not_asked_again_in_later_documents() -> None:
    counted = Counted()
    assert counted.judge("E48", "E48") == ()
    assert counted.judge("E48") == ()
    assert counted.asked == 1


def test_what_is_broken_is_told_of_every_document() -> None:
    counted = Counted()
    for _ in range(2):
        assert len(counted.judge("H87", "E48", "H87")) == 2


def test_another_date_or_catalog_is_asked_anew() -> None:
    counted = Counted()
    counted.judge("E48")
    counted.judge("E48", fecha="2026-11-16T12:00:00")
    counted.judge("E48", version="later")
    assert counted.asked == 3


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_DATES", 2)
    monkeypatch.setattr(asking, "MOST_VALUES", 2)
    counted = Counted()
    units = ["E48", "A1", "A2", "A3", "A4"]
    for day in range(1, 6):
        assert counted.judge(*units, fecha=date(2026, 11, day).strftime("%Y-%m-%dT12:00:00")) == ()
    assert counted.asked == 25
    (plan,) = counted.engine._plans.values()
    ((_, questions),) = plan.questions
    (group,) = questions._alike
    assert len(group._by_date) <= 2
    assert all(len(values) <= 2 for values in group._by_date.values())


def is_counted(concepto: Concepto, _case: Case) -> bool:
    return concepto.ClaveUnidad in ("H87", "E48")


def test_a_broken_value_hides_no_other_rule() -> None:
    @rule("A1", at="Conceptos/Concepto/@ClaveUnidad", source="test", reads=("ClaveUnidad",))
    def unit(concepto: Concepto, _case: Case) -> Verdict:
        return Breach() if concepto.ClaveUnidad == "H87" else None

    @rule(
        "A2",
        at="Conceptos/Concepto/@Cantidad",
        source="test",
        applies=is_counted,
        applies_reads=("ClaveUnidad",),
    )
    def quantity(concepto: Concepto, _case: Case) -> Verdict:
        return Breach() if concepto.Cantidad == "2" else None

    engine = Engine([Book("test", "1", (unit, quantity))])
    lines = [concepto({"@ClaveUnidad": key, "@Cantidad": count}) for key in ("H87", "E48", "KGM") for count in "12"]
    for _ in range(2):
        found = engine.check(nodes(ingreso(concepts=lines)), world(), PLAIN).findings
        assert [(finding.code, finding.path) for finding in found] == [
            ("A1", "Conceptos/Concepto[1]/@ClaveUnidad"),
            ("A1", "Conceptos/Concepto[2]/@ClaveUnidad"),
            ("A2", "Conceptos/Concepto[2]/@Cantidad"),
            ("A2", "Conceptos/Concepto[4]/@Cantidad"),
        ]
