"""Shortcuts of the evaluation: they are true, and they change no result."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.reference_data import InMemoryCatalogs, reference_data
from tests.support.rule_set_examples import EXAMPLES, RELATED
from tests.support.rules import document_nodes, nodes

from timbra.cfdi.nodes import FiscalDocument, Node
from timbra.cfdi.nodes.unsound import conceal, slots_of
from timbra.examples import concepto, ingreso
from timbra.examples.conceptos import tax
from timbra.examples.tree import ExampleNode
from timbra.rules.engine import bound_rules, context
from timbra.rules.engine.bound_rules import BoundRules, Failures
from timbra.rules.engine.context import AnyContext, DatedCache, context_of
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.engine.shortcuts import Determination, determination
from timbra.rules.registry import ENGINE, check

RULES = [rule for rule_set in ENGINE.rule_sets for rule in rule_set.rules]
DETERMINED = [
    pytest.param(rule, function, found, id=f"{rule.code}-{'condition' if function is rule.applies else 'predicate'}")
    for rule in RULES
    for function in (rule.predicate, rule.applies)
    if function is not None and (found := determination(function)) is not None
]
NODE_BY_NODE, RULE_BY_RULE = sys.maxsize, 1
"""Values of `MIN_BATCH`."""
ORDERS = (NODE_BY_NODE, RULE_BY_RULE)


class _CatalogsOnly:
    """A context that has nothing but the catalogs and the date."""

    def __init__(self, ctx: AnyContext) -> None:
        self._ctx = ctx

    def __getattr__(self, name: str) -> object:
        if name not in {"catalogs", "on", "standard", "in_force", "row", "rate", "rates", "decimals_of"}:
            raise AssertionError(f"the result depends on {name}")
        return getattr(self._ctx, name)


def _documents_of(rule: AnyRule) -> Iterator[FiscalDocument]:
    """Yield documents with nodes that the rule is about."""
    pair = EXAMPLES.get(rule.code)
    if pair is not None:
        yield document_nodes(pair.passing())
        yield document_nodes(pair.failing())


def _nodes_of(document: FiscalDocument, kind: type[Node]) -> Sequence[Node]:
    return [document] if isinstance(document, kind) else document.by_kind.get(kind, [])


@pytest.mark.parametrize(("rule", "function", "stated"), DETERMINED)
def test_a_result_depends_only_on_what_its_predicate_states(
    rule: AnyRule, function: Any, stated: Determination
) -> None:
    evaluate = function if stated.test is None else stated.test
    for document in _documents_of(rule):
        ctx: Any = _CatalogsOnly(context_of(document, reference_data()))
        for node in _nodes_of(document, rule.kind):
            kind = type(node)
            conceal(node, set(slots_of(kind)) - set(stated.names))
            evaluate(node, ctx)
            node.__class__ = kind


def test_predicates_of_rules_state_shortcuts() -> None:
    assert len(DETERMINED) > 100


def _plainly(self: BoundRules, found: Sequence[Node], ctx: AnyContext, failures: Failures) -> None:
    """Evaluate every rule for every node: what `BoundRules.evaluate` must be equal to."""
    skipped: list[Any] = []
    self.evaluate_sound(found, ctx, failures, skipped)
    assert not skipped


def _plain_result(document: FiscalDocument, **lists: Any) -> EvaluationResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoundRules, "evaluate", _plainly)
        return check(document, reference_data(**lists), VALIDATE)


def _results(document: FiscalDocument, **lists: Any) -> list[EvaluationResult]:
    """Return the results of both orders of evaluation, each without and with cached values."""
    data = reference_data(**lists)
    found = []
    for order in ORDERS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bound_rules, "MIN_BATCH", order)
            patch.setattr(context, "_caches", {})
            found += [check(document, data, VALIDATE) for _ in range(2)]
    return found


@pytest.mark.parametrize("rule_set", ENGINE.rule_sets, ids=lambda rule_set: f"{rule_set.name}")
def test_shortcuts_change_no_result_of_an_example(rule_set: RuleSet) -> None:
    for code in [rule.code for rule in rule_set.rules if rule.code in EXAMPLES]:
        document = document_nodes(EXAMPLES[code].failing())
        expected = _plain_result(document, related=RELATED)
        assert _results(document, related=RELATED) == [expected] * 4, code


PRODUCTS = ["84111506", "80111700", "01010101", "15101505", "00000009", "8411150", ""]
TAXES = [
    tax("200.00", "002", "0.160000"),
    tax("200.00", "002", "0.080000"),
    tax("200.00", "002", None),
    tax("200.00", "003", "0.080000"),
    tax("200.00", "001", "0.150000"),
    tax("0.00", "002", "0.160000"),
    tax("200.00", "004", "0.160000", factor="Otro"),
    {**tax("200.00", "002", "0.160000"), "Importe": "33.00"},
    {**tax("200.00", "002", None), "Importe": "33.00"},
    {name: value for name, value in tax("200.00", "002", "0.160000").items() if name != "Importe"},
]


@st.composite
def _lines(draw: st.DrawFn) -> ExampleNode:
    """A Concepto of which each value may be valid or not."""
    pick = {
        "@ClaveProdServ": draw(st.sampled_from(PRODUCTS)),
        "@ClaveUnidad": draw(st.sampled_from(["E48", "H87", "ZZZ"])),
        "@Importe": draw(st.sampled_from(["200.00", "200.01", "201.00", "200.0", "0"])),
        "@Descuento": draw(st.sampled_from([None, None, "10.00", "10.000", "300.00"])),
    }
    traslados = draw(st.lists(st.sampled_from(TAXES), max_size=2))
    retenciones = draw(st.lists(st.sampled_from(TAXES[:1]), max_size=1))
    made = concepto(pick, price=draw(st.sampled_from(["200.00", "0.00"])), traslados=traslados, retenciones=retenciones)
    made.attributes["ObjetoImp"] = draw(st.sampled_from(["01", "02", "04", "06", "07", "99"]))
    return made


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_lines(), min_size=1, max_size=9))
def test_shortcuts_change_no_result_of_wrong_conceptos(lines: list[ExampleNode]) -> None:
    document = nodes(ingreso(concepts=[*lines, concepto()]))
    expected = _plain_result(document)
    assert expected.findings or expected == EvaluationResult(not_evaluated=expected.not_evaluated)
    assert _results(document) == [expected] * 4


def test_a_value_that_became_invalid_is_found_on_its_date() -> None:
    catalogs = InMemoryCatalogs(since={("c_ClaveUnidad", "E48"): date(2026, 11, 10)})

    def codes_on(fecha: str) -> list[str]:
        document = nodes(ingreso(fecha=f"{fecha}T12:00:00"))
        return [finding.code for finding in check(document, reference_data(catalogs=catalogs), VALIDATE).findings]

    for _ in range(2):
        assert codes_on("2026-11-10") == []
        assert codes_on("2026-11-09") == ["CFDI40165"]


def test_cache_keeps_a_bounded_number_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "MAX_VALUES", 10)
    cache = DatedCache(InMemoryCatalogs())
    for number in range(25):
        cache.add("group", (number,))
        assert number in cache.satisfied["group"]
        assert sum(map(len, cache.satisfied.values())) <= 10
    cache.add("other", range(11))
    assert "other" not in cache.satisfied


def test_cache_keeps_a_bounded_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "MAX_ROWS", 10)
    cache = DatedCache(InMemoryCatalogs())
    for number in range(25):
        cache.add_row("c_Moneda", str(number), None)
        cache.add_key("c_Moneda", str(number), in_force=False)
        assert len(cache.rows) <= 10
        assert len(cache.in_force) <= 10


def test_the_first_of_many_dates_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_caches", {})
    catalogs = InMemoryCatalogs()
    dates = [date(2026, 1, day) for day in range(1, context.MAX_DATES + 2)]
    caches = [context.dated_cache(catalogs, "cfdi40", on) for on in dates]
    assert len(context._caches) == context.MAX_DATES
    assert context.dated_cache(catalogs, "cfdi40", dates[1]) is caches[1]
    assert context.dated_cache(catalogs, "cfdi40", dates[0]) is not caches[0]


def test_caches_of_versions_and_catalogs_differ() -> None:
    one, other = InMemoryCatalogs(), InMemoryCatalogs()
    on = date(2026, 1, 1)
    found = {id(context.dated_cache(catalogs, standard, on)) for catalogs in (one, other) for standard in ("a", "b")}
    assert len(found) == 4
