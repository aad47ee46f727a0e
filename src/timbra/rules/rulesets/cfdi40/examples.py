"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from timbra.examples.cfdi40 import EARLIER, egreso, global_invoice, ingreso, traslado
from timbra.examples.codes.complement_versions import CARTA_PORTE, EARLIER_FUEL, FUEL
from timbra.examples.codes.comprobante import above_maximum, discounted, sale_with_discount, without_complement
from timbra.examples.codes.conceptos import IEPS, concepto_pair, on_behalf, on_foreign_behalf, with_conceptos, with_part
from timbra.examples.codes.example import Example, example
from timbra.examples.codes.impuestos import (
    WITHOUT_BORDER_STIMULUS,
    at_rate_zero,
    border_invoice,
    exempt,
    resico_invoice,
    with_isr_withheld,
    with_retencion,
    with_traslado,
)
from timbra.examples.codes.nodos import PAYMENT, TRANSFER, related, two_months
from timbra.examples.codes.receptor import invoice_abroad
from timbra.examples.comercio_exterior20 import exportacion
from timbra.examples.comprobante import CASAS, CFDI40, FECHA, ROBOTICA
from timbra.examples.conceptos import concepto, tax
from timbra.examples.hidroypetro10 import fuel, gasolina
from timbra.examples.lists import AnsweredOperations, IssuedConfirmations, PublishedRates, WithholdingMarks
from timbra.examples.nomina12 import nomina
from timbra.examples.pagos20 import pago
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables

