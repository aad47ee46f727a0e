"""Accounts, banks and the payment chain (cadena de pago), by the columns of c_FormaPago."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import Final

from timbra.cfdi.nodes.pago import BasePago
from timbra.cfdi.rfc import FOREIGN
from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.pagos.pago import TO_BE_DEFINED
from timbra.rules.shared.predicates import Predicate

FORMS: Final = "c_FormaPago"
ORDERING_BANK, ORDERING_ACCOUNT = "permite_banco_ordenante_rfc", "permite_cuenta_ordenante"
RECEIVING_BANK, RECEIVING_ACCOUNT = "permite_banco_beneficiario_rfc", "permite_cuenta_beneficiario"
ORDERING_PATTERN, RECEIVING_PATTERN = "patron_cuenta_ordenante", "patron_cuenta_beneficiario"
CHAIN, FOREIGN_BANK = "permite_tipo_cadena_pago", "requiere_banco_ordenante_nombre_ext"


def is_allowed_by_form(name: str, column: str) -> Predicate:
    """The attribute is absent unless the form of payment allows it; an unknown form passes.

    Args:
        name: name of the attribute.
        column: column of c_FormaPago that allows the attribute.
    """
    read = attrgetter(name)

    def check(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
        text = read(pago)
        if text is None:
            return None
        row = ctx.row(FORMS, pago.FormaDePagoP)
        if row is None or (row.get(column) and pago.FormaDePagoP != TO_BE_DEFINED):
            return None
        return absent(text, f"con FormaDePagoP {pago.FormaDePagoP}")

    return check


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def has_pattern_of_form(name: str, column: str) -> Predicate:
    """The account, when present, has the pattern of the form of payment.

    Args:
        name: name of the attribute with the account.
        column: column of c_FormaPago that has the pattern.
    """
    read = attrgetter(name)

    def check(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
        text = read(pago)
        if text is None:
            return None
        row = ctx.row(FORMS, pago.FormaDePagoP)
        pattern = row.get(column) if row is not None else None
        if not pattern or _compiled(pattern).fullmatch(text):
            return None
        expected = f"una cuenta con la forma {format_phrase(pattern)}, por FormaDePagoP {pago.FormaDePagoP}"
        return Violation(found=text, expected=expected)

    return check


def has_mexican_bank(pago: BasePago, _ctx: EvaluationContext) -> bool:
    """Whether RfcEmisorCtaOrd is present and not that of foreign banks."""
    return pago.RfcEmisorCtaOrd not in (None, FOREIGN)


def has_registered_bank(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """RfcEmisorCtaOrd, when present, is in l_RFC and not cancelled."""
    rfc = pago.RfcEmisorCtaOrd
    if rfc is None or ctx.taxpayer(rfc) is not None:
        return None
    return Violation(found=rfc, expected="un RFC inscrito y no cancelado", hint=ctx.reference_data.registry_hint)


def has_name_of_foreign_bank(pago: BasePago, _ctx: EvaluationContext) -> RuleResult:
    """NomBancoOrdExt is present with the RFC of foreign banks."""
    if pago.RfcEmisorCtaOrd != FOREIGN or pago.NomBancoOrdExt is not None:
        return None
    return Violation(expected=f"el nombre del banco, por RfcEmisorCtaOrd {FOREIGN}")


def is_present_with_chain(name: str) -> Predicate:
    """The attribute is present with TipoCadPago.

    Args:
        name: name of the attribute.
    """
    read = attrgetter(name)

    def check(pago: BasePago, _ctx: EvaluationContext) -> RuleResult:
        if pago.TipoCadPago is None or read(pago) is not None:
            return None
        return Violation(expected=f"un valor, por TipoCadPago {pago.TipoCadPago}")

    return check


def is_absent_without_chain(name: str) -> Predicate:
    """The attribute is absent without TipoCadPago.

    Args:
        name: name of the attribute.
    """
    read = attrgetter(name)

    def check(pago: BasePago, _ctx: EvaluationContext) -> RuleResult:
        return absent(read(pago), "sin TipoCadPago") if pago.TipoCadPago is None else None

    return check
