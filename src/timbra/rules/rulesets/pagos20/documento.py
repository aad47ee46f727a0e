"""Documents that are paid, their balance and taxes: CRP20236 to CRP20261, CRP20277 to CRP20279, keys of MonedaDR."""

from __future__ import annotations

from itertools import chain

from timbra.cfdi.nodes.pago import ONE
from timbra.cfdi.nodes.pagos20 import DoctoRelacionado, ImpuestoDR, RetencionDR, TrasladoDR
from timbra.core.money import written_decimals
from timbra.rules.engine.amount_forms import Difference, Positive, Product, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20.pago import SAME_CURRENCY_DECIMALS
from timbra.rules.rulesets.pagos20.sources import OBJECTS_06_TO_08, REVISION_B, SCHEMA
from timbra.rules.rulesets.pagos20.sums import Payments
from timbra.rules.shared.amounts import Factor, is_near, tax_holds, tax_limits
from timbra.rules.shared.pagos import is_a_currency, is_positive
from timbra.rules.shared.predicates import has_decimals_of_currency, has_rate, in_catalog

IVA, IEPS = "002", "003"
RATED = ("TasaOCuotaDR", "ImporteDR")


CRP20236 = row(
    "CRP20236",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@MonedaDR",
    says="MonedaDR no debe ser XXX.",
    check=is_a_currency("MonedaDR"),
)


CRP20999_MonedaDR = row(
    "CRP20999:MonedaDR",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@MonedaDR",
    says="MonedaDR debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "MonedaDR"),
    cites=SCHEMA,
)


