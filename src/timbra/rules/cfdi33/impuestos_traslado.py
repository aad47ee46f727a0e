"""Each transferred tax of the document: CFDI33191 to CFDI33193, CFDI33195."""

from __future__ import annotations

from timbra.cfdi.nodes import TrasladoTotal
from timbra.money import half_up
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rates import rate_of
from timbra.rules.rule import rule

TRASLADO = "Impuestos/Traslados/Traslado"


@rule("CFDI33191", at=f"{TRASLADO}/@Impuesto", reads=("row",))
def summed_transferred_tax_is_a_key(traslado: TrasladoTotal, case: Case) -> Verdict:
    return key_of(case, "c_Impuesto", traslado.Impuesto)


@rule("CFDI33192", at=f"{TRASLADO}/@Impuesto")
def transferred_tax_appears_once(traslado: TrasladoTotal, case: Case) -> Verdict:
    if case.sums.is_first(traslado):
        return None
    found = " ".join(part for part in traslado.row if part is not None)
    return Breach(found=found, expected="un solo Traslado por Impuesto, TipoFactor y TasaOCuota")


@rule("CFDI33193", at=f"{TRASLADO}/@TasaOCuota", reads=("row",))
def summed_rate_is_in_its_catalog(traslado: TrasladoTotal, case: Case) -> Verdict:
    return rate_of(case, traslado.row, "transfer", every_tax=True)


@rule("CFDI33195", at=f"{TRASLADO}/@Importe")
def transferred_amount_is_the_sum_of_conceptos(traslado: TrasladoTotal, case: Case) -> Verdict:
    """Both sides at the decimals of the currency: an unrounded amount was accepted."""
    if case.decimals is None:
        return None
    total = case.sums.traslado(traslado.row).importe
    expected = half_up(total, case.decimals)
    if half_up(traslado.importe, case.decimals) == expected:
        return None
    return Breach(found=traslado.Importe, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
