"""Traslados of a Concepto: CFDI40174 to CFDI40180."""

from __future__ import annotations

from timbra.cfdi.nodes import Traslado
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.invoice import taxes
from timbra.rules.rates import rate_of
from timbra.rules.rule import rule

TRASLADO = "Conceptos/Concepto/Impuestos/Traslados/Traslado"
EXENTO = "Exento"


@rule("CFDI40174", at=f"{TRASLADO}/@Base")
def transferred_base_is_positive(traslado: Traslado, _case: Case) -> Verdict:
    return taxes.base_is_positive(traslado)


@rule("CFDI40175", at=f"{TRASLADO}/@Impuesto", reads=("row",))
def tax_may_be_transferred(traslado: Traslado, case: Case) -> Verdict:
    return taxes.tax_is_usable(case, traslado, "traslado", "trasladar")


@rule("CFDI40176", at=f"{TRASLADO}/@TipoFactor", reads=("row",))
def transferred_factor_is_a_key(traslado: Traslado, case: Case) -> Verdict:
    return key_of(case, "c_TipoFactor", traslado.TipoFactor)


def is_exempt(traslado: Traslado, _case: Case) -> bool:
    return traslado.TipoFactor == EXENTO


def is_taxed(traslado: Traslado, _case: Case) -> bool:
    return traslado.TipoFactor in ("Tasa", "Cuota")


def has_rate(traslado: Traslado, _case: Case) -> bool:
    return traslado.TasaOCuota is not None


@rule("CFDI40177", at=f"{TRASLADO}/@TipoFactor", applies=is_exempt, applies_reads=("row",))
def exempt_has_neither_rate_nor_amount(traslado: Traslado, _case: Case) -> Verdict:
    if traslado.TasaOCuota is None and traslado.Importe is None:
        return None
    found = ", ".join(name for name in ("TasaOCuota", "Importe") if getattr(traslado, name) is not None)
    return Breach(found=f"Exento con {found}", expected="que TasaOCuota e Importe no existan")


@rule("CFDI40178", at=f"{TRASLADO}/@TipoFactor", applies=is_taxed, applies_reads=("row",))
def taxed_has_rate_and_amount(traslado: Traslado, _case: Case) -> Verdict:
    if traslado.TasaOCuota is not None and traslado.Importe is not None:
        return None
    missing = " e ".join(name for name in ("TasaOCuota", "Importe") if getattr(traslado, name) is None)
    return Breach(found=f"{traslado.TipoFactor} sin {missing}", expected="TasaOCuota e Importe")


@rule("CFDI40179", at=f"{TRASLADO}/@TasaOCuota", reads=("row",), inseparable=("CFDI40219",))
def transferred_rate_is_in_its_catalog(traslado: Traslado, case: Case) -> Verdict:
    return rate_of(case, traslado.row, "transfer")


@rule("CFDI40180", at=f"{TRASLADO}/@Importe", applies=has_rate, applies_reads=("row",))
def transferred_amount_is_base_times_rate(traslado: Traslado, case: Case) -> Verdict:
    return taxes.amount_is_base_times_rate(case, traslado)
