"""Evaluate the example documents of rules with the catalogs of the snapshot, in-memory lists and tables of records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tests.support.profiles import evaluating
from tests.support.reference_data import reference_data, registry
from tests.support.rules import document_nodes

from timbra.app.composition import Container
from timbra.catalogs import SnapshotCatalogs
from timbra.examples import ILUMINADORA
from timbra.examples.cfdi40 import EARLIER
from timbra.examples.codes.example import Example
from timbra.examples.codes.nodos import PAYMENT, TRANSFER
from timbra.rules.engine.ports import InMemoryRelatedDocuments, ReferenceData
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import EvaluationResult, Finding, Severity
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import ENGINE, RULE_SETS, check
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.rule_examples import RuleExamples
from timbra.snapshot import locate, open_snapshot
from timbra.stamping.build import stamping_services
from timbra.validation.build import validation_services
from timbra.validation.models import ValidationReport

EXAMPLES: dict[str, Example] = {
    rule.code: example
    for rule_set in RULE_SETS
    for rule in rule_set.rules
    if (example := rule_set.example(rule.code)) is not None
}
"""Pairs of documents by code."""
RULES = {rule.code: rule for rule_set in RULE_SETS for rule in rule_set.rules}
RELATED = InMemoryRelatedDocuments({EARLIER: "I", PAYMENT: "P", TRANSFER: "T"})


@cache
def _catalogs() -> SnapshotCatalogs:
    return SnapshotCatalogs(open_snapshot(locate(None)))


def _reference_data(rule: AnyRule) -> ReferenceData:
    lists = registry()
    lists.add(ILUMINADORA.rfc, ILUMINADORA.name, ILUMINADORA.postal_code, ILUMINADORA.regime)
    lists.enabled[ILUMINADORA.rfc] = 4
    known = reference_data(taxpayers=lists, obligations=lists, names=lists, related=RELATED, catalogs=_catalogs())
    return rule.fails_with.apply(known)


@cache
def _findings(text: str, of_rule: AnyRule) -> tuple[Finding, ...]:
    """Return the findings of a document with the data and the profile of a rule."""
    return check(document_nodes(text), *evaluation_of(of_rule)).findings


@cache
def _plain_rule() -> AnyRule:
    """Return a rule without data of its own: what all such rules evaluate a document with is equal."""
    return next(rule for rule in RULES.values() if not rule.fails_with and rule.severity is not Severity.SUSPENDED)


def evaluation_of(rule: AnyRule) -> tuple[ReferenceData, Profile]:
    """Return the data and the profile that the example documents of a rule are evaluated with."""
    return _reference_data(rule), evaluating(rule)


@dataclass(frozen=True)
class Examples:
    """A rule set and the example documents of its rules, evaluated by all rule sets together."""

    rule_set: RuleSet

    def passing(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of the document that satisfies the rule."""
        rule = self.rule_set.rule(code)
        plain = not rule.fails_with and rule.severity is not Severity.SUSPENDED
        return _findings(EXAMPLES[code].passing(), _plain_rule() if plain else rule)

    def failing(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of the document that violates the rule."""
        return _findings(EXAMPLES[code].failing(), self.rule_set.rule(code))

    def without(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of the violating document when the rule and its inseparable rules are off."""
        return self._evaluated(code, EXAMPLES[code].failing(), *self._violated(code)).findings

    def expected(self, code: str) -> set[str]:
        """Return the codes of the expected findings: the rule's and those of its inseparable rules."""
        return {broken.partition(":")[0] for broken in self._violated(code)}

    def _violated(self, code: str) -> set[str]:
        every_code = {rule.code for each in ENGINE.rule_sets for rule in each.rules}
        return {code, *(self.rule_set.rule(code).inseparable & every_code)}

    def _evaluated(self, code: str, text: str, *off: str) -> EvaluationResult:
        rule = self.rule_set.rule(code)
        data, profile = evaluation_of(rule)
        return check(document_nodes(text), data, profile.without(*off))


class OnceReported(RuleExamples):
    """Rule examples that validate a document once, although its date is chosen by its report."""

    def __init__(self, container: Container) -> None:
        super().__init__(
            container.get(sandbox_services), container.get(stamping_services), container.get(validation_services)
        )
        self._last: tuple[bytes, ValidationReport] | None = None

    def report(self, sealed: bytes) -> ValidationReport:
        if self._last is None or self._last[0] != sealed:
            self._last = sealed, super().report(sealed)
        return self._last[1]
