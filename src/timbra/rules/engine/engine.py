"""The rules engine: selects the rules of a document, evaluates them and collects the findings.

For each kind of document (version, type, period between two changes of the rules, available lists, complements) the
engine binds the rules once and caches the plan; the evaluation of 1,000 Conceptos is then a plain loop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, localcontext

from timbra.cfdi.nodes import Comprobante, Node
from timbra.errors import ServiceError
from timbra.rules.engine.bound_rules import AppliesPredicate, BoundRule, BoundRules, Failures
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.ports import Catalogs, ReferenceData
from timbra.rules.engine.profiles import STAMP, Profile
from timbra.rules.engine.result import (
    DataRequirement,
    EvaluationResult,
    Finding,
    Indeterminate,
    NotEvaluated,
    Violation,
)
from timbra.rules.engine.rule import VERSIONS, AnyRule, RuleSet, attribute_reader
from timbra.rules.engine.validated_document import _PERMIT, ValidatedDocument

WIDE = Context(prec=100)
"""Decimal context in which products and sums of amounts are exact: an amount has at most 60 characters."""
MAX_PLANS = 256
"""Size of the cache of plans. A year of invoices needs far fewer; a full cache is emptied."""


@dataclass(frozen=True, slots=True)
class _Unavailable:
    """A rule whose data are missing, or a row that is not implemented.

    The engine reports `record` when the document has a node of `kind` to which `applies` holds.

    Attributes:
        reads: returns a cache key: nodes with equal keys are checked once; None to check each node.
    """

    kind: type[Node]
    applies: AppliesPredicate | None
    reads: Callable[[Node], object] | None
    record: NotEvaluated


@dataclass(frozen=True, slots=True)
class _Plan:
    """The bound rules by kind of node, and the rules that cannot be evaluated."""

    bound: tuple[tuple[type[Node], BoundRules], ...]
    unavailable: tuple[_Unavailable, ...]


class Engine:
    """All rule sets. Create one instance per process; it caches plans and keeps no data of documents."""

    def __init__(self, rule_sets: Iterable[RuleSet]) -> None:
        self.rule_sets = tuple(rule_sets)
        self.version = " ".join(dict.fromkeys(f"{each.name}:{each.revision}" for each in self.rule_sets))
        self._change_dates = _change_dates(rule for each in self.rule_sets for rule in each.rules)
        self._complements = frozenset(each.complement for each in self.rule_sets if each.complement is not None)
        self._plans: dict[tuple[object, ...], _Plan] = {}

    def check(self, comprobante: Comprobante, reference_data: ReferenceData, profile: Profile) -> EvaluationResult:
        """Evaluate a document.

        Args:
            comprobante: the document.
            reference_data: catalogs, lists and time.
            profile: severities of the operation.

        Returns:
            Every finding in document order, and every rule that could not be evaluated.
        """
        ctx = EvaluationContext(comprobante, reference_data)
        plan = self._plan(profile, ctx)
        failures: Failures = []
        with localcontext(WIDE):
            for kind, rules in plan.bound:
                nodes = _nodes(comprobante, kind)
                if nodes:
                    rules.evaluate(nodes, ctx, failures)
        records = _not_evaluated(plan, ctx)
        return _result(failures, records, profile) if failures else EvaluationResult((), tuple(records))

    def validate_for_stamping(
        self, comprobante: Comprobante, reference_data: ReferenceData, profile: Profile = STAMP
    ) -> ValidatedDocument:
        """Evaluate a document for stamping.

        Returns:
            The proof that no finding rejects the document.

        Raises:
            ServiceError: with code, detail and place of the first finding that rejects.
        """
        result = self.check(comprobante, reference_data, profile)
        rejection = result.rejection
        if rejection is not None:
            raise ServiceError(rejection.code, rejection.detail, location=rejection.location)
        return ValidatedDocument(
            comprobante=comprobante,
            warnings=result.findings,
            not_evaluated=result.not_evaluated,
            checked_at=reference_data.now,
            rules_version=self.version,
            catalogs_version=reference_data.catalogs.version,
            lists_version=reference_data.lists_version,
            permit=_PERMIT,
        )

    def _plan(self, profile: Profile, ctx: EvaluationContext) -> _Plan:
        tipo = ctx.comprobante.TipoDeComprobante
        lists = tuple([value is None for value in _lists(ctx.reference_data)])
        carried = self._carried(ctx.comprobante)
        version = ctx.comprobante.Version
        key = (profile, version, bisect_right(self._change_dates, ctx.on), tipo, lists, ctx.catalogs.version, carried)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._bind(profile, ctx)
            if tipo in _TYPES and version in VERSIONS:
                if len(self._plans) >= MAX_PLANS:
                    self._plans.clear()
                self._plans[key] = plan
        return plan

    def _carried(self, comprobante: Comprobante) -> frozenset[type[Node]]:
        """Return the complements of the document that have rules."""
        return self._complements.intersection(comprobante.by_kind)

    def _rule_sets_of(self, comprobante: Comprobante) -> list[RuleSet]:
        """Return the rule sets of the document's version and of its complements."""
        carried = self._carried(comprobante)
        of_version = [each for each in self.rule_sets if comprobante.Version in each.versions]
        return [each for each in of_version if each.complement is None or each.complement in carried]

    def _bind(self, profile: Profile, ctx: EvaluationContext) -> _Plan:
        absent = frozenset(
            need for need, value in zip(_LISTS, _lists(ctx.reference_data), strict=True) if value is None
        )
        by_kind: dict[type[Node], list[BoundRule]] = {}
        unavailable = []
        for entry in self._in_force(profile, ctx):
            rule = entry.rule
            missing = _missing(rule, ctx.catalogs, absent)
            if missing:
                reads = attribute_reader(rule.applies_reads) if rule.applies_reads else None
                record = NotEvaluated(rule.display_code, missing, entry.rule_set)
                unavailable.append(_Unavailable(rule.kind, rule.applies, reads, record))
            else:
                by_kind.setdefault(rule.kind, []).append(entry)
        unavailable += [
            _Unavailable(row.kind, None, None, NotEvaluated(row.code, row.reason, rule_set.name))
            for rule_set in self._rule_sets_of(ctx.comprobante)
            for row in rule_set.not_implemented
            if row.kind is not None and row.code not in profile.disabled
        ]
        return _Plan(tuple((kind, BoundRules(entries)) for kind, entries in by_kind.items()), tuple(unavailable))

    def _in_force(self, profile: Profile, ctx: EvaluationContext) -> Iterator[BoundRule]:
        tipo = ctx.comprobante.TipoDeComprobante
        for rule_set in self._rule_sets_of(ctx.comprobante):
            for rule in rule_set.rules:
                severity = profile.severity(rule)
                if severity is not None and rule.in_force(ctx.on) and (not rule.types or tipo in rule.types):
                    yield BoundRule(rule, severity, rule_set.name)


