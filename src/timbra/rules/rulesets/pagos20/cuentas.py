"""Accounts, banks and the chain of payment: CRP20221 to CRP20235, columns of c_FormaPago."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos20.matrix import STANDARD
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.pagos import cuentas
from timbra.rules.shared.pagos.cuentas import (
    CHAIN,
    FOREIGN_BANK,
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


@rule("CRP20221", at=f"{AT}/@RfcEmisorCtaOrd", columns=((FORMS, ORDERING_BANK),))
def ordering_bank_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return admitted(pago, ctx, pago.RfcEmisorCtaOrd, ORDERING_BANK)


def names_a_mexican_bank(pago: Pago, _ctx: EvaluationContext) -> bool:
    return cuentas.names_a_mexican_bank(pago)


@rule("CRP20222", at=f"{AT}/@RfcEmisorCtaOrd", applies=names_a_mexican_bank, needs=(DataRequirement.TAXPAYERS,))
def ordering_bank_is_registered(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return cuentas.bank_is_registered(pago, ctx)


@rule("CRP20223", at=f"{AT}/@NomBancoOrdExt")
def foreign_bank_has_its_name(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return cuentas.foreign_bank_has_its_name(pago)


@rule("CRP20224", at=f"{AT}/@CtaOrdenante", columns=((FORMS, ORDERING_ACCOUNT),))
def ordering_account_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return admitted(pago, ctx, pago.CtaOrdenante, ORDERING_ACCOUNT)


@rule("CRP20225", at=f"{AT}/@CtaOrdenante", columns=((FORMS, ORDERING_PATTERN),))
def ordering_account_has_its_form(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return matches(pago, ctx, pago.CtaOrdenante, ORDERING_PATTERN)


@rule("CRP20226", at=f"{AT}/@CtaBeneficiario", columns=((FORMS, RECEIVING_PATTERN),))
def receiving_account_has_its_form(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return matches(pago, ctx, pago.CtaBeneficiario, RECEIVING_PATTERN)


@rule("CRP20227", at=f"{AT}/@RfcEmisorCtaBen", columns=((FORMS, RECEIVING_BANK),))
def receiving_bank_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return admitted(pago, ctx, pago.RfcEmisorCtaBen, RECEIVING_BANK)


@rule("CRP20228", at=f"{AT}/@CtaBeneficiario", columns=((FORMS, RECEIVING_ACCOUNT),))
def receiving_account_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return admitted(pago, ctx, pago.CtaBeneficiario, RECEIVING_ACCOUNT)


@rule("CRP20229", at=f"{AT}/@TipoCadPago", columns=((FORMS, CHAIN),))
def chain_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return admitted(pago, ctx, pago.TipoCadPago, CHAIN)


@rule("CRP20999:TipoCadPago", at=f"{AT}/@TipoCadPago")
def chain_is_a_key(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return None if pago.TipoCadPago is None else key_of(ctx, "pagos20:c_TipoCadenaPago", pago.TipoCadPago)


@rule("CRP20230", at=f"{AT}/@CertPago")
def chain_has_its_certificate(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return with_chain(pago, pago.CertPago)


@rule("CRP20231", at=f"{AT}/@CertPago")
def certificate_belongs_to_a_chain(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return without_chain(pago, pago.CertPago)


@rule("CRP20232", at=f"{AT}/@CadPago")
def chain_has_its_text(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return with_chain(pago, pago.CadPago)


@rule("CRP20233", at=f"{AT}/@CadPago")
def text_belongs_to_a_chain(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return without_chain(pago, pago.CadPago)


@rule("CRP20234", at=f"{AT}/@SelloPago")
def chain_has_its_seal(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return with_chain(pago, pago.SelloPago)


@rule("CRP20235", at=f"{AT}/@SelloPago")
def seal_belongs_to_a_chain(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return without_chain(pago, pago.SelloPago)


@rule("CRP20999:FormaDePagoP-columns", at=f"{AT}/@NomBancoOrdExt", source=STANDARD, columns=((FORMS, FOREIGN_BANK),))
def foreign_bank_is_admitted(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    """What the columns say of the other attributes has codes of its own; NumOperacion is always optional."""
    if pago.RfcEmisorCtaOrd == FOREIGN:
        return None
    return admitted(pago, ctx, pago.NomBancoOrdExt, FOREIGN_BANK)