@rule(
    "CRP20237",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR",
    says="EquivalenciaDR debe existir cuando MonedaDR es distinta de MonedaP.",
)
def document_in_another_currency_has_equivalence(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    currency = ctx.memoize(Payments).of(document).MonedaP
    if document.EquivalenciaDR is not None or document.MonedaDR == currency:
        return None
    return Violation(expected=f"las unidades de {document.MonedaDR} que valen una de {currency}")


@rule(
    "CRP20238",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR",
    says="Con MonedaDR igual a MonedaP, EquivalenciaDR debe ser 1.",
)
def document_in_the_same_currency_has_equivalence_one(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.MonedaDR != ctx.memoize(Payments).of(document).MonedaP:
        return None
    if document.EquivalenciaDR is not None and document.equivalencia == ONE:
        return None
    return Violation(found=document.EquivalenciaDR, expected=f"1, por MonedaDR igual a MonedaP {document.MonedaDR}")


@rule(
    "CRP20277",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR",
    says="Si hay documentos en otra moneda, el 1 de EquivalenciaDR debe escribirse con diez decimales.",
    note="Se evalúa si el pago tiene documentos en su moneda y documentos en otra.",
    since=REVISION_B,
)
def equivalence_one_has_ten_decimals(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    text, pago = document.EquivalenciaDR, ctx.memoize(Payments).of(document)
    if text is None or document.MonedaDR != pago.MonedaP or not ctx.memoize(Payments).mixes(document):
        return None
    if document.equivalencia != ONE or written_decimals(text) == SAME_CURRENCY_DECIMALS:
        return None
    return Violation(found=text, expected="1.0000000000: hay documentos en otra moneda")


CRP20239 = row(
    "CRP20239",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt",
    says="ImpSaldoAnt debe ser mayor que cero.",
    check=is_positive("ImpSaldoAnt", "saldo_anterior"),
    inseparable=("CRP20244",),
)


CRP20240 = row(
    "CRP20240",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt",
    says="ImpSaldoAnt no debe tener más decimales que MonedaDR.",
    check=has_decimals_of_currency("ImpSaldoAnt", currency="MonedaDR"),
)


CRP20241 = row(
    "CRP20241",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="ImpPagado debe ser mayor que cero.",
    check=is_positive("ImpPagado", "pagado"),
)


CRP20242 = row(
    "CRP20242",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="ImpPagado no debe tener más decimales que MonedaDR.",
    check=has_decimals_of_currency("ImpPagado", currency="MonedaDR"),
)


CRP20243 = row(
    "CRP20243",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto",
    says="ImpSaldoInsoluto no debe tener más decimales que MonedaDR.",
    check=has_decimals_of_currency("ImpSaldoInsoluto", currency="MonedaDR"),
)


@rule(
    "CRP20244",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto",
    says="ImpSaldoInsoluto debe ser ImpSaldoAnt menos ImpPagado y no ser negativo.",
)
@implied_by(Difference("ImpSaldoInsoluto", start="ImpSaldoAnt", less="ImpPagado"))
def balance_equals_previous_minus_paid(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    remains = document.saldo_anterior - document.pagado
    if document.saldo_insoluto == remains >= 0:
        return None
    why = f"{document.ImpSaldoAnt} menos {document.ImpPagado}, y al menos cero"
    return Violation(found=document.ImpSaldoInsoluto, expected=f"{remains:f}, de {why}")


CRP20245 = row(
    "CRP20245",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="ObjetoImpDR debe ser una clave vigente de c_ObjetoImp.",
    check=in_catalog("c_ObjetoImp", "ObjetoImpDR"),
)


@rule(
    "CRP20246",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 02 debe existir el nodo ImpuestosDR.",
)
def taxed_object_has_taxes(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.ObjetoImpDR != "02" or document.has_impuestos:
        return None
    return Violation(found="02 sin ImpuestosDR", expected="el nodo ImpuestosDR")


@rule(
    "CRP20247",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 01, 03, 04 o 05, no debe existir el nodo ImpuestosDR.",
    note="Desde el 2023-12-12 también con 04 y 05.",
)
def untaxed_object_has_no_taxes(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    objects = ("01", "03", "04", "05") if ctx.on >= REVISION_B else ("01", "03")
    if not document.has_impuestos or document.ObjetoImpDR not in objects:
        return None
    return Violation(found=f"{document.ObjetoImpDR} con ImpuestosDR", expected="que ImpuestosDR no exista")


@rule(
    "CRP20248",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR",
    says="El nodo ImpuestosDR debe llevar al menos una retención o un traslado.",
)
def tax_node_has_taxes(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if not document.has_impuestos or document.traslados or document.retenciones:
        return None
    return Violation(found="ImpuestosDR vacío", expected="al menos una RetencionDR o un TrasladoDR")


@rule(
    "CRP20278",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 06 u 08, el documento no debe desglosar IVA ni IEPS.",
    note="06 y 08: ni IVA ni IEPS; se puede retener ISR.",
    since=OBJECTS_06_TO_08,
)
def object_06_or_08_has_neither_iva_nor_ieps(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.ObjetoImpDR not in ("06", "08"):
        return None
    taxes = chain(document.retenciones, document.traslados)
    found = next((tax for tax in taxes if tax.ImpuestoDR in (IVA, IEPS)), None)
    if found is None:
        return None
    expected = f"ningún impuesto 002 ni 003, por ObjetoImpDR {document.ObjetoImpDR}"
    return Violation(found=f"{type(found).__name__} con ImpuestoDR {found.ImpuestoDR}", expected=expected)


@rule(
    "CRP20279",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 07, el documento debe trasladar IEPS y no desglosar IVA.",
    note="07: sin IVA y con IEPS trasladado; se puede retener IEPS e ISR.",
    since=OBJECTS_06_TO_08,
)
def object_07_has_ieps_and_no_iva(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.ObjetoImpDR != "07":
        return None
    if any(tax.ImpuestoDR == IVA for tax in chain(document.retenciones, document.traslados)):
        return Violation(found="ImpuestoDR 002", expected="ningún impuesto 002, por ObjetoImpDR 07")
    if any(tax.ImpuestoDR == IEPS for tax in document.traslados):
        return None
    return Violation(found="ningún TrasladoDR con ImpuestoDR 003", expected="al menos uno, por ObjetoImpDR 07")


@implied_by(Positive("BaseDR"))
def has_positive_base(tax: ImpuestoDR, _ctx: EvaluationContext) -> RuleResult:
    """BaseDR is greater than zero."""
    return None if tax.base > 0 else Violation(found=tax.BaseDR, expected="una base mayor que cero")


@implied_by(Product("BaseDR", "TasaOCuotaDR", "ImporteDR"))
def amount_equals_base_times_rate(tax: ImpuestoDR, _ctx: EvaluationContext) -> RuleResult:
    """ImporteDR is within SAT's limits of BaseDR by TasaOCuotaDR; a tax without rate or amount passes."""
    if tax.ImporteDR is None or tax.TasaOCuotaDR is None:
        return None
    if is_near(tax.base * tax.tasa, tax.importe, tax.ImporteDR):
        return None
    base, amount = Factor(tax.BaseDR, tax.base), Factor(tax.ImporteDR, tax.importe)
    if tax_holds(base, tax.tasa, amount):
        return None
    limits = tax_limits(base, tax.tasa, amount.decimals)
    return Violation(found=tax.ImporteDR, expected=f"{limits}, de {tax.BaseDR} por {tax.TasaOCuotaDR}")


CRP20249 = row(
    "CRP20249",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@BaseDR",
    says="BaseDR de la retención debe ser mayor que cero.",
    check=has_positive_base,
)


CRP20250 = row(
    "CRP20250",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@ImpuestoDR",
    says="ImpuestoDR de la retención debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoDR"),
)


CRP20251 = row(
    "CRP20251",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TipoFactorDR",
    says="TipoFactorDR de la retención debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactorDR"),
)


@rule(
    "CRP20252",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TipoFactorDR",
    says="TipoFactorDR de la retención no debe ser Exento.",
)
def withheld_tax_is_not_exempt(retencion: RetencionDR, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found=EXENTO, expected="Tasa o Cuota") if retencion.TipoFactorDR == EXENTO else None


CRP20253 = row(
    "CRP20253",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TasaOCuotaDR",
    says="TasaOCuotaDR de la retención debe corresponder a c_TasaOCuota.",
    check=has_rate("withholding", every_tax=True),
)


CRP20254 = row(
    "CRP20254",
    RetencionDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@ImporteDR",
    says="ImporteDR de la retención debe ser BaseDR por TasaOCuotaDR, dentro de sus límites.",
    check=amount_equals_base_times_rate,
)


CRP20255 = row(
    "CRP20255",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@BaseDR",
    says="BaseDR del traslado debe ser mayor que cero.",
    check=has_positive_base,
)


CRP20256 = row(
    "CRP20256",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImpuestoDR",
    says="ImpuestoDR del traslado debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoDR"),
)


CRP20257 = row(
    "CRP20257",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="TipoFactorDR del traslado debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactorDR"),
)


@rule(
    "CRP20258",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="Con TipoFactorDR Exento, TasaOCuotaDR e ImporteDR no deben existir.",
)
def exempt_transfer_has_neither_rate_nor_amount(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    found = [name for name in RATED if getattr(traslado, name) is not None]
    if traslado.TipoFactorDR != EXENTO or not found:
        return None
    return Violation(found=f"Exento con {', '.join(found)}", expected="que TasaOCuotaDR e ImporteDR no existan")


@rule(
    "CRP20259",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TipoFactorDR",
    says="Con TipoFactorDR Tasa o Cuota deben existir TasaOCuotaDR e ImporteDR.",
)
def taxed_transfer_has_rate_and_amount(traslado: TrasladoDR, _ctx: EvaluationContext) -> RuleResult:
    missing = [name for name in RATED if getattr(traslado, name) is None]
    if traslado.TipoFactorDR not in ("Tasa", "Cuota") or not missing:
        return None
    return Violation(found=f"{traslado.TipoFactorDR} sin {' e '.join(missing)}", expected="TasaOCuotaDR e ImporteDR")


CRP20260 = row(
    "CRP20260",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TasaOCuotaDR",
    says="TasaOCuotaDR del traslado debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer", every_tax=True),
)


CRP20261 = row(
    "CRP20261",
    TrasladoDR,
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImporteDR",
    says="ImporteDR del traslado debe ser BaseDR por TasaOCuotaDR, dentro de sus límites.",
    check=amount_equals_base_times_rate,
)
