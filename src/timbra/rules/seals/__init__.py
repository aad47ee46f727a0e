"""The provider's own codes about certificate, seal, date and stamp: one rule per code, in the order they are asked."""

from __future__ import annotations

from collections.abc import Iterable

from timbra.errors import ServiceError
from timbra.rules.finding import Breach, Finding, NotEvaluated, Outcome, Severity, Unknown
from timbra.rules.rule import AnyRule, Book
from timbra.rules.seals import certificate, listed, sello, timbre, window
from timbra.rules.seals.context import SealContext

BOOK = Book.of("sellos", "2024-12-13", certificate.ANEXO_20, (certificate, listed, sello, timbre, window))


def _issuer(certificate: str, seal: str) -> tuple[AnyRule, ...]:
    return tuple(BOOK.rule(code) for code in (certificate, "308", "303", "306", "402", "305", "304", seal, "302"))


ISSUER = {"4.0": _issuer("CFDI40106", "CFDI40102"), "3.3": _issuer("CFDI33105", "CFDI33102")}
"""What validation asks of the issuer's certificate and seal, by version of the invoice."""

TIMBRE: tuple[AnyRule, ...] = tuple(
    BOOK.rule(code) for code in ("TFD-UNICO", "TFD-VERSION", "TFD-SELLO-CFD", "TFD-PROVEEDOR", "TFD11303", "TFD-FECHA")
)
"""What validation asks of the stamp; nothing when the document carries none."""


def refuse(rule: AnyRule, context: SealContext) -> None:
    """ServiceError with the rule's code and detail when it does not hold."""
    verdict = _judge(rule, context)
    if isinstance(verdict, Finding):
        raise ServiceError(verdict.code, verdict.detail, place=verdict.place)


def examine(context: SealContext, rules: Iterable[AnyRule]) -> Outcome:
    """Every finding, in the order of the rules, and what could not be judged."""
    verdicts = [_judge(rule, context) for rule in rules]
    return Outcome(
        tuple(verdict for verdict in verdicts if isinstance(verdict, Finding)),
        tuple(verdict for verdict in verdicts if isinstance(verdict, NotEvaluated)),
    )


def _judge(rule: AnyRule, context: SealContext) -> Finding | NotEvaluated | None:
    comprobante = context.comprobante
    if rule.applies is not None and not rule.applies(comprobante, context):
        return None
    verdict = rule.judge(comprobante, context)
    if isinstance(verdict, Unknown):
        return NotEvaluated(rule.code, verdict.lacks, BOOK.name)
    if not isinstance(verdict, Breach):
        return None
    return Finding(
        code=rule.code,
        path=rule.at if verdict.at is None else verdict.at,
        severity=Severity.ERROR,
        book=BOOK.name,
        found=verdict.found,
        expected=verdict.expected,
        hint=verdict.hint,
        literal=verdict.detail,
        rests_on=frozenset() if verdict.proven else rule.needs,
    )
