"""Accounts, banks and the chain of payment: CRP210 to CRP216, CRP227 to CRP232, CRP238, CRP239, keys of TipoCadPago."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import Pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos10.matrix import STANDARD
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.pagos import cuentas
from timbra.rules.shared.pagos.cuentas import (
    CHAIN,
    FORMS,
    ORDERING_ACCOUNT,
    ORDERING_BANK,
    ORDERING_PATTERN,
    RECEIVING_ACCOUNT,
    RECEIVING_BANK,
    RECEIVING_PATTERN,
    admitted,
    matches,
    with_chain,
    without_chain,
)
from timbra.rules.shared.pagos.pago import AT


def names_a_mexican_bank(pago: Pago, _ctx: EvaluationContext) -> bool:
    return cuentas.names_a_mexican_bank(pago)


@rule("CRP210", at=f"{AT}/@RfcEmisorCtaOrd", applies=names_a_mexican_bank, needs=(DataRequirement.TAXPAYERS,))
def ordering_bank_is_registered(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return cuentas.bank_is_registered(pago, ctx)


@rule("CRP211", at=f"{AT}/@NomBancoOrdExt")
def foreign_bank_has_its_name(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return cuentas.foreign_bank_has_its_name(pago)


@rule("CRP212", at=f"{AT}/@CtaOrdenante", columns=((FORMS, ORDERING_ACCOUNT),))
def ordering_account_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    """The matrix names 02 to 06, 28 and 29: the forms that the column marks."""
    return admitted(pago, ctx, pago.CtaOrdenante, ORDERING_ACCOUNT)


@rule("CRP213", at=f"{AT}/@CtaOrdenante", columns=((FORMS, ORDERING_PATTERN),))
def ordering_account_has_its_form(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return matches(pago, ctx, pago.CtaOrdenante, ORDERING_PATTERN)


@rule("CRP214", at=f"{AT}/@RfcEmisorCtaBen", columns=((FORMS, RECEIVING_BANK),))
def receiving_bank_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    """The matrix names 02 to 05, 28 and 29: the forms that the column marks."""
    return admitted(pago, ctx, pago.RfcEmisorCtaBen, RECEIVING_BANK)


@rule("CRP215", at=f"{AT}/@CtaBeneficiario", columns=((FORMS, RECEIVING_ACCOUNT),))
def receiving_account_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    """The forms of CRP214."""
    return admitted(pago, ctx, pago.CtaBeneficiario, RECEIVING_ACCOUNT)


@rule("CRP216", at=f"{AT}/@TipoCadPago", columns=((FORMS, CHAIN),))
def chain_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    """The matrix names 03: the form that the column marks."""
    return admitted(pago, ctx, pago.TipoCadPago, CHAIN)


@rule("CRP999:TipoCadPago", at=f"{AT}/@TipoCadPago", source=STANDARD)
def chain_is_a_key(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return None if pago.TipoCadPago is None else key_of(ctx, "pagos10:c_TipoCadenaPago", pago.TipoCadPago)


@rule("CRP227", at=f"{AT}/@CertPago")
def chain_has_its_certificate(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return with_chain(pago, pago.CertPago)


@rule("CRP228", at=f"{AT}/@CertPago")
def certificate_belongs_to_a_chain(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return without_chain(pago, pago.CertPago)


@rule("CRP229", at=f"{AT}/@CadPago")
def chain_has_its_text(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return with_chain(pago, pago.CadPago)


@rule("CRP230", at=f"{AT}/@CadPago")
def text_belongs_to_a_chain(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return without_chain(pago, pago.CadPago)


@rule("CRP231", at=f"{AT}/@SelloPago")
def chain_has_its_seal(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return with_chain(pago, pago.SelloPago)


@rule("CRP232", at=f"{AT}/@SelloPago")
def seal_belongs_to_a_chain(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return without_chain(pago, pago.SelloPago)


@rule("CRP238", at=f"{AT}/@RfcEmisorCtaOrd", columns=((FORMS, ORDERING_BANK),))
def ordering_bank_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    """The forms of CRP212."""
    return admitted(pago, ctx, pago.RfcEmisorCtaOrd, ORDERING_BANK)


@rule("CRP239", at=f"{AT}/@CtaBeneficiario", columns=((FORMS, RECEIVING_PATTERN),))
def receiving_account_has_its_form(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return matches(pago, ctx, pago.CtaBeneficiario, RECEIVING_PATTERN)
