"""Evaluation of the rules about certificate, seal, date and stamp, in the order in which validation reports them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from timbra.cfdi.nodes.comprobante32 import Comprobante as Comprobante32
from timbra.cfdi.nodes.retenciones10 import Retenciones as Retenciones10
from timbra.core.errors import ServiceError
from timbra.rules.engine.result import EvaluationResult, Finding, Indeterminate, NotEvaluated, Severity, Violation
from timbra.rules.engine.rule import AnyRule
from timbra.rules.rulesets.certificates import RULE_SET, comprobante32, retenciones10
from timbra.rules.rulesets.certificates.context import SealContext


def _issuer(certificate: str, seal: str, family: str = "") -> tuple[AnyRule, ...]:
    codes = (f"{family}{code}" for code in ("308", "303", "306", "402", "305", "304"))
    return tuple(map(RULE_SET.rule, (certificate, *codes, seal, f"{family}302")))


ISSUER = {
    "4.0": _issuer("CFDI40106", "CFDI40102"),
    "3.3": _issuer("CFDI33105", "CFDI33102"),
    "2.0": _issuer("Reten20102", "Reten20101", "T"),
    "1.0": retenciones10.ISSUER,
    "3.2": comprobante32.ISSUER,
    "2.2": comprobante32.CERTIFICATE,
}
"""The rules that validation evaluates for the issuer's certificate and seal, by version of the document."""

TIMBRE: tuple[AnyRule, ...] = tuple(
    RULE_SET.rule(code)
    for code in ("TFD-UNICO", "TFD-VERSION", "TFD-SELLO-CFD", "TFD-PROVEEDOR", "TFD11303", "TFD-FECHA")
)
"""The rules that validation evaluates for the stamp; they do not apply to a document without stamp."""


_TIMBRE_BY_VERSION = {"1.0": retenciones10.TIMBRE, "3.2": retenciones10.TIMBRE}
_WRITTEN_PATHS = {Retenciones10: retenciones10.written_path, Comprobante32: comprobante32.written_path}


def timbre_rules(version: str) -> tuple[AnyRule, ...]:
    """Return the rules that validation evaluates for the stamp of a document of that version."""
    return _TIMBRE_BY_VERSION.get(version, TIMBRE)


_NOTHING = EvaluationResult()
ISSUER_UNKNOWN, CERTIFICATE_UNKNOWN = "402", "305"


def reject(rule: AnyRule, context: SealContext) -> None:
    """Evaluate a rule for stamping.

    Raises:
        ServiceError: the code and the detail of the rule, when the document violates it.
    """
    document = context.document
    if rule.applies is None or rule.applies(document, context):
        violation = rule.predicate(document, context)
        if isinstance(violation, Violation):
            finding = _finding(rule, violation, context)
            raise ServiceError(finding.code, finding.detail, location=finding.location)


def examine(context: SealContext, rules: Iterable[AnyRule]) -> EvaluationResult:
    """Evaluate rules.

    Returns:
        All findings, in the order of the rules, and the rules whose data are missing.
    """
    results = [result for rule in rules if (result := _evaluate(rule, context)) is not None]
    if not results:
        return _NOTHING
    return EvaluationResult(
        tuple(result for result in results if isinstance(result, Finding)),
        tuple(result for result in results if isinstance(result, NotEvaluated)),
    )


def examine_issuer(
    context: SealContext, version: str, hint: str | None, *, has_cadena: bool = True
) -> EvaluationResult:
    """Evaluate the rules about the certificate and the seal of the issuer.

    Args:
        version: version of the document.
        hint: as for `with_certificate_hint`, for a certificate that the LCO does not have although it has the issuer;
            None for none.
        has_cadena: whether the cadena original is known, with which the seal is verified.
    """
    rules = ISSUER[version] if has_cadena else tuple(rule for rule in ISSUER[version] if rule.at != "@Sello")
    result = examine(context, rules)
    codes = {finding.code for finding in result.findings}
    if hint is None or CERTIFICATE_UNKNOWN not in codes or ISSUER_UNKNOWN in codes:
        return result
    # Only this finding has a hint that changes: the seal, which costs most, is not verified again.
    unlisted = [rule for rule in rules if rule.code == CERTIFICATE_UNKNOWN]
    hinted = examine(with_certificate_hint(context, hint), unlisted).findings
    by_code = {finding.code: finding for finding in hinted}
    return replace(result, findings=tuple(by_code.get(finding.code, finding) for finding in result.findings))


def with_certificate_hint(context: SealContext, hint: str) -> SealContext:
    """Return the context whose findings about the list have this hint instead of that for an unregistered RFC."""
    return replace(context, reference_data=replace(context.reference_data, registry_hint=hint))


def _evaluate(rule: AnyRule, context: SealContext) -> Finding | NotEvaluated | None:
    document = context.document
    if rule.applies is not None and not rule.applies(document, context):
        return None
    result = rule.predicate(document, context)
    if result is None:
        return None
    if isinstance(result, Indeterminate):
        return NotEvaluated(rule.code, result.missing, RULE_SET.name)
    return _finding(rule, result, context)


def _finding(rule: AnyRule, violation: Violation, context: SealContext) -> Finding:
    path = rule.at if violation.at is None else violation.at
    written = _WRITTEN_PATHS.get(type(context.document))
    return Finding(
        code=rule.code,
        path=path if written is None else written(path, context),
        severity=Severity.ERROR,
        rule_set=RULE_SET.name,
        found=violation.found,
        expected=violation.expected,
        hint=violation.hint,
        literal=violation.detail,
        rests_on=frozenset() if violation.proven else rule.needs,
        root=context.document.NAME,
    )
