"""Accounts, banks and the chain of payment: CRP20221 to CRP20235, columns of c_FormaPago."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.cfdi.rfc import FOREIGN
from timbra.examples.codes.example import example
from timbra.examples.codes.pagos import CHAIN_ATTRIBUTES
from timbra.examples.codes.pagos20 import with_chain
from timbra.examples.pagos20 import pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.sources import SCHEMA, STANDARD
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
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
    ),
)


CRP20222 = row(
    "CRP20222",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaOrd",
    says="RfcEmisorCtaOrd debe estar en la lista de RFC inscritos y no cancelados.",
    check=has_registered_bank,
    applies=has_mexican_bank,
    needs=(DataRequirement.TAXPAYERS,),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "ZZZ010101AAA"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
    ),
)


CRP20223 = row(
    "CRP20223",
    Pago,
    at="Complemento/Pagos/Pago/@NomBancoOrdExt",
    says="Con un banco extranjero en RfcEmisorCtaOrd debe existir NomBancoOrdExt.",
    check=has_name_of_foreign_bank,
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "XEXX010101000"},
        passes={
            "Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "XEXX010101000",
            "Complemento/Pagos/Pago/@NomBancoOrdExt": "FIRST BANK",
        },
    ),
)


CRP20224 = row(
    "CRP20224",
    Pago,
    at="Complemento/Pagos/Pago/@CtaOrdenante",
    says="CtaOrdenante no debe existir con una forma de pago que no la admite.",
    check=is_allowed_by_form("CtaOrdenante", ORDERING_ACCOUNT),
    columns=((FORMS, ORDERING_ACCOUNT),),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
        passes={"Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
    ),
)


CRP20225 = row(
    "CRP20225",
    Pago,
    at="Complemento/Pagos/Pago/@CtaOrdenante",
    says="CtaOrdenante debe tener la forma que c_FormaPago pide para la forma de pago.",
    check=has_pattern_of_form("CtaOrdenante", ORDERING_PATTERN),
    columns=((FORMS, ORDERING_PATTERN),),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@CtaOrdenante": "123"},
        passes={"Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
    ),
)


CRP20226 = row(
    "CRP20226",
    Pago,
    at="Complemento/Pagos/Pago/@CtaBeneficiario",
    says="CtaBeneficiario debe tener la forma que c_FormaPago pide para la forma de pago.",
    check=has_pattern_of_form("CtaBeneficiario", RECEIVING_PATTERN),
    columns=((FORMS, RECEIVING_PATTERN),),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@CtaBeneficiario": "123"},
        passes={"Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
    ),
)


CRP20227 = row(
    "CRP20227",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaBen",
    says="RfcEmisorCtaBen no debe existir con una forma de pago que no lo admite.",
    check=is_allowed_by_form("RfcEmisorCtaBen", RECEIVING_BANK),
    columns=((FORMS, RECEIVING_BANK),),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@RfcEmisorCtaBen": "EKU9003173C9"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaBen": "EKU9003173C9"},
    ),
)


CRP20228 = row(
    "CRP20228",
    Pago,
    at="Complemento/Pagos/Pago/@CtaBeneficiario",
    says="CtaBeneficiario no debe existir con una forma de pago que no la admite.",
    check=is_allowed_by_form("CtaBeneficiario", RECEIVING_ACCOUNT),
    columns=((FORMS, RECEIVING_ACCOUNT),),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
        passes={"Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
    ),
)


CRP20229 = row(
    "CRP20229",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCadPago",
    says="TipoCadPago no debe existir con una forma de pago que no lo admite.",
    check=is_allowed_by_form("TipoCadPago", CHAIN),
    columns=((FORMS, CHAIN),),
    fails=example(with_chain, {"Complemento/Pagos/Pago/@FormaDePagoP": "02"}),
)


CRP20999_TipoCadPago = row(
    "CRP20999:TipoCadPago",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCadPago",
    says="TipoCadPago debe ser una clave vigente de c_TipoCadenaPago.",
    check=in_catalog("pagos20:c_TipoCadenaPago", "TipoCadPago"),
    cites=SCHEMA,
    fails=example(with_chain, {"Complemento/Pagos/Pago/@TipoCadPago": "02"}),
)


CRP20230 = row(
    "CRP20230",
    Pago,
    at="Complemento/Pagos/Pago/@CertPago",
    says="Con TipoCadPago debe existir CertPago.",
    check=is_present_with_chain("CertPago"),
    fails=example(with_chain, {"Complemento/Pagos/Pago/@CertPago": None}),
)


CRP20231 = row(
    "CRP20231",
    Pago,
    at="Complemento/Pagos/Pago/@CertPago",
    says="Sin TipoCadPago no debe existir CertPago.",
    check=is_absent_without_chain("CertPago"),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@CertPago": "AAAA"},
        passes=CHAIN_ATTRIBUTES,
    ),
)


CRP20232 = row(
    "CRP20232",
    Pago,
    at="Complemento/Pagos/Pago/@CadPago",
    says="Con TipoCadPago debe existir CadPago.",
    check=is_present_with_chain("CadPago"),
    fails=example(with_chain, {"Complemento/Pagos/Pago/@CadPago": None}),
)


CRP20233 = row(
    "CRP20233",
    Pago,
    at="Complemento/Pagos/Pago/@CadPago",
    says="Sin TipoCadPago no debe existir CadPago.",
    check=is_absent_without_chain("CadPago"),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@CadPago": "cadena"},
        passes=CHAIN_ATTRIBUTES,
    ),
)


CRP20234 = row(
    "CRP20234",
    Pago,
    at="Complemento/Pagos/Pago/@SelloPago",
    says="Con TipoCadPago debe existir SelloPago.",
    check=is_present_with_chain("SelloPago"),
    fails=example(with_chain, {"Complemento/Pagos/Pago/@SelloPago": None}),
)


CRP20235 = row(
    "CRP20235",
    Pago,
    at="Complemento/Pagos/Pago/@SelloPago",
    says="Sin TipoCadPago no debe existir SelloPago.",
    check=is_absent_without_chain("SelloPago"),
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@SelloPago": "AAAA"},
        passes=CHAIN_ATTRIBUTES,
    ),
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
    fails=example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "05", "Complemento/Pagos/Pago/@NomBancoOrdExt": "FIRST BANK"},
        passes={"Complemento/Pagos/Pago/@NomBancoOrdExt": "FIRST BANK"},
    ),
)
def bank_name_is_allowed_by_form_or_foreign_bank(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return None if pago.RfcEmisorCtaOrd == FOREIGN else _is_allowed(pago, ctx)
