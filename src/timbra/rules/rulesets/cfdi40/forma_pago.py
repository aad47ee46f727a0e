"""Form, method and terms of payment: CFDI40103 to CFDI40105, CFDI40124, CFDI40125, CondicionesDePago."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import ANEXO_20
from timbra.rules.shared.invoice.document_type import is_absent_in_type
from timbra.rules.shared.predicates import in_catalog

TO_BE_DEFINED = "99"
"""Key of c_FormaPago: por definir."""


CFDI40103 = row(
    "CFDI40103",
    Comprobante,
    at="@FormaPago",
    says="FormaPago no debe existir en comprobantes de tipo T, N o P.",
    check=is_absent_in_type("FormaPago"),
    types="TNP",
)


CFDI40104 = row(
    "CFDI40104",
    Comprobante,
    at="@FormaPago",
    says="FormaPago debe ser una clave vigente de c_FormaPago.",
    check=in_catalog("c_FormaPago", "FormaPago"),
)


@rule(
    "CFDI40105",
    at="@FormaPago",
    says="Con MetodoPago PPD, FormaPago debe ser 99.",
    types="IE",
)
def deferred_payment_has_form_to_be_defined(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.MetodoPago != "PPD" or comprobante.FormaPago == TO_BE_DEFINED:
        return None
    return Violation(found=comprobante.FormaPago, expected=f"{TO_BE_DEFINED}, por MetodoPago PPD")


CFDI40124 = row(
    "CFDI40124",
    Comprobante,
    at="@MetodoPago",
    says="MetodoPago debe ser una clave vigente de c_MetodoPago.",
    check=in_catalog("c_MetodoPago", "MetodoPago"),
)


CFDI40125 = row(
    "CFDI40125",
    Comprobante,
    at="@MetodoPago",
    says="MetodoPago no debe existir en comprobantes de tipo T o P.",
    check=is_absent_in_type("MetodoPago"),
    types="TP",
)


CFDI40999_CondicionesDePago = row(
    "CFDI40999:CondicionesDePago",
    Comprobante,
    at="@CondicionesDePago",
    says="CondicionesDePago no debe existir en comprobantes de tipo T, P o N.",
    check=is_absent_in_type("CondicionesDePago"),
    types="TPN",
    cites=ANEXO_20,
)
