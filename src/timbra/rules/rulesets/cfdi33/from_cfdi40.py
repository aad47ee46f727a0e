"""The rules that repeat those of CFDI 4.0; their examples are documents of CFDI 3.3."""

from __future__ import annotations

from timbra.examples.cfdi33 import exportacion33, ingreso33, traslado33
from timbra.examples.codes.cfdi33 import (
    above_maximum,
    at_rate_zero,
    border_invoice,
    concepto_pair,
    exempt,
    invoice_abroad,
    related,
    sale_with_discount,
    with_conceptos,
    with_isr_withheld,
    with_part,
    with_retencion,
    with_traslado,
)
from timbra.examples.codes.comprobante import discounted
from timbra.examples.codes.conceptos import IEPS
from timbra.examples.codes.example import Example, example
from timbra.examples.codes.impuestos import WITHOUT_BORDER_STIMULUS
from timbra.examples.conceptos import concepto
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule_set import derived
from timbra.rules.engine.tables import tables
from timbra.rules.rulesets import cfdi40
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01

RULES = derived(
    cfdi40.RULE_SET,
    {
        "CFDI33104": "CFDI40104",
        "CFDI33106": "CFDI40107",
        "CFDI33107": "CFDI40108",
        "CFDI33108": "CFDI40109",
        "CFDI33109": "CFDI40110",
        "CFDI33111": "CFDI40112",
        "CFDI33112": "CFDI40113",
        "CFDI33114": "CFDI40115",
        "CFDI33115": "CFDI40116",
        "CFDI33117": "CFDI40118",
        "CFDI33119": "CFDI40120",
        "CFDI33120": "CFDI40121",
        "CFDI33121": "CFDI40124",
        "CFDI33123": "CFDI40125",
        "CFDI33125": "CFDI40126",
        "CFDI33126": "CFDI40127",
        "CFDI33127": "CFDI40128",
        "CFDI33128": "CFDI40129",
        "CFDI33129": "CFDI40137",
        "CFDI33130": "CFDI40140",
        "CFDI33131": "CFDI40141",
        "CFDI33132": "CFDI40143",
        "CFDI33133": "CFDI40150",
        "CFDI33134": "CFDI40151",
        "CFDI33135": "CFDI40152",
        "CFDI33136": "CFDI40153",
        "CFDI33137": "CFDI40154",
        "CFDI33138": "CFDI40155",
        "CFDI33139": "CFDI40156",
        "CFDI33140": "CFDI40160",
        "CFDI33142": "CFDI40162",
        "CFDI33143": "CFDI40163",
        "CFDI33144": "CFDI40164",
        "CFDI33145": "CFDI40165",
        "CFDI33147": "CFDI40166",
        "CFDI33149": "CFDI40167",
        "CFDI33150": "CFDI40168",
        "CFDI33151": "CFDI40169",
        "CFDI33152": "CFDI40173",
        "CFDI33154": "CFDI40174",
        "CFDI33156": "CFDI40176",
        "CFDI33157": "CFDI40177",
        "CFDI33158": "CFDI40178",
        "CFDI33161": "CFDI40180",
        "CFDI33163": "CFDI40181",
        "CFDI33165": "CFDI40183",
        "CFDI33166": "CFDI40184",
        "CFDI33169": "CFDI40186",
        "CFDI33170": "CFDI40194",
        "CFDI33171": "CFDI40195",
        "CFDI33172": "CFDI40196",
        "CFDI33174": "CFDI40197",
        "CFDI33176": "CFDI40198",
        "CFDI33177": "CFDI40199",
        "CFDI33178": "CFDI40200",
        "CFDI33179": "CFDI40201",
        "CFDI33180": "CFDI40202",
        "CFDI33182": "CFDI40204",
        "CFDI33184": "CFDI40206",
        "CFDI33185": "CFDI40207",
        "CFDI33186": "CFDI40208",
        "CFDI33187": "CFDI40209",
        "CFDI33191": "CFDI40217",
        "CFDI33192": "CFDI40218",
        "CFDI33196:IVA8-ClaveProdServ": "CFDI40999:IVA8-ClaveProdServ",
        "CFDI33196:IVA8-LugarExpedicion": "CFDI40999:IVA8-LugarExpedicion",
        "CFDI33196:IVA8-RFC": "CFDI40999:IVA8-RFC",
    },
    cites=MATRIX_2022_01,
    changed={
        "CFDI33108": {"fails": example(traslado33, {"@SubTotal": "1"})},
        "CFDI33109": {"fails": Example(sale_with_discount, lambda: with_conceptos(discounted("201.00")))},
        "CFDI33111": {"fails": Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "10.000"}))},
        "CFDI33114": {
            "fails": example(ingreso33, {"@Moneda": "USD"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"})
        },
        "CFDI33115": {"fails": example(traslado33, {"@TipoCambio": "1"})},
        "CFDI33117": {
            "fails": example(
                ingreso33, {"@Moneda": "USD", "@TipoCambio": "30"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}
            )
        },
        "CFDI33119": {"fails": Example(lambda: above_maximum({"@Confirmacion": "ABCDE"}), above_maximum)},
        "CFDI33123": {"fails": example(traslado33, {"@MetodoPago": "PUE"})},
        "CFDI33125": {
            "severity": Severity.WARNING,
            "note": "Se usan los códigos postales de CFDI 4.0, los únicos disponibles.",
        },
        "CFDI33126": {
            "fails": example(
                ingreso33,
                {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
                passes={"@Moneda": "USD", "@TipoCambio": "30", "@Confirmacion": "ABCDE"},
            )
        },
        "CFDI33127": {
            "fails": example(
                ingreso33,
                {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ZZZZZ"},
                passes={"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
            )
        },
        "CFDI33128": {
            "fails": example(
                ingreso33,
                {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "USADA"},
                passes={"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
            )
        },
        "CFDI33129": {"fails": example(ingreso33, related("10"), passes=related("04"))},
        "CFDI33132": {"note": "Con una lista de otra fecha que el comprobante, el error se informa como aviso."},
        "CFDI33133": {"fails": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "QQQ"})},
        "CFDI33135": {"fails": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "MEX"})},
        "CFDI33136": {"fails": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": None})},
        "CFDI33138": {"fails": example(exportacion33, {"Receptor/@NumRegIdTrib": None})},
        "CFDI33139": {"fails": example(invoice_abroad, {"Receptor/@NumRegIdTrib": "12345"})},
        "CFDI33142": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0, los únicos disponibles.",
            "fails": concepto_pair(lambda: concepto({"@ClaveProdServ": "00000009"})),
        },
        "CFDI33143": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0; en su edición vigente ninguna clave exige un complemento: "
            "no se evalúa.",
            "fails_with": tables({"cfdi33:c_ClaveProdServ": {"50211503": {"complemento": "instEducativas"}}}),
        },
        "CFDI33144": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0, los únicos disponibles.",
            "fails": concepto_pair(
                lambda: concepto({"@ClaveProdServ": "80111700"}, traslados=IEPS),
                lambda: concepto({"@ClaveProdServ": "80111700"}),
            ),
        },
        "CFDI33145": {"fails": concepto_pair(lambda: concepto({"@ClaveUnidad": "ZZZ"}))},
        "CFDI33147": {"fails": concepto_pair(lambda: concepto(price="0.00", traslados=[]))},
        "CFDI33149": {"fails": concepto_pair(lambda: concepto({"@Cantidad": "1.0000", "@Importe": "201.00"}))},
        "CFDI33150": {
            "fails": concepto_pair(
                lambda: concepto({"@Descuento": "10.000"}), lambda: concepto({"@Descuento": "10.00"})
            )
        },
        "CFDI33151": {
            "fails": Example(
                lambda: with_conceptos(concepto({"@Descuento": "200.00"})),
                lambda: with_conceptos(concepto({"@Descuento": "201.00"}), concepto()),
            )
        },
        "CFDI33152": {
            "fails": concepto_pair(lambda: concepto({"Impuestos": ExampleNode("cfdi:Impuestos")}, traslados=[]))
        },
        "CFDI33154": {"fails": Example(ingreso33, lambda: with_traslado({"Base": "0", "Importe": "0.00"}))},
        "CFDI33156": {"fails": Example(ingreso33, lambda: with_traslado({"TipoFactor": "Otro"}))},
        "CFDI33157": {
            "fails": example(
                exempt,
                {
                    "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota": "0.000000",
                    "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": "0.00",
                },
            )
        },
        "CFDI33158": {
            "fails": example(at_rate_zero, {"Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": None})
        },
        "CFDI33161": {"fails": Example(ingreso33, lambda: with_traslado({"Importe": "33.00"}))},
        "CFDI33163": {"fails": Example(with_retencion, lambda: with_retencion({"Base": "0", "Importe": "0.00"}))},
        "CFDI33165": {"fails": Example(with_retencion, lambda: with_retencion({"TipoFactor": "Otro"}))},
        "CFDI33166": {"fails": Example(with_retencion, lambda: with_retencion({"TipoFactor": "Exento"}))},
        "CFDI33169": {"fails": Example(with_retencion, lambda: with_retencion({"Importe": "21.00"}))},
        "CFDI33170": {
            "fails": example(
                ingreso33,
                {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "11  48  3009  0001234"},
                passes={"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"},
            )
        },
        "CFDI33171": {
            "fails": example(
                exportacion33, {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"}
            )
        },
        "CFDI33172": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0, los únicos disponibles.",
            "fails": example(with_part, {"Conceptos/Concepto/Parte/@ClaveProdServ": "00000009"}),
        },
        "CFDI33174": {
            "fails": example(
                with_part, {"Conceptos/Concepto/Parte/@ValorUnitario": "0", "Conceptos/Concepto/Parte/@Importe": None}
            )
        },
        "CFDI33176": {"fails": example(with_part, {"Conceptos/Concepto/Parte/@Importe": "201.00"})},
        "CFDI33177": {
            "fails": example(
                with_part,
                {"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "11  48  3009  0001234"},
                passes={"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"},
            )
        },
        "CFDI33178": {
            "fails": example(
                exportacion33,
                {
                    "Conceptos/Concepto/Parte": ExampleNode(
                        "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza"}
                    ),
                    "Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234",
                },
            )
        },
        "CFDI33179": {
            "note": "En Nómina, que el Anexo 20 también menciona, se informa NOM149.",
            "fails": example(traslado33, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
        },
        "CFDI33180": {"fails": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": "20.000"})},
        "CFDI33184": {
            "fails": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"})
        },
        "CFDI33185": {
            "fails": example(
                with_isr_withheld,
                {
                    "Impuestos/Retenciones/Retencion[2]": ExampleNode(
                        "cfdi:Retencion", {"Impuesto": "004", "Importe": "0.00"}
                    )
                },
            )
        },
        "CFDI33186": {
            "fails": example(
                with_isr_withheld,
                {
                    "Impuestos/Retenciones/Retencion[2]": ExampleNode(
                        "cfdi:Retencion", {"Impuesto": "001", "Importe": "20.00"}
                    ),
                    "Impuestos/@TotalImpuestosRetenidos": "40.00",
                    "@Total": "192.00",
                },
            )
        },
        "CFDI33187": {
            "fails": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"})
        },
        "CFDI33191": {
            "fails": {
                "Impuestos/Traslados/Traslado[2]": ExampleNode(
                    "cfdi:Traslado",
                    {"Impuesto": "004", "TipoFactor": "Tasa", "Importe": "0.00", "TasaOCuota": "0.160000"},
                )
            }
        },
        "CFDI33192": {
            "fails": {
                "Impuestos/Traslados/Traslado[2]": ExampleNode(
                    "cfdi:Traslado", {"Impuesto": "002", "TipoFactor": "Tasa", "Importe": "32.00", "TasaOCuota": "0.16"}
                ),
                "Impuestos/@TotalImpuestosTrasladados": "64.00",
                "@Total": "264.00",
            }
        },
        "CFDI33196:IVA8-ClaveProdServ": {
            "severity": Severity.WARNING,
            "fails": example(border_invoice, {"Conceptos/Concepto/@ClaveProdServ": "43231500"}),
        },
        "CFDI33196:IVA8-LugarExpedicion": {
            "severity": Severity.WARNING,
            "fails": example(border_invoice, {"@LugarExpedicion": "42501"}),
        },
        "CFDI33196:IVA8-RFC": {
            "fails": Example(border_invoice, lambda: border_invoice(issuer=WITHOUT_BORDER_STIMULUS))
        },
    },
)
