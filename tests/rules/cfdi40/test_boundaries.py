"""Rules on amounts and dates of CFDI 4.0: the limit is accepted, and one unit beyond violates the rule alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import boundaries_cfdi as boundaries
from tests.support.boundaries_cfdi import Boundaries, Boundary, Version, unit

from timbra.examples import global_invoice, ingreso, traslado
from timbra.examples.codes.impuestos import resico_invoice
from timbra.examples.complements import COMPLEMENTS
from timbra.examples.conceptos import concepto, tax
from timbra.examples.hidroypetro10 import fuel

CFDI40 = Version(ingreso, traslado, True, {year: f"{year}-11-17T12:00:00" for year in range(2022, 2027)})
RETENCION, TRASLADO = "Impuestos/Retenciones/Retencion", "Impuestos/Traslados/Traslado"
BY_NAME = {complement.name: complement for complement in COMPLEMENTS}
LATEST_QUOTA = Decimal("72.160500")


def years_of_global_invoice() -> Boundaries:
    """Año is the year of the document or one of the five before it, from 2019 on."""

    def boundary(year: int) -> Boundary:
        def sale(of: int) -> str:
            return global_invoice({"InformacionGlobal/@Año": str(of)}, fecha=CFDI40.issued[year])

        first = max(2019, year - 5)
        return Boundary((sale(first), sale(year)), (sale(first - 1), sale(year + 1)))

    return st.sampled_from(sorted(CFDI40.issued)).map(boundary)


def rate_of_resico() -> Boundaries:
    """The withheld rate is 1.25 %, or one unit more or less."""
    accepted, *violating = [resico_invoice(rate)() for rate in ("0.012500", "0.012501", "0.012499")]
    return st.just(Boundary((accepted,), tuple(violating)))


def quota_of_ieps() -> Boundaries:
    """TasaOCuota is the greatest quota of IEPS, or one unit more."""

    def sale(quota: Decimal) -> str:
        return ingreso(concepts=[concepto(traslados=[tax("200.00", "003", f"{quota:f}", factor="Cuota")])])

    return st.just(Boundary((sale(LATEST_QUOTA),), (sale(LATEST_QUOTA + unit(6)),)))


def last_day_of_complement(name: str, last: date) -> Boundaries:
    """Fecha is the last day of a version of a complement, or the day after it."""

    def sale(day: date) -> str:
        return BY_NAME[name](fecha=f"{day.isoformat()}T12:00:00")

    return st.just(Boundary((sale(last),), (sale(last + timedelta(days=1)),)))


def first_day(first: date, sale: Callable[[str], str]) -> Boundaries:
    """Fecha is the day before a requirement, or its first day.

    Args:
        first: the first day.
        sale: builder of a document that violates the requirement, by Fecha.
    """
    before, on = [sale(f"{day.isoformat()}T12:00:00") for day in (first - timedelta(days=1), first)]
    return st.just(Boundary((before,), (on,)))


def taxed_with(objeto_imp: str) -> Callable[[str], str]:
    """Return a builder of invoices with IVA and this ObjetoImp, by Fecha."""
    return lambda fecha: ingreso(fecha=fecha, concepts=[concepto({"@ObjetoImp": objeto_imp})])


BOUNDARIES = {
    "CFDI40107": boundaries.has_decimals(CFDI40, "@SubTotal"),
    "CFDI40108": boundaries.equals_sum(CFDI40, "@SubTotal", Total=1),
    "CFDI40109": boundaries.subtotal_is_zero(CFDI40),
    "CFDI40110": boundaries.discount_of_document(CFDI40),
    "CFDI40111": boundaries.equals_sum(CFDI40, "@Descuento", Total=-1),
    "CFDI40112": boundaries.has_decimals(CFDI40, "@Descuento"),
    "CFDI40114": boundaries.rate_of_pesos(CFDI40),
    "CFDI40117": boundaries.form_of_rate(CFDI40, positive=True),
    "CFDI40118": boundaries.rate_limits(CFDI40),
    "CFDI40119": boundaries.equals_sum(CFDI40, "@Total") | boundaries.has_decimals(CFDI40, "@Total"),
    "CFDI40120": boundaries.maximum(CFDI40),
    "CFDI40127": boundaries.confirmation_limits(CFDI40),
    "CFDI40136": years_of_global_invoice(),
    "CFDI40166": boundaries.price_is_positive(CFDI40),
    "CFDI40167": boundaries.product(CFDI40, part=False),
    "CFDI40168": boundaries.discount_decimals(CFDI40),
    "CFDI40169": boundaries.discount_of_concepto(CFDI40),
    "CFDI40174": boundaries.tax_base(CFDI40, withheld=False),
    "CFDI40179": boundaries.transferred_rate(CFDI40) | quota_of_ieps(),
    "CFDI40180": boundaries.tax_amount(CFDI40, withheld=False),
    "CFDI40181": boundaries.tax_base(CFDI40, withheld=True),
    "CFDI40185": boundaries.withheld_rate(CFDI40),
    "CFDI40186": boundaries.tax_amount(CFDI40, withheld=True),
    "CFDI40194": boundaries.year_of_pedimento(CFDI40, part=False),
    "CFDI40197": boundaries.part_price_is_positive(CFDI40),
    "CFDI40198": boundaries.product(CFDI40, part=True),
    "CFDI40199": boundaries.year_of_pedimento(CFDI40, part=True),
    "CFDI40202": boundaries.has_decimals(CFDI40, "Impuestos/@TotalImpuestosRetenidos"),
    "CFDI40203": boundaries.equals_sum(CFDI40, "Impuestos/@TotalImpuestosRetenidos", Total=-1),
    "CFDI40204": boundaries.has_decimals(CFDI40, "Impuestos/@TotalImpuestosTrasladados"),
    "CFDI40205": boundaries.equals_sum(CFDI40, "Impuestos/@TotalImpuestosTrasladados", Total=1),
    "CFDI40210": boundaries.has_decimals(CFDI40, f"{RETENCION}/@Importe"),
    "CFDI40211": boundaries.equals_sum(CFDI40, f"{RETENCION}/@Importe", TotalImpuestosRetenidos=1, Total=-1),
    "CFDI40214": boundaries.has_decimals(CFDI40, f"{TRASLADO}/@Base"),
    "CFDI40215": boundaries.equals_sum(CFDI40, f"{TRASLADO}/@Base"),
    "CFDI40216": boundaries.exempt_base(CFDI40),
    "CFDI40219": boundaries.transferred_rate_of_total(CFDI40),
    "CFDI40220": boundaries.has_decimals(CFDI40, f"{TRASLADO}/@Importe"),
    "CFDI40221": boundaries.equals_sum(CFDI40, f"{TRASLADO}/@Importe", TotalImpuestosTrasladados=1, Total=1),
    "CFDI140225": rate_of_resico(),
    "CFDI40172": first_day(date(2023, 12, 12), taxed_with("04")) | first_day(date(2023, 12, 12), taxed_with("05")),
    "CFDI140226": first_day(date(2024, 12, 13), taxed_with("06")) | first_day(date(2024, 12, 13), taxed_with("08")),
    "CFDI140227": first_day(date(2024, 12, 13), taxed_with("07")),
    "CFDI140228": first_day(date(2026, 4, 24), lambda fecha: ingreso(fecha=fecha, concepts=[fuel()])),
    "CFDI40999:Complemento-Vigencia": last_day_of_complement("cartaporte20", date(2024, 3, 31))
    | last_day_of_complement("cartaporte30", date(2024, 7, 16)),
}


@pytest.mark.parametrize("code", BOUNDARIES)
@settings(max_examples=10, derandomize=True)
@given(data=st.data())
def test_rule_accepts_its_limit_and_rejects_one_unit_beyond(code: str, data: st.DataObject) -> None:
    data.draw(BOUNDARIES[code]).check(code)
