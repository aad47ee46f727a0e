"""Accounts, banks and the payment chain (cadena de pago), by the columns of c_FormaPago."""

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
    """Check that the attribute is absent unless the form of payment admits it; an unknown form passes.

    Args:
        pago: the payment.
        ctx: evaluation context.
        text: the attribute.
        column: column of c_FormaPago that admits the attribute.
    """
    row = ctx.row(FORMS, pago.FormaDePagoP)
    if text is None or row is None or (row.get(column) and pago.FormaDePagoP != TO_BE_DEFINED):
        return None
    return absent(text, f"con FormaDePagoP {pago.FormaDePagoP}")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def matches(pago: BasePago, ctx: EvaluationContext, text: str | None, column: str) -> RuleResult:
    """Check that the account has the pattern of the form of payment.

    Args:
        pago: the payment.
        ctx: evaluation context.
        text: the account.
        column: column of c_FormaPago that has the pattern.
    """
    row = ctx.row(FORMS, pago.FormaDePagoP)
    pattern = row.get(column) if row is not None else None
    if text is None or not pattern or _compiled(pattern).fullmatch(text):
        return None
    return Violation(found=text, expected=f"una cuenta con la forma {pattern}, por FormaDePagoP {pago.FormaDePagoP}")


def names_a_mexican_bank(pago: BasePago) -> bool:
    """Whether RfcEmisorCtaOrd is present and not that of foreign banks."""
    return pago.RfcEmisorCtaOrd not in (None, FOREIGN)


def bank_is_registered(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """Check that RfcEmisorCtaOrd, when present, is in l_RFC and not cancelled."""
    rfc = pago.RfcEmisorCtaOrd
    if rfc is None or ctx.taxpayer(rfc) is not None:
        return None
    return Violation(found=rfc, expected="un RFC inscrito y no cancelado", hint=ctx.reference_data.registry_hint)


def foreign_bank_has_its_name(pago: BasePago) -> RuleResult:
    """Check that NomBancoOrdExt is present with a foreign bank."""
    if pago.RfcEmisorCtaOrd != FOREIGN or pago.NomBancoOrdExt is not None:
        return None
    return Violation(expected=f"el nombre del banco, por RfcEmisorCtaOrd {FOREIGN}")


def with_chain(pago: BasePago, text: str | None) -> RuleResult:
    """Check that the attribute is present with TipoCadPago."""
    if pago.TipoCadPago is None or text is not None:
        return None
    return Violation(expected=f"un valor, por TipoCadPago {pago.TipoCadPago}")


def without_chain(pago: BasePago, text: str | None) -> RuleResult:
    """Check that the attribute is absent without TipoCadPago."""
    return absent(text, "sin TipoCadPago") if pago.TipoCadPago is None else None