BASE = ingreso
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "CFDI40101": {"@Fecha": "2026-11-17"},
    "CFDI40103": example(traslado, {"@FormaPago": "03"}),
    "CFDI40104": {"@FormaPago": "98"},
    "CFDI40105": example(ingreso, {"@MetodoPago": "PPD"}, passes={"@MetodoPago": "PPD", "@FormaPago": "99"}),
    "CFDI40107": {"@SubTotal": "200.000"},
    "CFDI40108": {"@SubTotal": "199.00", "@Total": "231.00"},
    "CFDI40109": example(traslado, {"@SubTotal": "1"}),
    "CFDI40110": Example(sale_with_discount, lambda: ingreso(concepts=[discounted("201.00")])),
    "CFDI40111": Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "9.00", "@Total": "221.40"})),
    "CFDI40112": Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "10.000"})),
    "CFDI40113": {"@Moneda": "ZZZ", "@TipoCambio": "1"},
    "CFDI40114": example(ingreso, {"@TipoCambio": "1.0"}, passes={"@TipoCambio": "1"}),
    "CFDI40115": example(ingreso, {"@Moneda": "USD"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}),
    "CFDI40116": example(traslado, {"@TipoCambio": "1"}),
    "CFDI40117": example(
        ingreso, {"@Moneda": "USD", "@TipoCambio": "18.5000001"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}
    ),
    "CFDI40118": example(
        ingreso, {"@Moneda": "USD", "@TipoCambio": "30"}, passes={"@Moneda": "USD", "@TipoCambio": "18.50"}
    ),
    "CFDI40119": {"@Total": "233.00"},
    "CFDI40120": Example(lambda: above_maximum({"@Confirmacion": "ABCDE"}), above_maximum),
    "CFDI40121": {"@TipoDeComprobante": "Z"},
    "CFDI40122": Example(exportacion, lambda: ingreso({"@Exportacion": "02"})),
    "CFDI40123": {"@Exportacion": "05"},
    "CFDI40124": {"@MetodoPago": "PPX"},
    "CFDI40125": example(traslado, {"@MetodoPago": "PUE"}),
    "CFDI40126": {"@LugarExpedicion": "00001"},
    "CFDI40127": example(
        ingreso,
        {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
        passes={"@Moneda": "USD", "@TipoCambio": "30", "@Confirmacion": "ABCDE"},
    ),
    "CFDI40128": example(
        ingreso,
        {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ZZZZZ"},
        passes={"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
    ),
    "CFDI40129": example(
        ingreso,
        {"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "USADA"},
        passes={"@Moneda": "USD", "@TipoCambio": "18.50", "@Confirmacion": "ABCDE"},
    ),
    "CFDI40130": example(global_invoice, {"InformacionGlobal": None}),
    "CFDI40131": example(global_invoice, {"InformacionGlobal/@Periodicidad": "06"}),
    "CFDI40132": Example(two_months, lambda: two_months({"Emisor/@RegimenFiscal": "612"})),
    "CFDI40133": example(global_invoice, {"InformacionGlobal/@Meses": "19"}),
    "CFDI40134": example(global_invoice, {"InformacionGlobal/@Meses": "18"}),
    "CFDI40135": Example(two_months, lambda: two_months({"InformacionGlobal/@Meses": "11"})),
    "CFDI40136": example(global_invoice, {"InformacionGlobal/@Año": "2020"}),
    "CFDI40137": example(egreso, {"CfdiRelacionados/@TipoRelacion": "09"}),
    "CFDI40138": {"Emisor/@Nombre": "NADIE CON ESTE NOMBRE"},
    "CFDI40139": {"Emisor/@Nombre": ROBOTICA.name},
    "CFDI40140": {"Emisor/@RegimenFiscal": "699"},
    "CFDI40141": {"Emisor/@RegimenFiscal": "612"},
    "CFDI40142": example(
        ingreso, {"Emisor/@FacAtrAdquirente": "0000000002"}, passes={"Emisor/@FacAtrAdquirente": "0000000001"}
    ),
    "CFDI40143": {"Receptor/@Rfc": "ZZZ010101AAA"},
    "CFDI40144": {"Receptor/@Nombre": "NADIE CON ESTE NOMBRE"},
    "CFDI40145": {"Receptor/@Nombre": "ESCUELA KEMPER URGATE"},
    "CFDI40146": example(invoice_abroad, {"Receptor/@Nombre": "PUBLICO EN GENERAL"}),
    "CFDI40147": {"Receptor/@DomicilioFiscalReceptor": "00001"},
    "CFDI40148": {"Receptor/@DomicilioFiscalReceptor": "42501"},
    "CFDI40149": example(global_invoice, {"Receptor/@DomicilioFiscalReceptor": "86991"}),
    "CFDI40150": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "QQQ"}),
    "CFDI40151": {"Receptor/@ResidenciaFiscal": "USA"},
    "CFDI40152": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "MEX"}),
    "CFDI40153": example(invoice_abroad, {"Receptor/@ResidenciaFiscal": None}),
    "CFDI40154": {"Receptor/@NumRegIdTrib": "123456789"},
    "CFDI40155": example(exportacion, {"Receptor/@NumRegIdTrib": None}),
    "CFDI40156": example(invoice_abroad, {"Receptor/@NumRegIdTrib": "12345"}),
    "CFDI40157": {"Receptor/@RegimenFiscalReceptor": "699"},
    "CFDI40158": {"Receptor/@RegimenFiscalReceptor": "612"},
    "CFDI40159": example(global_invoice, {"Receptor/@RegimenFiscalReceptor": "612"}),
    "CFDI40160": {"Receptor/@UsoCFDI": "X01"},
    "CFDI40161": {"Receptor/@UsoCFDI": "D01"},
    "CFDI40161:Foreign": example(invoice_abroad, {"Receptor/@UsoCFDI": "CP01"}),
    "CFDI40162": concepto_pair(lambda: concepto({"@ClaveProdServ": "00000009"})),
    "CFDI40163": {"Conceptos/Concepto/@ClaveProdServ": "50211503"},
    "CFDI40164": concepto_pair(
        lambda: concepto({"@ClaveProdServ": "80111700"}, traslados=IEPS),
        lambda: concepto({"@ClaveProdServ": "80111700"}),
    ),
    "CFDI40165": concepto_pair(lambda: concepto({"@ClaveUnidad": "ZZZ"})),
    "CFDI40166": concepto_pair(lambda: concepto(price="0.00", traslados=[])),
    "CFDI40167": concepto_pair(lambda: concepto({"@Cantidad": "1.0000", "@Importe": "201.00"})),
    "CFDI40168": concepto_pair(lambda: concepto({"@Descuento": "10.000"}), lambda: concepto({"@Descuento": "10.00"})),
    "CFDI40169": Example(
        lambda: with_conceptos(concepto({"@Descuento": "200.00"})),
        lambda: with_conceptos(concepto({"@Descuento": "201.00"}), concepto()),
    ),
    "CFDI40170": concepto_pair(lambda: concepto({"@ObjetoImp": "09"})),
    "CFDI40171": concepto_pair(lambda: concepto({"@ObjetoImp": "02"}, traslados=[])),
    "CFDI40172": concepto_pair(lambda: concepto({"@ObjetoImp": "01"})),
    "CFDI40173": concepto_pair(
        lambda: concepto({"@ObjetoImp": "02", "Impuestos": ExampleNode("cfdi:Impuestos")}, traslados=[]),
    ),
    "CFDI40174": Example(ingreso, lambda: with_traslado({"Base": "0", "Importe": "0.00"})),
    "CFDI40175": Example(ingreso, lambda: with_traslado({"Impuesto": "001"})),
    "CFDI40176": Example(ingreso, lambda: with_traslado({"TipoFactor": "Otro"})),
    "CFDI40177": example(
        exempt,
        {
            "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota": "0.000000",
            "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": "0.00",
        },
    ),
    "CFDI40178": example(at_rate_zero, {"Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": None}),
    "CFDI40179": Example(ingreso, lambda: with_traslado({"TasaOCuota": "0.150000", "Importe": "30.00"})),
    "CFDI40180": Example(ingreso, lambda: with_traslado({"Importe": "33.00"})),
    "CFDI40181": Example(with_retencion, lambda: with_retencion({"Base": "0", "Importe": "0.00"})),
    "CFDI40182": Example(with_retencion, lambda: with_retencion({"Impuesto": "004"})),
    "CFDI40183": Example(with_retencion, lambda: with_retencion({"TipoFactor": "Otro"})),
    "CFDI40184": Example(with_retencion, lambda: with_retencion({"TipoFactor": "Exento"})),
    "CFDI40185": Example(with_retencion, lambda: with_retencion({"TasaOCuota": "0.400000", "Importe": "80.00"})),
    "CFDI40186": Example(with_retencion, lambda: with_retencion({"Importe": "21.00"})),
    "CFDI40187": example(on_behalf, {"Conceptos/Concepto/ACuentaTerceros/@RfcACuentaTerceros": "ZZZA010101AAA"}),
    "CFDI40188": Example(on_behalf, lambda: on_behalf(third=ROBOTICA)),
    "CFDI40189": example(on_foreign_behalf, {"Conceptos/Concepto/ACuentaTerceros/@NombreACuentaTerceros": "ACME INC"}),
    "CFDI40190": example(on_behalf, {"Conceptos/Concepto/ACuentaTerceros/@NombreACuentaTerceros": ROBOTICA.name}),
    "CFDI40191": example(on_behalf, {"Conceptos/Concepto/ACuentaTerceros/@RegimenFiscalACuentaTerceros": "699"}),
    "CFDI40192": example(on_behalf, {"Conceptos/Concepto/ACuentaTerceros/@DomicilioFiscalACuentaTerceros": "00001"}),
    "CFDI40193": example(on_behalf, {"Conceptos/Concepto/ACuentaTerceros/@DomicilioFiscalACuentaTerceros": "42501"}),
    "CFDI40194": example(
        ingreso,
        {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "15  48  3009  0001234"},
        passes={"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "25  48  3009  0001234"},
    ),
    "CFDI40195": example(
        exportacion, {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "25  48  3009  0001234"}
    ),
    "CFDI40196": example(with_part, {"Conceptos/Concepto/Parte/@ClaveProdServ": "00000009"}),
    "CFDI40197": example(
        with_part, {"Conceptos/Concepto/Parte/@ValorUnitario": "0", "Conceptos/Concepto/Parte/@Importe": None}
    ),
    "CFDI40198": example(with_part, {"Conceptos/Concepto/Parte/@Importe": "201.00"}),
    "CFDI40199": example(
        with_part,
        {"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "15  48  3009  0001234"},
        passes={"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "25  48  3009  0001234"},
    ),
    "CFDI40200": example(
        exportacion,
        {
            "Conceptos/Concepto/Parte": ExampleNode(
                "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza"}
            ),
            "Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "25  48  3009  0001234",
        },
    ),
    "CFDI40201": example(traslado, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
    "CFDI40202": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": "20.000"}),
    "CFDI40203": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": "21.00", "@Total": "211.00"}),
    "CFDI40204": {"Impuestos/@TotalImpuestosTrasladados": "32.000"},
    "CFDI40205": {"Impuestos/@TotalImpuestosTrasladados": "33.00", "@Total": "233.00"},
    "CFDI40206": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI40207": example(
        with_isr_withheld,
        {"Impuestos/Retenciones/Retencion[2]": ExampleNode("cfdi:Retencion", {"Impuesto": "004", "Importe": "0.00"})},
    ),
    "CFDI40208": example(
        with_isr_withheld,
        {
            "Impuestos/Retenciones/Retencion[2]": ExampleNode(
                "cfdi:Retencion", {"Impuesto": "001", "Importe": "20.00"}
            ),
            "Impuestos/@TotalImpuestosRetenidos": "40.00",
            "@Total": "192.00",
        },
    ),
    "CFDI40209": example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI40210": example(with_isr_withheld, {"Impuestos/Retenciones/Retencion/@Importe": "20.000"}),
    "CFDI40211": example(
        with_isr_withheld,
        {
            "Impuestos/Retenciones/Retencion/@Importe": "21.00",
            "Impuestos/@TotalImpuestosRetenidos": "21.00",
            "@Total": "211.00",
        },
    ),
    "CFDI40212": {"Impuestos/@TotalImpuestosTrasladados": None, "@Total": "200.00"},
    "CFDI40213": example(exempt, {"Impuestos/@TotalImpuestosTrasladados": "0.00"}),
    "CFDI40214": {"Impuestos/Traslados/Traslado/@Base": "200.000"},
    "CFDI40215": {"Impuestos/Traslados/Traslado/@Base": "201.00"},
    "CFDI40216": example(exempt, {"Impuestos/Traslados/Traslado/@Base": "201.00"}),
    "CFDI40217": {
        "Impuestos/Traslados/Traslado[2]": ExampleNode(
            "cfdi:Traslado",
            {"Base": "0.00", "Impuesto": "004", "TipoFactor": "Tasa", "TasaOCuota": "0.160000", "Importe": "0.00"},
        )
    },
    "CFDI40218": {
        "Impuestos/Traslados/Traslado[2]": ExampleNode(
            "cfdi:Traslado",
            {"Base": "200.00", "Impuesto": "002", "TipoFactor": "Tasa", "TasaOCuota": "0.16", "Importe": "32.00"},
        ),
        "Impuestos/@TotalImpuestosTrasladados": "64.00",
        "@Total": "264.00",
    },
    "CFDI40219": {
        "Impuestos/Traslados/Traslado[2]": ExampleNode(
            "cfdi:Traslado",
            {"Base": "0.00", "Impuesto": "002", "TipoFactor": "Tasa", "TasaOCuota": "0.150000", "Importe": "0.00"},
        )
    },
    "CFDI40220": {"Impuestos/Traslados/Traslado/@Importe": "32.000"},
    "CFDI40221": {
        "Impuestos/Traslados/Traslado/@Importe": "33.00",
        "Impuestos/@TotalImpuestosTrasladados": "33.00",
        "@Total": "233.00",
    },
    "CFDI40222": example(exportacion, {"@Exportacion": "01"}),
    "CFDI140223": example(
        on_foreign_behalf, {"Conceptos/Concepto/ACuentaTerceros/@RegimenFiscalACuentaTerceros": "610"}
    ),
    "CFDI140224": Example(resico_invoice(), resico_invoice("0.012500")),
    "CFDI140225": Example(resico_invoice("0.012500"), resico_invoice("0.100000")),
    "CFDI140226": concepto_pair(
        lambda: concepto({"@ObjetoImp": "06"}),
        lambda: concepto({"@ObjetoImp": "06"}, retenciones=[tax("200.00", "001", "0.100000")]),
    ),
    "CFDI140227": concepto_pair(
        lambda: concepto({"@ObjetoImp": "07"}),
        lambda: concepto({"@ObjetoImp": "07"}, traslados=[tax("200.00", "003", "0.080000")]),
    ),
    "CFDI140228": Example(gasolina, lambda: ingreso(concepts=[fuel()])),
    "CFDI40999:Complemento-Version": Example(FUEL, lambda: ingreso(EARLIER_FUEL.changes(CFDI40, FECHA))),
    "CFDI40999:Complemento-Vigencia": Example(CARTA_PORTE, lambda: CARTA_PORTE(fecha=FECHA)),
    "CFDI40999:Concepto-Descuento": example(traslado, {"Conceptos/Concepto/@Descuento": "0"}),
    "CFDI40999:CondicionesDePago": example(traslado, {"@CondicionesDePago": "Contado"}),
    "CFDI40999:IVA8-ClaveProdServ": example(border_invoice, {"Conceptos/Concepto/@ClaveProdServ": "43231500"}),
    "CFDI40999:IVA8-LugarExpedicion": example(border_invoice, {"@LugarExpedicion": "42501"}),
    "CFDI40999:IVA8-RFC": Example(border_invoice, lambda: border_invoice(issuer=WITHOUT_BORDER_STIMULUS)),
    "CFDI40999:Impuestos-N": example(nomina, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
    "CFDI40999:Moneda-N": example(nomina, {"@Moneda": "USD", "@TipoCambio": "18.50"}),
    "CFDI40999:Nomina-required": example(nomina, without_complement("nomina12")),
    "CFDI40999:ObjetoImp-Traslados": concepto_pair(
        lambda: concepto({"@ObjetoImp": "02"}, traslados=[], retenciones=[tax("200.00", "001", "0.100000")])
    ),
    "CFDI40999:Pagos-required": example(pago, without_complement("pago20")),
    "CFDI40999:Receptor-RegimenInscrito": {"Receptor/@RegimenFiscalReceptor": "603"},
    "CFDI40999:TipoRelacion-01-02": Example(egreso, lambda: egreso(related=PAYMENT)),
    "CFDI40999:TipoRelacion-03": Example(
        lambda: egreso(related("03", TRANSFER)), lambda: egreso(related("03", PAYMENT))
    ),
    "CFDI40999:TipoRelacion-04": example(ingreso, related("04", PAYMENT), passes=related("04", EARLIER)),
    "CFDI40999:TipoRelacion-05": example(traslado, related("05", PAYMENT), passes=related("05", EARLIER)),
    "CFDI40999:TipoRelacion-06": example(ingreso, related("06", EARLIER), passes=related("06", TRANSFER)),
    "CFDI40999:TipoRelacion-07": example(ingreso, related("07", TRANSFER), passes=related("07", EARLIER)),
}
FAILS_WITH: Mapping[str, Tables] = {
    "CFDI40118": tables(exchange_rates=PublishedRates({"USD": Decimal("18.50")})),
    "CFDI40127": tables(exchange_rates=PublishedRates({"USD": Decimal("18.50")})),
    "CFDI40128": tables(confirmations=IssuedConfirmations(frozenset({"ABCDE", "USADA"}), frozenset({"USADA"}))),
    "CFDI40129": tables(confirmations=IssuedConfirmations(frozenset({"ABCDE", "USADA"}), frozenset({"USADA"}))),
    "CFDI40142": tables(acquirers=AnsweredOperations(frozenset({"0000000001"}))),
    "CFDI40163": tables({"c_ClaveProdServ": {"50211503": {"complemento": "instEducativas"}}}),
    "CFDI140224": tables(marks=WithholdingMarks({CASAS.rfc: "1"})),
    "CFDI140225": tables(marks=WithholdingMarks({CASAS.rfc: "2"})),
}
