"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from timbra.examples.codes.example import Example, example
from timbra.examples.codes.pagos import CHAIN_ATTRIBUTES, HUGE
from timbra.examples.codes.pagos10 import (
    dollars_in_pesos,
    in_dollars,
    paying,
    pesos_in_dollars,
    two_documents,
    with_chain,
    without_balance,
)
from timbra.examples.lists import PublishedRates
from timbra.examples.pagos10 import document, pago10
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables

BASE = pago10
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "CRP101": {"@TipoDeComprobante": "T"},
    "CRP102": {"@SubTotal": "1"},
    "CRP103": {"@Moneda": "MXN"},
    "CRP104": {"@FormaPago": "03"},
    "CRP105": {"@MetodoPago": "PUE"},
    "CRP106": {"@CondicionesDePago": "Contado"},
    "CRP107": {"@Descuento": "0"},
    "CRP108": {"@TipoCambio": "1"},
    "CRP109": {"@Total": "1"},
    "CRP110": {"Receptor/@UsoCFDI": "G03"},
    "CRP111": {
        "Conceptos/Concepto[2]": ExampleNode(
            "cfdi:Concepto",
            {
                "ClaveProdServ": "84111506",
                "Cantidad": "1",
                "ClaveUnidad": "ACT",
                "Descripcion": "Pago",
                "ValorUnitario": "0",
                "Importe": "0",
            },
        )
    },
    "CRP112": {"Conceptos/Concepto/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})},
    "CRP113": {"Conceptos/Concepto/@ClaveProdServ": "84111505"},
    "CRP114": {"Conceptos/Concepto/@NoIdentificacion": "1"},
    "CRP115": {"Conceptos/Concepto/@Cantidad": "2"},
    "CRP116": {"Conceptos/Concepto/@ClaveUnidad": "E48"},
    "CRP117": {"Conceptos/Concepto/@Unidad": "Pieza"},
    "CRP118": {"Conceptos/Concepto/@Descripcion": "Pago de factura"},
    "CRP119": {"Conceptos/Concepto/@ValorUnitario": "1"},
    "CRP120": {"Conceptos/Concepto/@Importe": "1"},
    "CRP121": {"Conceptos/Concepto/@Descuento": "0"},
    "CRP122": {"Impuestos": ExampleNode("cfdi:Impuestos")},
    "CRP201": {"Complemento/Pagos/Pago/@FormaDePagoP": "99"},
    "CRP202": Example(pago10, paying(currency="XXX", rate="1", amount="10")),
    "CRP203": example(in_dollars(), {"Complemento/Pagos/Pago/@TipoCambioP": None}),
    "CRP204": {"Complemento/Pagos/Pago/@TipoCambioP": "1"},
    "CRP205": Example(in_dollars(), in_dollars("30")),
    "CRP206": {"Complemento/Pagos/Pago/@Monto": "231.00"},
    "CRP207": Example(paying(amount="232.00"), paying(amount="0.00")),
    "CRP208": {"Complemento/Pagos/Pago/@Monto": "232.000"},
    "CRP209": Example(in_dollars(), paying(document(HUGE, currency="USD"), currency="USD", rate="2")),
    "CRP210": example(
        pago10,
        {"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "ZZZ010101AAA"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
    ),
    "CRP211": example(
        pago10,
        {"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "XEXX010101000"},
        passes={
            "Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "XEXX010101000",
            "Complemento/Pagos/Pago/@NomBancoOrdExt": "FIRST BANK",
        },
    ),
    "CRP212": example(
        pago10,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
        passes={"Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
    ),
    "CRP213": example(
        pago10,
        {"Complemento/Pagos/Pago/@CtaOrdenante": "123"},
        passes={"Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
    ),
    "CRP214": example(
        pago10,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@RfcEmisorCtaBen": "EKU9003173C9"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaBen": "EKU9003173C9"},
    ),
    "CRP215": example(
        pago10,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
        passes={"Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
    ),
    "CRP216": example(with_chain, {"Complemento/Pagos/Pago/@FormaDePagoP": "02"}),
    "CRP217": Example(pago10, paying(document("232", currency="XXX", rate="1"))),
    "CRP218": example(dollars_in_pesos, {"Complemento/Pagos/Pago/DoctoRelacionado/@TipoCambioDR": None}),
    "CRP219": {"Complemento/Pagos/Pago/DoctoRelacionado/@TipoCambioDR": "1"},
    "CRP220": example(pesos_in_dollars, {"Complemento/Pagos/Pago/DoctoRelacionado/@TipoCambioDR": "18.50"}),
    "CRP221": Example(
        paying(without_balance(ImpSaldoAnt="232.00"), amount="232.00"),
        paying(without_balance(ImpSaldoAnt="0.00"), amount="232.00"),
    ),
    "CRP222": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt": "232.000"},
    "CRP223": {
        "Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado": "0.00",
        "Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "232.00",
    },
    "CRP224": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado": "232.000"},
    "CRP225": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "0.000"},
    "CRP226": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "1.00"},
    "CRP227": example(with_chain, {"Complemento/Pagos/Pago/@CertPago": None}),
    "CRP228": example(
        pago10,
        {"Complemento/Pagos/Pago/@CertPago": "AAAA"},
        passes=CHAIN_ATTRIBUTES,
    ),
    "CRP229": example(with_chain, {"Complemento/Pagos/Pago/@CadPago": None}),
    "CRP230": example(
        pago10,
        {"Complemento/Pagos/Pago/@CadPago": "cadena"},
        passes=CHAIN_ATTRIBUTES,
    ),
    "CRP231": example(with_chain, {"Complemento/Pagos/Pago/@SelloPago": None}),
    "CRP232": example(
        pago10,
        {"Complemento/Pagos/Pago/@SelloPago": "AAAA"},
        passes=CHAIN_ATTRIBUTES,
    ),
    "CRP233": {"Complemento/Pagos/Pago/DoctoRelacionado/@NumParcialidad": None},
    "CRP234": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt": None},
    "CRP235": example(two_documents, {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado": None}),
    "CRP236": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": None},
    "CRP237": {"Complemento/Pagos/Pago/Impuestos": ExampleNode("pago10:Impuestos")},
    "CRP238": example(
        pago10,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
    ),
    "CRP239": example(
        pago10,
        {"Complemento/Pagos/Pago/@CtaBeneficiario": "123"},
        passes={"Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
    ),
    "CRP999:FormaDePagoP": {"Complemento/Pagos/Pago/@FormaDePagoP": "77"},
    "CRP999:MetodoDePagoDR": {"Complemento/Pagos/Pago/DoctoRelacionado/@MetodoDePagoDR": "ZZZ"},
    "CRP999:MonedaDR": Example(dollars_in_pesos, paying(document(currency="ZZZ", rate="1"))),
    "CRP999:MonedaP": Example(in_dollars(), paying(document(rate="1"), currency="ZZZ", rate="1")),
    "CRP999:TipoCadPago": example(with_chain, {"Complemento/Pagos/Pago/@TipoCadPago": "02"}),
}
FAILS_WITH: Mapping[str, Tables] = {
    "CRP205": tables(exchange_rates=PublishedRates({"USD": Decimal("18.50")})),
}
