"""Accounts, banks and the chain of payment: CRP20221 to CRP20235, columns of c_FormaPago."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.sources import SCHEMA, STANDARD
from timbra.rules.shared.pagos import (
    CHAIN,
    FOREIGN_BANK,
    FORMS,
    ORDERING_ACCOUNT,
    ORDERING_BANK,
    ORDERING_PATTERN,
    RECEIVING_ACCOUNT,
    RECEIVING_BANK,
    RECEIVING_PATTERN,
    has_mexican_bank,
    has_name_of_foreign_bank,
    has_pattern_of_form,
    has_registered_bank,
    is_absent_without_chain,
    is_allowed_by_form,
    is_present_with_chain,
)
from timbra.rules.shared.predicates import in_catalog

CRP20221 = row(
    "CRP20221",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaOrd",
    says="RfcEmisorCtaOrd no debe existir con una forma de pago que no lo admite.",
    check=is_allowed_by_form("RfcEmisorCtaOrd", ORDERING_BANK),
    columns=((FORMS, ORDERING_BANK),),
)


CRP20222 = row(
    "CRP20222",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaOrd",
    says="RfcEmisorCtaOrd debe estar en la lista de RFC inscritos y no cancelados.",
    check=has_registered_bank,
    applies=has_mexican_bank,
    needs=(DataRequirement.TAXPAYERS,),
)


CRP20223 = row(
    "CRP20223",
    Pago,
    at="Complemento/Pagos/Pago/@NomBancoOrdExt",
    says="Con un banco extranjero en RfcEmisorCtaOrd debe existir NomBancoOrdExt.",
    check=has_name_of_foreign_bank,
)


CRP20224 = row(
    "CRP20224",
    Pago,
    at="Complemento/Pagos/Pago/@CtaOrdenante",
    says="CtaOrdenante no debe existir con una forma de pago que no la admite.",
    check=is_allowed_by_form("CtaOrdenante", ORDERING_ACCOUNT),
    columns=((FORMS, ORDERING_ACCOUNT),),
)


CRP20225 = row(
    "CRP20225",
    Pago,
    at="Complemento/Pagos/Pago/@CtaOrdenante",
    says="CtaOrdenante debe tener la forma que c_FormaPago pide para la forma de pago.",
    check=has_pattern_of_form("CtaOrdenante", ORDERING_PATTERN),
    columns=((FORMS, ORDERING_PATTERN),),
)


CRP20226 = row(
    "CRP20226",
    Pago,
    at="Complemento/Pagos/Pago/@CtaBeneficiario",
    says="CtaBeneficiario debe tener la forma que c_FormaPago pide para la forma de pago.",
    check=has_pattern_of_form("CtaBeneficiario", RECEIVING_PATTERN),
    columns=((FORMS, RECEIVING_PATTERN),),
)


CRP20227 = row(
    "CRP20227",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaBen",
    says="RfcEmisorCtaBen no debe existir con una forma de pago que no lo admite.",
    check=is_allowed_by_form("RfcEmisorCtaBen", RECEIVING_BANK),
    columns=((FORMS, RECEIVING_BANK),),
)


CRP20228 = row(
    "CRP20228",
    Pago,
    at="Complemento/Pagos/Pago/@CtaBeneficiario",
    says="CtaBeneficiario no debe existir con una forma de pago que no la admite.",
    check=is_allowed_by_form("CtaBeneficiario", RECEIVING_ACCOUNT),
    columns=((FORMS, RECEIVING_ACCOUNT),),
)


CRP20229 = row(
    "CRP20229",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCadPago",
    says="TipoCadPago no debe existir con una forma de pago que no lo admite.",
    check=is_allowed_by_form("TipoCadPago", CHAIN),
    columns=((FORMS, CHAIN),),
)


CRP20999_TipoCadPago = row(
    "CRP20999:TipoCadPago",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCadPago",
    says="TipoCadPago debe ser una clave vigente de c_TipoCadenaPago.",
    check=in_catalog("pagos20:c_TipoCadenaPago", "TipoCadPago"),
    cites=SCHEMA,
)


CRP20230 = row(
    "CRP20230",
    Pago,
    at="Complemento/Pagos/Pago/@CertPago",
    says="Con TipoCadPago debe existir CertPago.",
    check=is_present_with_chain("CertPago"),
)


CRP20231 = row(
    "CRP20231",
    Pago,
    at="Complemento/Pagos/Pago/@CertPago",
    says="Sin TipoCadPago no debe existir CertPago.",
    check=is_absent_without_chain("CertPago"),
)


CRP20232 = row(
    "CRP20232",
    Pago,
    at="Complemento/Pagos/Pago/@CadPago",
    says="Con TipoCadPago debe existir CadPago.",
    check=is_present_with_chain("CadPago"),
)


CRP20233 = row(
    "CRP20233",
    Pago,
    at="Complemento/Pagos/Pago/@CadPago",
    says="Sin TipoCadPago no debe existir CadPago.",
    check=is_absent_without_chain("CadPago"),
)


CRP20234 = row(
    "CRP20234",
    Pago,
    at="Complemento/Pagos/Pago/@SelloPago",
    says="Con TipoCadPago debe existir SelloPago.",
    check=is_present_with_chain("SelloPago"),
)


CRP20235 = row(
    "CRP20235",
    Pago,
    at="Complemento/Pagos/Pago/@SelloPago",
    says="Sin TipoCadPago no debe existir SelloPago.",
    check=is_absent_without_chain("SelloPago"),
)


_is_allowed = is_allowed_by_form("NomBancoOrdExt", FOREIGN_BANK)


@rule(
    "CRP20999:FormaDePagoP-columns",
    at="Complemento/Pagos/Pago/@NomBancoOrdExt",
    says="Sin un banco extranjero en RfcEmisorCtaOrd, NomBancoOrdExt no debe existir si la forma de pago no lo admite.",
    note=(
        "Lo que las columnas indican de los otros atributos tiene códigos propios; NumOperacion siempre es opcional."
    ),
    columns=((FORMS, FOREIGN_BANK),),
    cites=STANDARD,
)
def bank_name_is_allowed_by_form_or_foreign_bank(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return None if pago.RfcEmisorCtaOrd == FOREIGN else _is_allowed(pago, ctx)
