"""Examples of rules about the document as a whole: CFDI40101 to CFDI40129, CFDI40222."""

from __future__ import annotations

from timbra.examples.cfdi40 import ingreso, traslado
from timbra.examples.codes.example import Example, differ, invoices
from timbra.examples.comercio_exterior20 import exportacion
from timbra.examples.comprobante import NAMESPACE, SCHEMA
from timbra.examples.conceptos import concepto, tax
from timbra.examples.nomina12 import nomina
from timbra.examples.pagos20 import pago
from timbra.examples.tree import Change, ExampleNode

BARE: dict[str, Change] = {"Complemento": None, "@xsi:schemaLocation": f"{NAMESPACE} {SCHEMA}"}
"""Without its complement."""
HUGE = "600000000000000000.00"
DOLLARS: dict[str, Change] = {"@Moneda": "USD", "@TipoCambio": "18.50"}
CONFIRMED: dict[str, Change] = {**DOLLARS, "@Confirmacion": "ABCDE"}


def discounted(discount: str = "10.00") -> ExampleNode:
    """A Concepto of 200.00 with a discount of about 10."""
    return concepto({"@Descuento": discount}, traslados=[tax("190.00", "002", "0.160000")])


def sale_with_discount(changes: dict[str, Change] | None = None) -> str:
    return ingreso(changes, concepts=[discounted()])


def huge(changes: dict[str, Change] | None = None) -> str:
    """An invoice whose value in pesos passes every maximum."""
    return ingreso({"@Moneda": "USD", "@TipoCambio": "2", **(changes or {})}, concepts=[concepto(price=HUGE)])


COMPROBANTE: dict[str, Example] = {
    "CFDI40101": invoices({"@Fecha": "2026-11-17"}),
    "CFDI40103": differ(traslado, {"@FormaPago": "03"}),
    "CFDI40104": invoices({"@FormaPago": "98"}),
    "CFDI40105": invoices({"@MetodoPago": "PPD"}, {"@MetodoPago": "PPD", "@FormaPago": "99"}),
    "CFDI40107": invoices({"@SubTotal": "200.000"}),
    "CFDI40108": invoices({"@SubTotal": "199.00", "@Total": "231.00"}),
    "CFDI40109": differ(traslado, {"@SubTotal": "1"}),
    "CFDI40110": Example(sale_with_discount, lambda: ingreso(concepts=[discounted("201.00")])),
    "CFDI40111": Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "9.00", "@Total": "221.40"})),
    "CFDI40112": Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "10.000"})),
    "CFDI40113": invoices({"@Moneda": "ZZZ", "@TipoCambio": "1"}),
    "CFDI40114": invoices({"@TipoCambio": "1.0"}, {"@TipoCambio": "1"}),
    "CFDI40115": invoices({"@Moneda": "USD"}, DOLLARS),
    "CFDI40116": differ(traslado, {"@TipoCambio": "1"}),
    "CFDI40117": invoices({**DOLLARS, "@TipoCambio": "18.5000001"}, DOLLARS),
    "CFDI40118": invoices({**DOLLARS, "@TipoCambio": "30"}, DOLLARS),
    "CFDI40119": invoices({"@Total": "233.00"}),
    "CFDI40120": Example(lambda: huge({"@Confirmacion": "ABCDE"}), huge),
    "CFDI40121": invoices({"@TipoDeComprobante": "Z"}),
    "CFDI40122": Example(exportacion, lambda: ingreso({"@Exportacion": "02"})),
    "CFDI40123": invoices({"@Exportacion": "05"}),
    "CFDI40124": invoices({"@MetodoPago": "PPX"}),
    "CFDI40125": differ(traslado, {"@MetodoPago": "PUE"}),
    "CFDI40126": invoices({"@LugarExpedicion": "00001"}),
    "CFDI40127": invoices(CONFIRMED, {**CONFIRMED, "@TipoCambio": "30"}),
    "CFDI40128": invoices({**CONFIRMED, "@Confirmacion": "ZZZZZ"}, CONFIRMED),
    "CFDI40129": invoices({**CONFIRMED, "@Confirmacion": "USADA"}, CONFIRMED),
    "CFDI40222": differ(exportacion, {"@Exportacion": "01"}),
    "CFDI40999:CondicionesDePago": differ(traslado, {"@CondicionesDePago": "Contado"}),
    "CFDI40999:Moneda-N": differ(nomina, {"@Moneda": "USD", "@TipoCambio": "18.50"}),
    "CFDI40999:Nomina-required": differ(nomina, {**BARE, "@xmlns:nomina12": None}),
    "CFDI40999:Pagos-required": differ(pago, {**BARE, "@xmlns:pago20": None}),
}
