"""Accounts, banks and the chain of payment: CRP210 to CRP216, CRP227 to CRP232, CRP238, CRP239, keys of TipoCadPago."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import Pago
from timbra.rules.engine.result import DataRequirement
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.pagos10.sources import SCHEMA
from timbra.rules.shared.pagos import (
    CHAIN,
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

CRP210 = row(
    "CRP210",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaOrd",
    says="El RFC del banco ordenante debe estar en la lista de RFC inscritos y no cancelados.",
    check=has_registered_bank,
    applies=has_mexican_bank,
    needs=(DataRequirement.TAXPAYERS,),
)


CRP211 = row(
    "CRP211",
    Pago,
    at="Complemento/Pagos/Pago/@NomBancoOrdExt",
    says="Si el banco ordenante es extranjero, debe existir NomBancoOrdExt.",
    check=has_name_of_foreign_bank,
)


CRP212 = row(
    "CRP212",
    Pago,
    at="Complemento/Pagos/Pago/@CtaOrdenante",
    says="CtaOrdenante no debe existir con una forma de pago que no la admite.",
    note="La matriz indica 02 a 06, 28 y 29: las formas de pago que la columna marca.",
    check=is_allowed_by_form("CtaOrdenante", ORDERING_ACCOUNT),
    columns=((FORMS, ORDERING_ACCOUNT),),
)


CRP213 = row(
    "CRP213",
    Pago,
    at="Complemento/Pagos/Pago/@CtaOrdenante",
    says="CtaOrdenante debe tener la forma que c_FormaPago pide para la forma de pago.",
    check=has_pattern_of_form("CtaOrdenante", ORDERING_PATTERN),
    columns=((FORMS, ORDERING_PATTERN),),
)


CRP214 = row(
    "CRP214",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaBen",
    says="RfcEmisorCtaBen no debe existir con una forma de pago que no lo admite.",
    note="La matriz indica 02 a 05, 28 y 29: las formas de pago que la columna marca.",
    check=is_allowed_by_form("RfcEmisorCtaBen", RECEIVING_BANK),
    columns=((FORMS, RECEIVING_BANK),),
)


CRP215 = row(
    "CRP215",
    Pago,
    at="Complemento/Pagos/Pago/@CtaBeneficiario",
    says="CtaBeneficiario no debe existir con una forma de pago que no la admite.",
    note="Las mismas formas de pago que en CRP214.",
    check=is_allowed_by_form("CtaBeneficiario", RECEIVING_ACCOUNT),
    columns=((FORMS, RECEIVING_ACCOUNT),),
)


CRP216 = row(
    "CRP216",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCadPago",
    says="TipoCadPago no debe existir con una forma de pago que no lo admite.",
    note="La matriz indica 03: la forma de pago que la columna marca.",
    check=is_allowed_by_form("TipoCadPago", CHAIN),
    columns=((FORMS, CHAIN),),
)


CRP999_TipoCadPago = row(
    "CRP999:TipoCadPago",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCadPago",
    says="TipoCadPago debe ser una clave vigente de c_TipoCadenaPago.",
    check=in_catalog("pagos10:c_TipoCadenaPago", "TipoCadPago"),
    cites=SCHEMA,
)


CRP227 = row(
    "CRP227",
    Pago,
    at="Complemento/Pagos/Pago/@CertPago",
    says="Con TipoCadPago debe existir CertPago.",
    check=is_present_with_chain("CertPago"),
)


CRP228 = row(
    "CRP228",
    Pago,
    at="Complemento/Pagos/Pago/@CertPago",
    says="Sin TipoCadPago no debe existir CertPago.",
    check=is_absent_without_chain("CertPago"),
)


CRP229 = row(
    "CRP229",
    Pago,
    at="Complemento/Pagos/Pago/@CadPago",
    says="Con TipoCadPago debe existir CadPago.",
    check=is_present_with_chain("CadPago"),
)


CRP230 = row(
    "CRP230",
    Pago,
    at="Complemento/Pagos/Pago/@CadPago",
    says="Sin TipoCadPago no debe existir CadPago.",
    check=is_absent_without_chain("CadPago"),
)


CRP231 = row(
    "CRP231",
    Pago,
    at="Complemento/Pagos/Pago/@SelloPago",
    says="Con TipoCadPago debe existir SelloPago.",
    check=is_present_with_chain("SelloPago"),
)


CRP232 = row(
    "CRP232",
    Pago,
    at="Complemento/Pagos/Pago/@SelloPago",
    says="Sin TipoCadPago no debe existir SelloPago.",
    check=is_absent_without_chain("SelloPago"),
)


CRP238 = row(
    "CRP238",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaOrd",
    says="RfcEmisorCtaOrd no debe existir con una forma de pago que no lo admite.",
    note="Las mismas formas de pago que en CRP212.",
    check=is_allowed_by_form("RfcEmisorCtaOrd", ORDERING_BANK),
    columns=((FORMS, ORDERING_BANK),),
)


CRP239 = row(
    "CRP239",
    Pago,
    at="Complemento/Pagos/Pago/@CtaBeneficiario",
    says="CtaBeneficiario debe tener la forma que c_FormaPago pide para la forma de pago.",
    check=has_pattern_of_form("CtaBeneficiario", RECEIVING_PATTERN),
    columns=((FORMS, RECEIVING_PATTERN),),
)
