"""The rules engine: selects the rules of a document, evaluates them and collects the findings.

For each kind of document (version, type, period between two changes of the rules, available lists, complements) the
engine binds the rules once and caches the plan; the evaluation of 1,000 Conceptos is then a plain loop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import InitVar, dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Context, localcontext

from timbra.cfdi.nodes import FiscalDocument, Node
from timbra.cfdi.nodes.unsound import UnsoundPartError, sound_class
from timbra.core.errors import ServiceError
from timbra.rules.engine.bound_rules import AppliesPredicate, BoundCheck, BoundRule, BoundRules, Failures
from timbra.rules.engine.causes import Evaluated, causes_of, mark_causes
from timbra.rules.engine.context import AnyContext, context_of
from timbra.rules.engine.findings import finding_of, path_of, result_of
from timbra.rules.engine.ports import Catalogs, ReferenceData
from timbra.rules.engine.profiles import STAMP, Profile
from timbra.rules.engine.result import (
    DataRequirement,
    EvaluationResult,
    Finding,
    NotEvaluated,
    Violation,
)
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.engine.value_groups import ValueGroups

_PERMIT = object()
WIDE = Context(prec=100)
"""Decimal context in which products and sums of amounts are exact: an amount has at most 60 characters."""
UNSOUND = "una estructura correcta de los datos que revisa"
"""`NotEvaluated.missing` of a rule that reads a part of the document with structure faults."""
MAX_GROUPED = 120
"""Findings up to which causes are determined, because each is evaluated again for each possible cause."""
MAX_PLANS = 256
"""Size of the cache of plans. A year of invoices needs far fewer; a full cache is emptied."""
_NOTHING = EvaluationResult()
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


@dataclass(frozen=True, slots=True)
class ValidatedDocument:
    """A document without findings that reject it; only `Engine.validate_for_stamping` may create it.

    Attributes:
        warnings: the findings, none of which rejects.
        checked_at: fiscal instant of the evaluation.
        rules_version, catalogs_version, lists_version: versions that the document was evaluated against.

    Raises:
        TypeError: another caller creates it.
    """

    document: FiscalDocument
    warnings: tuple[Finding, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    checked_at: datetime
    rules_version: str
    catalogs_version: str
    lists_version: str
    permit: InitVar[object] = None

    def __post_init__(self, permit: object) -> None:
        if permit is not _PERMIT:
            raise TypeError("only the rules engine creates a validated document")


@dataclass(frozen=True, slots=True)
class _Unavailable:
    """A rule whose data are missing, or a row that is not implemented.

    The engine reports `record` when the document has a node of `kind` to which `applies` holds.
    """

    kind: type[Node]
    applies: AppliesPredicate | None
    record: NotEvaluated


@dataclass(frozen=True, slots=True)
class _Plan:
    """The bound rules by kind of node, and the rules that cannot be evaluated.

    Attributes:
        root: kind of the document itself.
    """

    root: type[Node]
    bound: tuple[tuple[type[Node], BoundRules], ...]
    unavailable: tuple[_Unavailable, ...]


class Engine:
    """All rule sets. Create one instance per process; it caches plans and keeps no data of documents."""

    def __init__(self, rule_sets: Iterable[RuleSet]) -> None:
        self.rule_sets = tuple(rule_sets)
        self.version = " ".join(dict.fromkeys(f"{each.name}:{each.revision}" for each in self.rule_sets))
        self._change_dates = _change_dates(rule for each in self.rule_sets for rule in each.rules)
        self._complements = frozenset(each.complement for each in self.rule_sets if each.complement is not None)
        self._roots = frozenset(each.root for each in self.rule_sets)
        self._plans: dict[tuple[object, ...], _Plan] = {}
        self._groups = ValueGroups()

    def check(self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile) -> EvaluationResult:
        """Evaluate a document.

        Args:
            reference_data: catalogs, lists and time.
            profile: severities of the operation.

        Returns:
            Every finding, those of the invoice before those of complements and each in document order, and every rule
            that could not be evaluated.
        """
        return _outcome(*self._evaluate(document, reference_data, profile))

    def _evaluate(
        self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile
    ) -> tuple[_Plan, AnyContext, Failures]:
        ctx = context_of(document, reference_data)
        plan = self._plan(profile, ctx)
        failures: Failures = []
        root, by_kind = [document], document.by_kind
        with localcontext(WIDE):
            for kind, rules in plan.bound:
                nodes = root if kind is plan.root else by_kind.get(kind)
                if nodes:
                    rules.evaluate(nodes, ctx, failures)
        return plan, ctx, failures

    def checks_of(self, ctx: AnyContext, profile: Profile) -> Mapping[type[Node], tuple[BoundCheck, ...]]:
        """Return the rules of the document of a context, by kind of node."""
        return {kind: rules.checks for kind, rules in self._plan(profile, ctx).bound}

    def check_by_cause(
        self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile
    ) -> EvaluationResult:
        """Evaluate as `check`; findings that follow from another one have its code and path as `cause`.

        A finding follows from the finding of an attribute when its rule reads that attribute, and the rule of the
        attribute does not read its own.
        """
        plan, ctx, failures = self._evaluate(document, reference_data, profile)
        result = _outcome(plan, ctx, failures)
        if not 1 < len(result.findings) <= MAX_GROUPED:
            return result
        with localcontext(WIDE):
            violations = [
                Evaluated(entry, node, finding_of(entry, node, found, path_of(entry, found), document.NAME))
                for entry, node, found in failures
                if isinstance(found, Violation)
            ]
            complements = {each.name for each in self.rule_sets if each.complement is not None}
            causes = causes_of(violations, lambda: context_of(document, reference_data), complements)
        return replace(result, findings=mark_causes(result.findings, causes))

    def check_sound_parts(
        self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile
    ) -> EvaluationResult | None:
        """Evaluate the rules that read only sound parts of a document; the others are reported as not evaluated.

        Args:
            document: nodes of which some raise `UnsoundPartError` when they are read.
            reference_data: catalogs, lists and time.
            profile: severities of the operation.

        Returns:
            The result; None when the values that select the rules are not sound.
        """
        failures: Failures = []
        skipped: list[BoundRule] = []
        try:
            ctx = context_of(document, reference_data)
            plan = self._plan(profile, ctx)
        except UnsoundPartError:
            return None
        with localcontext(WIDE):
            for kind, rules in plan.bound:
                nodes = [document] if kind is plan.root else document.by_kind.get(kind)
                if nodes:
                    rules.evaluate_sound(nodes, ctx, failures, skipped)
        records = [NotEvaluated(entry.rule.display_code, UNSOUND, entry.rule_set) for entry in skipped]
        records += [row.record for row in plan.unavailable if _may_concern(row, plan, ctx)]
        return result_of(failures, records, document.NAME)

    def validate_for_stamping(
        self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile = STAMP
    ) -> ValidatedDocument:
        """Evaluate a document for stamping.

        Returns:
            The proof that no finding rejects the document.

        Raises:
            ServiceError: with code, detail and place of the first finding that rejects.
        """
        result = _outcome(*self._evaluate(document, reference_data, profile))
        rejection = result.rejection if result.findings else None
        if rejection is not None:
            raise ServiceError(rejection.code, rejection.detail, location=rejection.location)
        return ValidatedDocument(
            document=document,
            warnings=result.findings,
            not_evaluated=result.not_evaluated,
            checked_at=reference_data.now,
            rules_version=self.version,
            catalogs_version=reference_data.catalogs.version,
            lists_version=reference_data.lists_version,
            permit=_PERMIT,
        )

    def _plan(self, profile: Profile, ctx: AnyContext) -> _Plan:
        document = ctx.document
        tipo, version, root = document.kind, document.Version, self._root(document)
        lists = _absent_lists(ctx.reference_data)
        carried = self._carried(document)
        change = bisect_right(self._change_dates, ctx.on)
        key = (profile, root, version, change, tipo, lists, ctx.catalogs.version, carried)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._bind(profile, ctx)
            if tipo in root.KINDS and version in root.VERSIONS:
                if len(self._plans) >= MAX_PLANS:
                    self._plans.clear()
                self._plans[key] = plan
        return plan

    def _root(self, document: FiscalDocument) -> type[FiscalDocument]:
        kind = type(document)
        return kind if kind in self._roots else sound_class(document)

    def _carried(self, document: FiscalDocument) -> frozenset[type[Node]]:
        """Return the complements of the document that have rules."""
        return self._complements.intersection(document.by_kind)

    def _rule_sets_of(self, document: FiscalDocument) -> list[RuleSet]:
        """Return the rule sets of the document's version and of its complements."""
        carried, root, version = self._carried(document), sound_class(document), document.Version
        of_version = [each for each in self.rule_sets if each.root is root and version in each.versions]
        return [each for each in of_version if each.complement is None or each.complement in carried]

    def _bind(self, profile: Profile, ctx: AnyContext) -> _Plan:
        lists = zip(_LISTS, _absent_lists(ctx.reference_data), strict=True)
        absent = frozenset(need for need, is_absent in lists if is_absent)
        by_kind: dict[type[Node], list[BoundRule]] = {}
        unavailable = []
        for entry in self._in_force(profile, ctx):
            rule = entry.rule
            missing = _missing(rule, ctx.catalogs, absent)
            if missing:
                record = NotEvaluated(rule.display_code, missing, entry.rule_set)
                unavailable.append(_Unavailable(rule.kind, rule.applies, record))
            else:
                by_kind.setdefault(rule.kind, []).append(entry)
        unavailable += [
            _Unavailable(row.kind, None, NotEvaluated(row.code, row.reason, rule_set.name))
            for rule_set in self._rule_sets_of(ctx.document)
            for row in rule_set.not_implemented
            if row.kind is not None and row.code not in profile.disabled
        ]
        bound = tuple([(kind, BoundRules(entries, self._groups)) for kind, entries in by_kind.items()])
        return _Plan(sound_class(ctx.document), bound, tuple(unavailable))

    def _in_force(self, profile: Profile, ctx: AnyContext) -> Iterator[BoundRule]:
        tipo = ctx.document.kind
        for rule_set in self._rule_sets_of(ctx.document):
            for rule in rule_set.rules:
                severity = profile.severity(rule)
                if severity is not None and rule.in_force(ctx.on) and (not rule.types or tipo in rule.types):
                    yield BoundRule(rule, severity, rule_set.name, rule_set.complement is not None)