_TYPES = frozenset("IETNP")


def _change_dates(rules: Iterable[AnyRule]) -> list[date]:
    """Return the dates on which the set of rules in force changes."""
    dates = set()
    for rule in rules:
        dates.add(rule.since)
        if rule.until < date.max:
            dates.add(rule.until + timedelta(days=1))
    return sorted(dates)


_LISTS = (
    DataRequirement.TAXPAYERS,
    DataRequirement.OBLIGATIONS,
    DataRequirement.RELATED,
    DataRequirement.MARKS,
    DataRequirement.COORDINATED,
    DataRequirement.EXCHANGE_RATES,
    DataRequirement.CONFIRMATIONS,
    DataRequirement.ACQUIRERS,
    DataRequirement.PERMITS,
)


def _lists(reference_data: ReferenceData) -> tuple[object, ...]:
    """Return the lists of the reference data in the order of `_LISTS`."""
    return (
        reference_data.taxpayers,
        reference_data.obligations,
        reference_data.related,
        reference_data.marks,
        reference_data.coordinated,
        reference_data.exchange_rates,
        reference_data.confirmations,
        reference_data.acquirers,
        reference_data.permits,
    )


def _missing(rule: AnyRule, catalogs: Catalogs, absent: frozenset[DataRequirement]) -> str:
    """Return the Spanish names of the data that the rule needs and that are missing; empty when it can be evaluated."""
    lists = sorted(rule.needs & absent)
    columns = [f"{catalog}.{column}" for catalog, column in rule.columns if not catalogs.has(catalog, column)]
    return ", ".join((*lists, *columns))


def _nodes(comprobante: Comprobante, kind: type[Node]) -> Sequence[Node] | None:
    return [comprobante] if kind is Comprobante else comprobante.by_kind.get(kind)


def _not_evaluated(plan: _Plan, ctx: EvaluationContext) -> list[NotEvaluated]:
    return [row.record for row in plan.unavailable if _concerns(row, ctx)]


def _concerns(row: _Unavailable, ctx: EvaluationContext) -> bool:
    nodes: Iterable[Node] | None = _nodes(ctx.comprobante, row.kind)
    if not nodes:
        return False
    applies, reads = row.applies, row.reads
    if applies is None:
        return True
    if reads is not None:
        nodes = {reads(node): node for node in nodes}.values()
    return any(applies(node, ctx) for node in nodes)


def _result(failures: Failures, records: list[NotEvaluated], profile: Profile) -> EvaluationResult:
    """Turn violations into findings in document order, and indeterminate results into one record for each rule."""
    sortable = []
    for entry, node, result in failures:
        if isinstance(result, Indeterminate):
            records.append(NotEvaluated(entry.rule.display_code, result.missing, entry.rule_set))
        else:
            path = entry.rule.relative_path if result.at is None else result.at
            finding = _finding(entry, node, result, path, profile)
            sortable.append((node.order_of(path), entry.rule.sort_key, finding))
    sortable.sort(key=lambda found: found[:2])
    return EvaluationResult(tuple(finding for _, _, finding in sortable), tuple(dict.fromkeys(records)))


def _finding(entry: BoundRule, node: Node, violation: Violation, path: str, profile: Profile) -> Finding:
    rule = entry.rule
    base = node.path
    return Finding(
        code=profile.reported_as.get(rule.code, rule.display_code),
        path=f"{base}/{path}" if base and path else base or path,
        severity=entry.severity,
        rule_set=entry.rule_set,
        found=violation.found,
        expected=violation.expected,
        hint=violation.hint,
        literal=violation.detail,
        rests_on=frozenset() if violation.proven else rule.needs | violation.rests_on,
    )
