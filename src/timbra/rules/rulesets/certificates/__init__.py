"""The provider's own codes about certificate, seal, date and stamp: one rule per code, in the order they are asked."""

from __future__ import annotations

from collections.abc import Iterable

from timbra.errors import ServiceError
from timbra.rules.engine.result import EvaluationResult, Finding, Indeterminate, NotEvaluated, Severity, Violation
from timbra.rules.engine.rule import AnyRule, RuleSet
from timbra.rules.rulesets.certificates import certificate, listed, sello, timbre, window
from timbra.rules.rulesets.certificates.context import SealContext

RULE_SET = RuleSet.from_modules(
    "sellos", "2024-12-13", certificate.ANEXO_20, (certificate, listed, sello, timbre, window)
)


def _issuer(certificate: str, seal: str) -> tuple[AnyRule, ...]:
    return tuple(RULE_SET.rule(code) for code in (certificate, "308", "303", "306", "402", "305", "304", seal, "302"))


ISSUER = {"4.0": _issuer("CFDI40106", "CFDI40102"), "3.3": _issuer("CFDI33105", "CFDI33102")}
"""What validation asks of the issuer's certificate and seal, by version of the invoice."""

TIMBRE: tuple[AnyRule, ...] = tuple(
    RULE_SET.rule(code)
    for code in ("TFD-UNICO", "TFD-VERSION", "TFD-SELLO-CFD", "TFD-PROVEEDOR", "TFD11303", "TFD-FECHA")
)
"""What validation asks of the stamp; nothing when the document carries none."""


def reject(rule: AnyRule, context: SealContext) -> None:
    """ServiceError with the rule's code and detail when it does not hold."""
    result = _evaluate(rule, context)
    if isinstance(result, Finding):
        raise ServiceError(result.code, result.detail, location=result.location)


def examine(context: SealContext, rules: Iterable[AnyRule]) -> EvaluationResult:
    """Every finding, in the order of the rules, and what could not be judged."""
    results = [_evaluate(rule, context) for rule in rules]
    return EvaluationResult(
        tuple(result for result in results if isinstance(result, Finding)),
        tuple(result for result in results if isinstance(result, NotEvaluated)),
    )


def _evaluate(rule: AnyRule, context: SealContext) -> Finding | NotEvaluated | None:
    comprobante = context.comprobante
    if rule.applies is not None and not rule.applies(comprobante, context):
        return None
    result = rule.predicate(comprobante, context)
    if isinstance(result, Indeterminate):
        return NotEvaluated(rule.code, result.missing, RULE_SET.name)
    if not isinstance(result, Violation):
        return None
    return Finding(
        code=rule.code,
        path=rule.at if result.at is None else result.at,
        severity=Severity.ERROR,
        rule_set=RULE_SET.name,
        found=result.found,
        expected=result.expected,
        hint=result.hint,
        literal=result.detail,
        rests_on=frozenset() if result.proven else rule.needs,
    )
