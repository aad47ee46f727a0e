"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi33 import FECHA_33, exportacion33, ingreso33, traslado33
from timbra.examples.codes.cfdi33 import (
    above_maximum,
    at_rate_zero,
    border_invoice,
    concepto_pair,
    exempt,
    invoice_abroad,
    related,
    sale_with_discount,
    unrounded,
    with_conceptos,
    with_isr_withheld,
    with_part,
    with_retencion,
    with_traslado,
)
from timbra.examples.codes.complement_versions import CARTA_PORTE
from timbra.examples.codes.comprobante import discounted
from timbra.examples.codes.conceptos import IEPS
from timbra.examples.codes.example import Example, example
from timbra.examples.codes.impuestos import WITHOUT_BORDER_STIMULUS
from timbra.examples.comprobante import CFDI33
from timbra.examples.conceptos import concepto
from timbra.examples.pagos10 import pago10
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables
from timbra.rules.rulesets.cfdi33.from_cfdi40 import CODES
from timbra.rules.rulesets.cfdi40 import examples as cfdi40

BASE = ingreso33
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    **{code: cfdi40.FAILS[other] for code, other in CODES.items()},
    "CFDI33101": {"@Fecha": "2022-11-17"},
    "CFDI33103": example(pago10, {"@FormaPago": "03"}),
    "CFDI33108": example(traslado33, {"@SubTotal": "1"}),
    "CFDI33109": Example(sale_with_discount, lambda: with_conceptos(discounted("201.00"))),
    "CFDI33110": example(ingreso33, {"@Descuento": "9.00", "@Total": "223.00"}, passes={"@Descuento": "0.00"}),
    "CFDI33111": Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "10.000"})),
    "CFDI33113": example(ingreso33, {"@TipoCambio": "1.5"}, passes={"@TipoCambio": "1.000000"}),
    "CFDI33114": example(ingreso33, {"@Moneda": "USD"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}),
    "CFDI33115": example(traslado33, {"@TipoCambio": "1"}),
    "CFDI33116": example(
        ingreso33, {"@Moneda": "USD", "@TipoCambio": "18.5000001"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}
    ),
    "CFDI33117": example(
        ingreso33, {"@Moneda": "USD", "@TipoCambio": "30"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}
    ),
    "CFDI33118": example(ingreso33, {"@Total": "233.00"}, passes={"@Total": "232.004"}),
    "CFDI33119": Example(lambda: above_maximum({"@Confirmacion": "ABCDE"}), above_maximum),
    "CFDI33122": {"@MetodoPago": "PIP"},
    "CFDI33123": example(traslado33, {"@MetodoPago": "PUE"}),
    "CFDI33124": example(pago10, {"@MetodoPago": "PUE"}),
    "CFDI33126": example(
        ingreso33,
        {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
        passes={"@Moneda": "USD", "@TipoCambio": "30", "@Confirmacion": "ABCDE"},
    ),
    "CFDI33127": example(
        ingreso33,
        {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ZZZZZ"},
        passes={"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
    ),
    "CFDI33128": example(
        ingreso33,
        {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "USADA"},
        passes={"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
    ),
    "CFDI33129": example(ingreso33, related("10"), passes=related("04")),
    "CFDI33133": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "QQQ"}),
    "CFDI33135": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "MEX"}),
    "CFDI33136": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": None}),
    "CFDI33138": example(exportacion33, {"Receptor/@NumRegIdTrib": None}),
    "CFDI33139": example(invoice_abroad, {"Receptor/@NumRegIdTrib": "12345"}),
    "CFDI33141": {"Receptor/@UsoCFDI": "D01"},
    "CFDI33142": concepto_pair(lambda: concepto({"@ClaveProdServ": "00000009"})),
    "CFDI33144": concepto_pair(
        lambda: concepto({"@ClaveProdServ": "80111700"}, traslados=IEPS),
        lambda: concepto({"@ClaveProdServ": "80111700"}),
    ),
    "CFDI33145": concepto_pair(lambda: concepto({"@ClaveUnidad": "ZZZ"})),
    "CFDI33147": concepto_pair(lambda: concepto(price="0.00", traslados=[])),
    "CFDI33149": concepto_pair(lambda: concepto({"@Cantidad": "1.0000", "@Importe": "201.00"})),
    "CFDI33150": concepto_pair(lambda: concepto({"@Descuento": "10.000"}), lambda: concepto({"@Descuento": "10.00"})),
    "CFDI33151": Example(
        lambda: with_conceptos(concepto({"@Descuento": "200.00"})),
        lambda: with_conceptos(concepto({"@Descuento": "201.00"}), concepto()),
    ),
    "CFDI33152": concepto_pair(lambda: concepto({"Impuestos": ExampleNode("cfdi:Impuestos")}, traslados=[])),
    "CFDI33154": Example(ingreso33, lambda: with_traslado({"Base": "0", "Importe": "0.00"})),
    "CFDI33155": Example(ingreso33, lambda: with_traslado({"Impuesto": "004"})),
    "CFDI33156": Example(ingreso33, lambda: with_traslado({"TipoFactor": "Otro"})),
    "CFDI33157": example(
        exempt,
        {
            "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota": "0.000000",
            "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": "0.00",
        },
    ),
    "CFDI33158": example(at_rate_zero, {"Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": None}),
    "CFDI33159": Example(ingreso33, lambda: with_traslado({"TasaOCuota": "0.150000", "Importe": "30.00"})),
    "CFDI33161": Example(ingreso33, lambda: with_traslado({"Importe": "33.00"})),
    "CFDI33163": Example(with_retencion, lambda: with_retencion({"Base": "0", "Importe": "0.00"})),
    "CFDI33164": Example(with_retencion, lambda: with_retencion({"Impuesto": "004"})),
    "CFDI33165": Example(with_retencion, lambda: with_retencion({"TipoFactor": "Otro"})),
    "CFDI33166": Example(with_retencion, lambda: with_retencion({"TipoFactor": "Exento"})),
    "CFDI33167": Example(with_retencion, lambda: with_retencion({"TasaOCuota": "0.400000", "Importe": "80.00"})),
    "CFDI33169": Example(with_retencion, lambda: with_retencion({"Importe": "21.00"})),
    "CFDI33170": example(
        ingreso33,
        {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "11  48  3009  0001234"},
        passes={"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"},
    ),
    "CFDI33171": example(
        exportacion33, {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"}
    ),
    "CFDI33172": example(with_part, {"Conceptos/Concepto/Parte/@ClaveProdServ": "00000009"}),
    "CFDI33174": example(
        with_part, {"Conceptos/Concepto/Parte/@ValorUnitario": "0", "Conceptos/Concepto/Parte/@Importe": None}
    ),
    "CFDI33176": example(with_part, {"Conceptos/Concepto/Parte/@Importe": "201.00"}),
    "CFDI33177": example(
        with_part,
        {"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "11  48  3009  0001234"},
        passes={"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"},
    ),
    "CFDI33178": example(
        exportacion33,
        {
            "Conceptos/Concepto/Parte": ExampleNode(
                "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza"}
            ),
            "Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234",
        },
    ),
    "CFDI33179": example(traslado33, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
    "CFDI33180": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": "20.000"}),
    "CFDI33181": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": "21.00", "@Total": "211.00"}),
    "CFDI33183": Example(
        unrounded, lambda: ingreso33({"Impuestos/@TotalImpuestosTrasladados": "33.00", "@Total": "233.00"})
    ),
    "CFDI33184": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI33185": example(
        with_isr_withheld,
        {"Impuestos/Retenciones/Retencion[2]": ExampleNode("cfdi:Retencion", {"Impuesto": "004", "Importe": "0.00"})},
    ),
    "CFDI33186": example(
        with_isr_withheld,
        {
            "Impuestos/Retenciones/Retencion[2]": ExampleNode(
                "cfdi:Retencion", {"Impuesto": "001", "Importe": "20.00"}
            ),
            "Impuestos/@TotalImpuestosRetenidos": "40.00",
            "@Total": "192.00",
        },
    ),
    "CFDI33187": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI33189": example(
        with_isr_withheld,
        {
            "Impuestos/Retenciones/Retencion/@Importe": "21.00",
            "Impuestos/@TotalImpuestosRetenidos": "21.00",
            "@Total": "211.00",
        },
        passes={"Impuestos/Retenciones/Retencion/@Importe": "20.004"},
    ),
    "CFDI33190": {"Impuestos/@TotalImpuestosTrasladados": None, "@Total": "200.00"},
    "CFDI33191": {
        "Impuestos/Traslados/Traslado[2]": ExampleNode(
            "cfdi:Traslado",
            {"Impuesto": "004", "TipoFactor": "Tasa", "Importe": "0.00", "TasaOCuota": "0.160000"},
        )
    },
    "CFDI33192": {
        "Impuestos/Traslados/Traslado[2]": ExampleNode(
            "cfdi:Traslado", {"Impuesto": "002", "TipoFactor": "Tasa", "Importe": "32.00", "TasaOCuota": "0.16"}
        ),
        "Impuestos/@TotalImpuestosTrasladados": "64.00",
        "@Total": "264.00",
    },
    "CFDI33193": {
        "Impuestos/Traslados/Traslado[2]": ExampleNode(
            "cfdi:Traslado", {"Impuesto": "002", "TipoFactor": "Tasa", "Importe": "0.00", "TasaOCuota": "0.150000"}
        )
    },
    "CFDI33195": Example(
        unrounded,
        lambda: ingreso33(
            {
                "Impuestos/Traslados/Traslado/@Importe": "33.00",
                "Impuestos/@TotalImpuestosTrasladados": "33.00",
                "@Total": "233.00",
            }
        ),
    ),
    "CFDI33196:Complemento-Version": Example(ingreso33, lambda: ingreso33(CARTA_PORTE.changes(CFDI33, FECHA_33))),
    "CFDI33196:IVA8-ClaveProdServ": example(border_invoice, {"Conceptos/Concepto/@ClaveProdServ": "43231500"}),
    "CFDI33196:IVA8-LugarExpedicion": example(border_invoice, {"@LugarExpedicion": "42501"}),
    "CFDI33196:IVA8-RFC": Example(border_invoice, lambda: border_invoice(issuer=WITHOUT_BORDER_STIMULUS)),
}
FAILS_WITH: Mapping[str, Tables] = {
    **{code: cfdi40.FAILS_WITH[other] for code, other in CODES.items() if other in cfdi40.FAILS_WITH},
    "CFDI33143": tables({"cfdi33:c_ClaveProdServ": {"50211503": {"complemento": "instEducativas"}}}),
}
