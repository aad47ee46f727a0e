"""Findings of example documents in a sandbox, for rules that the engine does not evaluate."""

from __future__ import annotations

import asyncio

from timbra.app.composition import Container
from timbra.core.caller import ACCOUNT, Caller
from timbra.core.errors import ServiceError
from timbra.evaluation.dependencies import Dependencies
from timbra.rules.engine.rule import AnyRule
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.rulesets import certificates
from timbra.rules.rulesets.certificates.evaluation import ISSUER, TIMBRE
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.rule_examples import ExampleKind, RuleExamples
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampingOperation, StampRequest
from timbra.stamping.pipeline import check_document
from timbra.stamping.stages import Submission
from timbra.validation.build import validation_services
from timbra.validation.report_sections import UNSTAMPED_CODE

VALIDATED = frozenset(rule.code for rules in (*ISSUER.values(), TIMBRE) for rule in rules)
"""Codes about certificate, seal and stamp that validation evaluates; stamping alone evaluates the others."""


class SandboxExamples:
    """Seals and evaluates both documents of a rule with the services of a sandbox."""

    def __init__(self, container: Container) -> None:
        self._examples = RuleExamples(
            container.get(sandbox_services), container.get(stamping_services), container.get(validation_services)
        )
        self._dependencies = container.get(stamping_services).checks

    def passing(self, rule_set: RuleSet, rule: AnyRule) -> set[str]:
        """Return the codes of the findings of the document that satisfies the rule."""
        return self._codes(rule_set, rule, ExampleKind.PASSING)

    def failing(self, rule_set: RuleSet, rule: AnyRule) -> set[str]:
        """Return the codes of the findings of the document that violates the rule."""
        return self._codes(rule_set, rule, ExampleKind.FAILING)

    def _codes(self, rule_set: RuleSet, rule: AnyRule, kind: ExampleKind) -> set[str]:
        example = rule_set.example(rule.code)
        if example is None:
            raise ValueError(f"{rule.code} has no example")
        xml = self._examples.document(rule, example, kind)
        if rule_set is certificates.RULE_SET and rule.code not in VALIDATED:
            return stamping_codes(self._dependencies, xml)
        entries = self._examples.report(xml).entries
        return {entry.code or entry.detail or "" for entry in entries if entry.code != UNSTAMPED_CODE}


def stamping_codes(dependencies: Dependencies, xml: bytes) -> set[str]:
    """Return the code with which stamping rejects a document, nothing when it would be stamped."""
    kind = DocumentKind.RETENCIONES if b"Retenciones" in xml[:400] else DocumentKind.CFDI
    request = StampRequest(Caller(0, "", ACCOUNT), xml, "", kind=kind)
    submission = Submission(request, StampingOperation.STAMP, dependencies.reference_data())
    try:
        asyncio.run(check_document(submission, dependencies, asyncio.to_thread))
    except ServiceError as error:
        return {error.code}
    return set()
