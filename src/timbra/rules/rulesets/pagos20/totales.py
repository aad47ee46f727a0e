"""The sums of all payments in pesos: CRP20201 to CRP20211."""

from __future__ import annotations

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.pagos20 import Totales
from timbra.core.money import half_up, written_decimals
from timbra.rules.engine.amount_forms import RoundedSum, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20.sums import IVA, TRANSFERRED, WITHHELD, Payments
from timbra.rules.shared.predicates import Predicate

PESO_DECIMALS = 2
PAYMENT = "Complemento/Pagos/Pago"
TAXES, RATE = f"{PAYMENT}/ImpuestosP", f"{PAYMENT}/@TipoCambioP"


def _form_of(name: str) -> RoundedSum:
    """Return the sum of a total, as `timbra.rules.rulesets.pagos20.sums` adds it up."""
    for tax, total in WITHHELD.items():
        if name == total:
            return RoundedSum(name, f"{TAXES}/RetencionesP/RetencionP/@ImporteP", (("ImpuestoP", tax),), RATE)
    rows = {ending: (("TipoFactorP", "Tasa"), ("TasaOCuotaP", rate)) for rate, ending in TRANSFERRED.items()}
    for ending, row_of_rate in {**rows, "IVAExento": (("TipoFactorP", EXENTO),)}.items():
        for part, attribute in (("Base", "BaseP"), ("Impuesto", "ImporteP")):
            if name == f"TotalTraslados{part}{ending}":
                where = (("ImpuestoP", IVA), *row_of_rate)
                return RoundedSum(name, f"{TAXES}/TrasladosP/TrasladoP/@{attribute}", where, RATE)
    return RoundedSum(name, f"{PAYMENT}/@Monto", times=RATE)


def equals_sum_of_payments(name: str) -> Predicate:
    """The total is present exactly when there is an amount to sum, and equals the sum of all payments in pesos.

    The sum is rounded once, at the decimals of the written total, at most 2.

    Args:
        name: name of the attribute of Totales.
    """

    @implied_by(_form_of(name))
    def check(totales: Totales, ctx: EvaluationContext) -> RuleResult:
        text = totales.texts.get(name)
        total = ctx.memoize(Payments).totals(totales).get(name)
        if total is None:
            return _unexpected(text)
        decimals = PESO_DECIMALS if text is None else min(written_decimals(text), PESO_DECIMALS)
        expected = half_up(total, decimals)
        if text is not None and number(text) == expected:
            return None
        return Violation(found=text, expected=f"{expected:f}, de la suma {total.normalize():f} de los pagos en pesos")

    return check


def _unexpected(text: str | None) -> RuleResult:
    return None if text is None else Violation(found=text, expected="que no exista: ningún pago tiene ese impuesto")


CRP20201 = row(
    "CRP20201",
    Totales,
    at="Complemento/Pagos/Totales/@TotalRetencionesIVA",
    says="TotalRetencionesIVA debe ser la suma en pesos de las retenciones de IVA de los pagos.",
    check=equals_sum_of_payments("TotalRetencionesIVA"),
)


CRP20202 = row(
    "CRP20202",
    Totales,
    at="Complemento/Pagos/Totales/@TotalRetencionesISR",
    says="TotalRetencionesISR debe ser la suma en pesos de las retenciones de ISR de los pagos.",
    check=equals_sum_of_payments("TotalRetencionesISR"),
)


CRP20203 = row(
    "CRP20203",
    Totales,
    at="Complemento/Pagos/Totales/@TotalRetencionesIEPS",
    says="TotalRetencionesIEPS debe ser la suma en pesos de las retenciones de IEPS de los pagos.",
    check=equals_sum_of_payments("TotalRetencionesIEPS"),
)


CRP20204 = row(
    "CRP20204",
    Totales,
    at="Complemento/Pagos/Totales/@TotalTrasladosBaseIVA16",
    says="TotalTrasladosBaseIVA16 debe ser la suma en pesos de las bases de IVA al 16 % de los pagos.",
    check=equals_sum_of_payments("TotalTrasladosBaseIVA16"),
)


CRP20205 = row(
    "CRP20205",
    Totales,
    at="Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA16",
    says="TotalTrasladosImpuestoIVA16 debe ser la suma en pesos del IVA al 16 % de los pagos.",
    check=equals_sum_of_payments("TotalTrasladosImpuestoIVA16"),
)


CRP20206 = row(
    "CRP20206",
    Totales,
    at="Complemento/Pagos/Totales/@TotalTrasladosBaseIVA8",
    says="TotalTrasladosBaseIVA8 debe ser la suma en pesos de las bases de IVA al 8 % de los pagos.",
    check=equals_sum_of_payments("TotalTrasladosBaseIVA8"),
)


CRP20207 = row(
    "CRP20207",
    Totales,
    at="Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA8",
    says="TotalTrasladosImpuestoIVA8 debe ser la suma en pesos del IVA al 8 % de los pagos.",
    check=equals_sum_of_payments("TotalTrasladosImpuestoIVA8"),
)


CRP20208 = row(
    "CRP20208",
    Totales,
    at="Complemento/Pagos/Totales/@TotalTrasladosBaseIVA0",
    says="TotalTrasladosBaseIVA0 debe ser la suma en pesos de las bases de IVA al 0 % de los pagos.",
    check=equals_sum_of_payments("TotalTrasladosBaseIVA0"),
)


CRP20209 = row(
    "CRP20209",
    Totales,
    at="Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA0",
    says="TotalTrasladosImpuestoIVA0 debe ser la suma en pesos del IVA al 0 % de los pagos.",
    check=equals_sum_of_payments("TotalTrasladosImpuestoIVA0"),
)


CRP20210 = row(
    "CRP20210",
    Totales,
    at="Complemento/Pagos/Totales/@TotalTrasladosBaseIVAExento",
    says="TotalTrasladosBaseIVAExento debe ser la suma en pesos de las bases exentas de IVA de los pagos.",
    check=equals_sum_of_payments("TotalTrasladosBaseIVAExento"),
)


CRP20211 = row(
    "CRP20211",
    Totales,
    at="Complemento/Pagos/Totales/@MontoTotalPagos",
    says="MontoTotalPagos debe ser la suma en pesos de los montos de los pagos.",
    check=equals_sum_of_payments("MontoTotalPagos"),
)
