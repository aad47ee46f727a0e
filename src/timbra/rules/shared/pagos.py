"""Predicates that both versions of Recepción de Pagos share: form, currency, amounts, accounts, documents."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from timbra.cfdi.nodes.pago import BasePago
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado
from timbra.cfdi.rfc import FOREIGN
from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.core.money import half_unit, half_up, truncate, written_decimals
from timbra.rules.engine.amount_forms import Positive, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.instants import local_date
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.amounts import AmountLimits
from timbra.rules.shared.exchange_rates import published_limits
from timbra.rules.shared.predicates import Predicate, absent

WHY: Final = "en un comprobante de pago"
"""Spanish end of the sentences about attributes with a fixed value."""
BY_THE_COMPLEMENT: Final = "por el complemento Recepción de Pagos"
"""Spanish reason for TipoDeComprobante P."""
PESOS, NO_CURRENCY = "MXN", "XXX"
TO_BE_DEFINED: Final = "99"
FORMS: Final = "c_FormaPago"
ORDERING_BANK, ORDERING_ACCOUNT = "permite_banco_ordenante_rfc", "permite_cuenta_ordenante"
RECEIVING_BANK, RECEIVING_ACCOUNT = "permite_banco_beneficiario_rfc", "permite_cuenta_beneficiario"
ORDERING_PATTERN, RECEIVING_PATTERN = "patron_cuenta_ordenante", "patron_cuenta_beneficiario"
CHAIN, FOREIGN_BANK = "permite_tipo_cadena_pago", "requiere_banco_ordenante_nombre_ext"
INSTALLMENTS: Final = "PPD"


def has_defined_form(pago: BasePago, _ctx: EvaluationContext) -> RuleResult:
    """FormaDePagoP is not 99."""
    if pago.FormaDePagoP != TO_BE_DEFINED:
        return None
    return Violation(found=TO_BE_DEFINED, expected="una forma de pago distinta de 99")


def is_a_currency(name: str) -> Predicate:
    """The currency is not XXX.

    Args:
        name: name of the attribute with the currency.
    """
    read = attrgetter(name)
    violation = Violation(found=NO_CURRENCY, expected="una moneda distinta de XXX")
    return lambda node, _ctx: violation if read(node) == NO_CURRENCY else None


def has_rate_of_foreign_currency(pago: BasePago, _ctx: EvaluationContext) -> RuleResult:
    """TipoCambioP is present with a currency other than MXN."""
    if pago.MonedaP == PESOS or pago.TipoCambioP is not None:
        return None
    return Violation(expected=f"el tipo de cambio de {pago.MonedaP}")


def has_usual_or_confirmed_rate(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """TipoCambioP is within the limits around the rate published for the day of the payment, or is confirmed."""
    if pago.MonedaP in (PESOS, NO_CURRENCY) or pago.TipoCambioP is None or ctx.comprobante.Confirmacion is not None:
        return None
    limits = published_limits(ctx, pago.MonedaP, local_date(pago.FechaPago) or ctx.issued)
    if limits is None or isinstance(limits, Indeterminate) or limits.lower <= pago.tipo_cambio <= limits.upper:
        return limits if isinstance(limits, Indeterminate) else None
    return Violation(found=pago.TipoCambioP, expected=f"{limits}, o una Confirmacion")


def has_usual_or_confirmed_amount(pago: BasePago, ctx: EvaluationContext) -> RuleResult:
    """Monto in pesos is at most the maximum of type P, or is confirmed."""
    row = ctx.row("c_TipoDeComprobante", "P")
    if row is None or ctx.comprobante.Confirmacion is not None:
        return None
    maximum = Decimal(row["valor_maximo"])
    if pago.monto * pago.tipo_cambio <= maximum:
        return None
    return Violation(found=pago.Monto, expected=f"a lo más {maximum:f} pesos, o una Confirmacion")


def is_positive(name: str, number: str) -> Predicate:
    """The amount, when present, is greater than zero.

    Args:
        name: name of the attribute.
        number: name of the attribute's value as a number.
    """
    read, value = attrgetter(name), attrgetter(number)

    @implied_by(Positive(name))
    def check(node: Any, _ctx: EvaluationContext) -> RuleResult:
        text = read(node)
        return None if text is None or value(node) > 0 else Violation(found=text, expected="mayor que cero")

    return check


class Paid(NamedTuple):
    """A paid amount.

    Attributes:
        text: ImpPagado as written.
        amount: ImpPagado as a number.
        rate: units of the document's currency for one of the payment's.
        decimals: number of decimals of the written rate.
    """

    text: str
    amount: Decimal
    rate: Decimal
    decimals: int

    def limits(self, decimals: int, epsilon: Decimal) -> AmountLimits:
        """Return the limits in the payment's currency: lower truncated, upper rounded half up.

        Args:
            decimals: decimals of the payment's currency.
            epsilon: number that SAT subtracts from an open limit; it differs by version of the standard.
        """
        half, half_rate = half_unit(written_decimals(self.text)), half_unit(self.decimals)
        lower = (self.amount - half) / (self.rate + half_rate - epsilon)
        upper = (self.amount + half - epsilon) / (self.rate - half_rate)
        return AmountLimits(truncate(lower, decimals), half_up(upper, decimals))


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


def is_present_with_installments(name: str) -> Predicate:
    """The attribute is present with MetodoDePagoDR PPD.

    Args:
        name: name of the attribute of DoctoRelacionado 1.0.
    """
    read = attrgetter(name)

    def check(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
        if document.MetodoDePagoDR != INSTALLMENTS or read(document) is not None:
            return None
        return Violation(expected="un valor, por MetodoDePagoDR PPD")

    return check
