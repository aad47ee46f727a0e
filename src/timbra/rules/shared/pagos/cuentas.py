"""Accounts, banks and the chain of payment: columns of c_FormaPago."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from timbra.cfdi.nodes.pago import BasePago
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.pagos.pago import TO_BE_DEFINED

FORMS: Final = "c_FormaPago"
ORDERING_BANK, ORDERING_ACCOUNT = "permite_banco_ordenante_rfc", "permite_cuenta_ordenante"
RECEIVING_BANK, RECEIVING_ACCOUNT = "permite_banco_beneficiario_rfc", "permite_cuenta_beneficiario"
ORDERING_PATTERN, RECEIVING_PATTERN = "patron_cuenta_ordenante", "patron_cuenta_beneficiario"
CHAIN, FOREIGN_BANK = "permite_tipo_cadena_pago", "requiere_banco_ordenante_nombre_ext"


def admitted(pago: BasePago, ctx: EvaluationContext, text: str | None, column: str) -> RuleResult:
    """Absent unless the form of payment admits it; nothing to say about an unknown form."""
    row = ctx.row(FORMS, pago.FormaDePagoP)
    if text is None or row is None or (row.get(column) and pago.FormaDePagoP != TO_BE_DEFINED):
        return None
    return absent(text, f"con FormaDePagoP {pago.FormaDePagoP}")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def matches(pago: BasePago, ctx: EvaluationContext, text: str | None, column: str) -> RuleResult:
    """The account has the form that the form of payment asks for."""
    row = ctx.row(FORMS, pago.FormaDePagoP)
    pattern = row.get(column) if row is not None else None
    if text is None or not pattern or _compiled(pattern).fullmatch(text):
        return None
    return Violation(found=text, expected=f"una cuenta con la forma {pattern}, por FormaDePagoP {pago.FormaDePagoP}")


def names_a_mexican_bank(pago: BasePago) -> bool:
    return pago.RfcEmisorCtaOrd not in (None, FOREIGN)


def bank_is_registered(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    rfc = pago.RfcEmisorCtaOrd
    if rfc is None or ctx.taxpayer(rfc) is not None:
        return None
    return Violation(found=rfc, expected="un RFC inscrito y no cancelado", hint=ctx.reference_data.registry_hint)


def foreign_bank_has_its_name(pago: BasePago) -> RuleResult:
    if pago.RfcEmisorCtaOrd != FOREIGN or pago.NomBancoOrdExt is not None:
        return None
    return Violation(expected=f"el nombre del banco, por RfcEmisorCtaOrd {FOREIGN}")


def with_chain(pago: BasePago, text: str | None) -> RuleResult:
    """Present where there is a chain of payment."""
    if pago.TipoCadPago is None or text is not None:
        return None
    return Violation(expected=f"un valor, por TipoCadPago {pago.TipoCadPago}")


def without_chain(pago: BasePago, text: str | None) -> RuleResult:
    """Absent where there is none."""
    return absent(text, "sin TipoCadPago") if pago.TipoCadPago is None else None
