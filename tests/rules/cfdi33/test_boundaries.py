"""Rules on amounts of CFDI 3.3: the limit is accepted, and one unit beyond violates the rule alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import boundaries_cfdi as boundaries
from tests.support.boundaries_cfdi import Version

from timbra.examples import ingreso33
from timbra.examples.cfdi33 import traslado33

CFDI33 = Version(ingreso33, traslado33, False, {2022: "2022-11-17T12:00:00", 2023: "2023-03-17T12:00:00"})
RETENCION, TRASLADO = "Impuestos/Retenciones/Retencion", "Impuestos/Traslados/Traslado"
BOUNDARIES = {
    "CFDI33106": boundaries.has_decimals(CFDI33, "@SubTotal"),
    "CFDI33107": boundaries.equals_sum(CFDI33, "@SubTotal", Total=1),
    "CFDI33108": boundaries.subtotal_is_zero(CFDI33),
    "CFDI33109": boundaries.discount_of_document(CFDI33),
    "CFDI33110": boundaries.equals_sum(CFDI33, "@Descuento", Total=-1),
    "CFDI33111": boundaries.has_decimals(CFDI33, "@Descuento"),
    "CFDI33113": boundaries.rate_of_pesos(CFDI33),
    "CFDI33116": boundaries.form_of_rate(CFDI33, positive=False),
    "CFDI33117": boundaries.rate_limits(CFDI33),
    "CFDI33118": boundaries.equals_sum(CFDI33, "@Total") | boundaries.rounds_to_sum(CFDI33, "@Total"),
    "CFDI33119": boundaries.maximum(CFDI33),
    "CFDI33126": boundaries.confirmation_limits(CFDI33),
    "CFDI33147": boundaries.price_is_positive(CFDI33),
    "CFDI33149": boundaries.product(CFDI33, part=False),
    "CFDI33150": boundaries.discount_decimals(CFDI33),
    "CFDI33151": boundaries.discount_of_concepto(CFDI33),
    "CFDI33154": boundaries.tax_base(CFDI33, withheld=False),
    "CFDI33159": boundaries.transferred_rate(CFDI33),
    "CFDI33161": boundaries.tax_amount(CFDI33, withheld=False),
    "CFDI33163": boundaries.tax_base(CFDI33, withheld=True),
    "CFDI33167": boundaries.withheld_rate(CFDI33),
    "CFDI33169": boundaries.tax_amount(CFDI33, withheld=True),
    "CFDI33170": boundaries.year_of_pedimento(CFDI33, part=False),
    "CFDI33174": boundaries.part_price_is_positive(CFDI33),
    "CFDI33176": boundaries.product(CFDI33, part=True),
    "CFDI33177": boundaries.year_of_pedimento(CFDI33, part=True),
    "CFDI33180": boundaries.has_decimals(CFDI33, "Impuestos/@TotalImpuestosRetenidos"),
    "CFDI33181": boundaries.equals_sum(CFDI33, "Impuestos/@TotalImpuestosRetenidos", Total=-1),
    "CFDI33182": boundaries.has_decimals(CFDI33, "Impuestos/@TotalImpuestosTrasladados"),
    "CFDI33183": boundaries.equals_sum(CFDI33, "Impuestos/@TotalImpuestosTrasladados", Total=1),
    "CFDI33189": boundaries.rounds_to_sum(CFDI33, f"{RETENCION}/@Importe", TotalImpuestosRetenidos=1, Total=-1),
    "CFDI33193": boundaries.transferred_rate_of_total(CFDI33),
    "CFDI33195": boundaries.rounds_to_sum(CFDI33, f"{TRASLADO}/@Importe", TotalImpuestosTrasladados=1, Total=1),
}


@pytest.mark.parametrize("code", BOUNDARIES)
@settings(max_examples=10, derandomize=True)
@given(data=st.data())
def test_rule_accepts_its_limit_and_rejects_one_unit_beyond(code: str, data: st.DataObject) -> None:
    data.draw(BOUNDARIES[code]).check(code)