def _change_dates(rules: Iterable[AnyRule]) -> list[date]:
    """Return the dates on which the set of rules in force changes."""
    dates = set()
    for rule in rules:
        dates.add(rule.since)
        if rule.until < date.max:
            dates.add(rule.until + timedelta(days=1))
    return sorted(dates)


def _absent_lists(reference_data: ReferenceData) -> tuple[bool, ...]:
    """Return whether each list of the reference data is absent, in the order of `_LISTS`."""
    return (
        reference_data.taxpayers is None,
        reference_data.obligations is None,
        reference_data.related is None,
        reference_data.marks is None,
        reference_data.coordinated is None,
        reference_data.exchange_rates is None,
        reference_data.confirmations is None,
        reference_data.acquirers is None,
        reference_data.permits is None,
    )


def _missing(rule: AnyRule, catalogs: Catalogs, absent: frozenset[DataRequirement]) -> str:
    """Return the Spanish names of the data that the rule needs and that are missing; empty when it can be evaluated."""
    lists = sorted(rule.needs & absent)
    columns = [f"{catalog}.{column}" for catalog, column in rule.columns if not catalogs.has(catalog, column)]
    if (
        rule.needs_values
        and not columns
        and not any(catalogs.keys_with(name, (column,)) for name, column in rule.columns)
    ):
        columns = [f"valores en {catalog}.{column}" for catalog, column in rule.columns]
    return ", ".join((*lists, *columns))


def _outcome(plan: _Plan, ctx: AnyContext, failures: Failures) -> EvaluationResult:
    records = [row.record for row in plan.unavailable if _concerns(row, plan, ctx)]
    if failures:
        return result_of(failures, records, ctx.document.NAME)
    return EvaluationResult((), tuple(records)) if records else _NOTHING


def _concerns(row: _Unavailable, plan: _Plan, ctx: AnyContext) -> bool:
    document, kind, applies = ctx.document, row.kind, row.applies
    nodes = [document] if kind is plan.root else document.by_kind.get(kind)
    if not nodes:
        return False
    if applies is None:
        return True
    for node in nodes:  # noqa: SIM110 (a generator doubles the time)
        if applies(node, ctx):
            return True
    return False


def _may_concern(row: _Unavailable, plan: _Plan, ctx: AnyContext) -> bool:
    """As `_concerns`; True when it depends on a part that is not sound."""
    try:
        return _concerns(row, plan, ctx)
    except UnsoundPartError:
        return True
