"""Currency and exchange rate: CFDI33112 to CFDI33117."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante
from timbra.examples.cfdi33 import ingreso33, traslado33
from timbra.examples.codes.example import example
from timbra.examples.lists import PublishedRates
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tables import tables
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import currency
from timbra.rules.shared.predicates import in_catalog

CFDI33112 = row(
    "CFDI33112",
    Comprobante,
    at="@Moneda",
    says="Moneda debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "Moneda"),
    cites=MATRIX_2022_01,
    fails={"@Moneda": "ZZZ", "@TipoCambio": "1"},
)


@rule(
    "CFDI33113",
    at="@TipoCambio",
    says="Con Moneda MXN, TipoCambio no debe existir o debe ser 1.",
    note="Se compara como número: se aceptó 1.000000.",
    cites=MATRIX_2022_01,
    fails=example(ingreso33, {"@TipoCambio": "1.5"}, passes={"@TipoCambio": "1.000000"}),
)
def rate_of_mxn_is_one(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.Moneda != currency.MXN or comprobante.TipoCambio is None or comprobante.tipo_cambio == 1:
        return None
    return Violation(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


CFDI33114 = row(
    "CFDI33114",
    Comprobante,
    at="@TipoCambio",
    says="TipoCambio debe existir cuando la moneda no es MXN ni XXX.",
    check=currency.has_rate_in_foreign_currency,
    cites=MATRIX_2022_01,
    fails=example(ingreso33, {"@Moneda": "USD"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}),
)


CFDI33115 = row(
    "CFDI33115",
    Comprobante,
    at="@TipoCambio",
    says="Con Moneda XXX, TipoCambio no debe existir.",
    check=currency.has_no_rate_without_currency,
    cites=MATRIX_2022_01,
    fails=example(traslado33, {"@TipoCambio": "1"}),
)


@rule(
    "CFDI33116",
    at="@TipoCambio",
    says="TipoCambio debe ser un número de hasta 18 enteros y 6 decimales.",
    cites=MATRIX_2022_01,
    fails=example(
        ingreso33, {"@Moneda": "USD", "@TipoCambio": "18.5000001"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}
    ),
)
def rate_is_decimal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    text = comprobante.TipoCambio
    if text is None or currency.RATE_PATTERN.fullmatch(text):
        return None
    return Violation(found=text, expected="un número de hasta 18 enteros y 6 decimales")


CFDI33117 = row(
    "CFDI33117",
    Comprobante,
    at="@TipoCambio",
    says="Un TipoCambio fuera de los límites publicados requiere Confirmacion.",
    check=currency.rate_is_within_limits_or_confirmed,
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
    fails_with=tables(exchange_rates=PublishedRates({"USD": Decimal("18.50")})),
    cites=MATRIX_2022_01,
    fails=example(
        ingreso33, {"@Moneda": "USD", "@TipoCambio": "30"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}
    ),
)
