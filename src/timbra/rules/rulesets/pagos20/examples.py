"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from timbra.examples.codes.example import Example, example
from timbra.examples.codes.pagos import CHAIN_ATTRIBUTES
from timbra.examples.codes.pagos20 import (
    IEPS_ROW,
    ISR_ROW,
    IVA_ROW,
    at_eight,
    at_zero,
    currency_in_pesos,
    dollars,
    exempt,
    huge_amount,
    ieps_withheld,
    in_currency,
    isr_withheld,
    iva_withheld,
    pesos_in_currency,
    tax_rows,
    taxed,
    two_currencies,
    with_chain,
    with_empty_taxes,
    with_taxes,
)
from timbra.examples.lists import PublishedRates
from timbra.examples.pagos20 import complement, document, pago, payment
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables

BASE = pago
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "CRP20101": {"@TipoDeComprobante": "T"},
    "CRP20102": {"@Exportacion": "03"},
    "CRP20103": {"@SubTotal": "1"},
    "CRP20104": {"@Moneda": "MXN"},
    "CRP20105": {"@FormaPago": "03"},
    "CRP20106": {"@MetodoPago": "PUE"},
    "CRP20107": {"@CondicionesDePago": "Contado"},
    "CRP20108": {"@Descuento": "0"},
    "CRP20109": {"@TipoCambio": "1"},
    "CRP20110": {"@Total": "1"},
    "CRP20111": {
        "Conceptos/Concepto[2]": ExampleNode(
            "cfdi:Concepto",
            {
                "ClaveProdServ": "84111506",
                "Cantidad": "1",
                "ClaveUnidad": "ACT",
                "Descripcion": "Pago",
                "ValorUnitario": "0",
                "Importe": "0",
                "ObjetoImp": "01",
            },
        )
    },
    "CRP20112": {"Conceptos/Concepto/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})},
    "CRP20113": {"Conceptos/Concepto/@ClaveProdServ": "84111505"},
    "CRP20114": {"Conceptos/Concepto/@NoIdentificacion": "1"},
    "CRP20115": {"Conceptos/Concepto/@Cantidad": "2"},
    "CRP20116": {"Conceptos/Concepto/@ClaveUnidad": "E48"},
    "CRP20117": {"Conceptos/Concepto/@Unidad": "Pieza"},
    "CRP20118": {"Conceptos/Concepto/@Descripcion": "Pago de factura"},
    "CRP20119": {"Conceptos/Concepto/@ValorUnitario": "1"},
    "CRP20120": {"Conceptos/Concepto/@Importe": "1"},
    "CRP20121": {"Conceptos/Concepto/@Descuento": "0"},
    "CRP20122": {"Conceptos/Concepto/@ObjetoImp": "03"},
    "CRP20123": {"Impuestos": ExampleNode("cfdi:Impuestos")},
    "CRP20201": example(iva_withheld, {"Complemento/Pagos/Totales/@TotalRetencionesIVA": "21.34"}),
    "CRP20202": example(isr_withheld, {"Complemento/Pagos/Totales/@TotalRetencionesISR": "21.00"}),
    "CRP20203": example(ieps_withheld, {"Complemento/Pagos/Totales/@TotalRetencionesIEPS": "17.00"}),
    "CRP20204": example(taxed, {"Complemento/Pagos/Totales/@TotalTrasladosBaseIVA16": "201.00"}),
    "CRP20205": example(taxed, {"Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA16": "33.00"}),
    "CRP20206": example(at_eight, {"Complemento/Pagos/Totales/@TotalTrasladosBaseIVA8": "201.00"}),
    "CRP20207": example(at_eight, {"Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA8": "17.00"}),
    "CRP20208": example(at_zero, {"Complemento/Pagos/Totales/@TotalTrasladosBaseIVA0": "201.00"}),
    "CRP20209": example(at_zero, {"Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA0": "1.00"}),
    "CRP20210": example(exempt, {"Complemento/Pagos/Totales/@TotalTrasladosBaseIVAExento": "201.00"}),
    "CRP20211": {"Complemento/Pagos/Totales/@MontoTotalPagos": "233.00"},
    "CRP20212": {"Complemento/Pagos/Pago/@FormaDePagoP": "99"},
    "CRP20213": Example(pago, pesos_in_currency("XXX")),
    "CRP20214": example(
        dollars, {"Complemento/Pagos/Pago/@TipoCambioP": None, "Complemento/Pagos/Totales/@MontoTotalPagos": "232.00"}
    ),
    "CRP20215": {"Complemento/Pagos/Pago/@TipoCambioP": None},
    "CRP20216": Example(dollars, in_currency("USD", "30")),
    "CRP20217": {"Complemento/Pagos/Pago/@Monto": "231.00", "Complemento/Pagos/Totales/@MontoTotalPagos": "231.00"},
    "CRP20218": {"Complemento/Pagos/Pago/@Monto": "0.00", "Complemento/Pagos/Totales/@MontoTotalPagos": "0.00"},
    "CRP20219": {"Complemento/Pagos/Pago/@Monto": "232.000"},
    "CRP20220": Example(dollars, huge_amount),
    "CRP20221": example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
    ),
    "CRP20222": example(
        pago,
        {"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "ZZZ010101AAA"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "EKU9003173C9"},
    ),
    "CRP20223": example(
        pago,
        {"Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "XEXX010101000"},
        passes={
            "Complemento/Pagos/Pago/@RfcEmisorCtaOrd": "XEXX010101000",
            "Complemento/Pagos/Pago/@NomBancoOrdExt": "FIRST BANK",
        },
    ),
    "CRP20224": example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
        passes={"Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
    ),
    "CRP20225": example(
        pago,
        {"Complemento/Pagos/Pago/@CtaOrdenante": "123"},
        passes={"Complemento/Pagos/Pago/@CtaOrdenante": "012345678901234567"},
    ),
    "CRP20226": example(
        pago,
        {"Complemento/Pagos/Pago/@CtaBeneficiario": "123"},
        passes={"Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
    ),
    "CRP20227": example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@RfcEmisorCtaBen": "EKU9003173C9"},
        passes={"Complemento/Pagos/Pago/@RfcEmisorCtaBen": "EKU9003173C9"},
    ),
    "CRP20228": example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "01", "Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
        passes={"Complemento/Pagos/Pago/@CtaBeneficiario": "012345678901234567"},
    ),
    "CRP20229": example(with_chain, {"Complemento/Pagos/Pago/@FormaDePagoP": "02"}),
    "CRP20230": example(with_chain, {"Complemento/Pagos/Pago/@CertPago": None}),
    "CRP20231": example(
        pago,
        {"Complemento/Pagos/Pago/@CertPago": "AAAA"},
        passes=CHAIN_ATTRIBUTES,
    ),
    "CRP20232": example(with_chain, {"Complemento/Pagos/Pago/@CadPago": None}),
    "CRP20233": example(
        pago,
        {"Complemento/Pagos/Pago/@CadPago": "cadena"},
        passes=CHAIN_ATTRIBUTES,
    ),
    "CRP20234": example(with_chain, {"Complemento/Pagos/Pago/@SelloPago": None}),
    "CRP20235": example(
        pago,
        {"Complemento/Pagos/Pago/@SelloPago": "AAAA"},
        passes=CHAIN_ATTRIBUTES,
    ),
    "CRP20236": Example(pago, currency_in_pesos("XXX", "232")),
    "CRP20237": example(currency_in_pesos("USD"), {"Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR": None}),
    "CRP20238": example(
        pago,
        {"Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR": "2"},
        passes={"Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR": "1.000000"},
    ),
    "CRP20239": {
        "Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt": "0.00",
        "Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "-232.00",
    },
    "CRP20240": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt": "232.000"},
    "CRP20241": {
        "Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado": "0.00",
        "Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "232.00",
    },
    "CRP20242": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado": "232.000"},
    "CRP20243": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "0.000"},
    "CRP20244": {"Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "1.00"},
    "CRP20245": {"Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR": "09"},
    "CRP20246": {"Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR": "02"},
    "CRP20247": example(taxed, {"Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR": "04"}),
    "CRP20248": Example(
        taxed,
        with_empty_taxes,
    ),
    "CRP20249": tax_rows({**ISR_ROW, "Base": "0", "Importe": "0.00"}, ISR_ROW, withheld=True),
    "CRP20250": example(
        isr_withheld,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR[2]": ExampleNode(
                "pago20:RetencionDR",
                {
                    "BaseDR": "200.00",
                    "ImpuestoDR": "004",
                    "TipoFactorDR": "Tasa",
                    "TasaOCuotaDR": "0.100000",
                    "ImporteDR": "20.00",
                },
            )
        },
    ),
    "CRP20251": example(
        isr_withheld,
        {"Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TipoFactorDR": "Otro"},
    ),
    "CRP20252": example(
        isr_withheld,
        {"Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/RetencionesDR/RetencionDR/@TipoFactorDR": "Exento"},
    ),
    "CRP20253": tax_rows({**ISR_ROW, "TasaOCuota": "0.400000", "Importe": "80.00"}, ISR_ROW, withheld=True),
    "CRP20254": tax_rows({**ISR_ROW, "Importe": "21.00"}, ISR_ROW, withheld=True),
    "CRP20255": tax_rows({**IVA_ROW, "Base": "0", "Importe": "0.00"}, IVA_ROW),
    "CRP20256": example(
        taxed,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR[2]": ExampleNode(
                "pago20:TrasladoDR",
                {
                    "BaseDR": "200.00",
                    "ImpuestoDR": "004",
                    "TipoFactorDR": "Tasa",
                    "TasaOCuotaDR": "0.160000",
                    "ImporteDR": "32.00",
                },
            )
        },
    ),
    "CRP20257": example(
        taxed,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR[2]": ExampleNode(
                "pago20:TrasladoDR",
                {
                    "BaseDR": "200.00",
                    "ImpuestoDR": "002",
                    "TipoFactorDR": "Otro",
                    "TasaOCuotaDR": "0.160000",
                    "ImporteDR": "32.00",
                },
            )
        },
    ),
    "CRP20258": example(
        exempt,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@TasaOCuotaDR": "0.000000",
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImporteDR": "0.00",
        },
    ),
    "CRP20259": example(
        at_zero, {"Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR/@ImporteDR": None}
    ),
    "CRP20260": example(
        taxed,
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR/TrasladosDR/TrasladoDR[2]": ExampleNode(
                "pago20:TrasladoDR",
                {
                    "BaseDR": "200.00",
                    "ImpuestoDR": "002",
                    "TipoFactorDR": "Tasa",
                    "TasaOCuotaDR": "0.150000",
                    "ImporteDR": "30.00",
                },
            )
        },
    ),
    "CRP20261": tax_rows({**IVA_ROW, "Importe": "33.00"}, IVA_ROW),
    "CRP20262": example(
        isr_withheld,
        {
            "Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP[2]": ExampleNode(
                "pago20:RetencionP", {"ImpuestoP": "004", "ImporteP": "0.00"}
            )
        },
    ),
    "CRP20263": example(
        isr_withheld,
        {
            "Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP[2]": ExampleNode(
                "pago20:RetencionP", {"ImpuestoP": "001", "ImporteP": "20.00"}
            ),
            "Complemento/Pagos/Totales/@TotalRetencionesISR": "40.00",
        },
    ),
    "CRP20264": example(iva_withheld, {"Complemento/Pagos/Totales/@TotalRetencionesIVA": None}),
    "CRP20265": example(
        isr_withheld,
        {
            "Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImporteP": "21.00",
            "Complemento/Pagos/Totales/@TotalRetencionesISR": "21.00",
        },
    ),
    "CRP20266": example(
        exempt,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@TasaOCuotaP": "0.000000",
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@ImporteP": "0.00",
        },
    ),
    "CRP20267": example(taxed, {"Complemento/Pagos/Totales/@TotalTrasladosBaseIVA16": None}),
    "CRP20268": example(
        taxed,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@BaseP": "201.00",
            "Complemento/Pagos/Totales/@TotalTrasladosBaseIVA16": "201.00",
        },
    ),
    "CRP20269": example(
        exempt,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@BaseP": "201.00",
            "Complemento/Pagos/Totales/@TotalTrasladosBaseIVAExento": "201.00",
        },
    ),
    "CRP20270": example(
        taxed,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP[2]": ExampleNode(
                "pago20:TrasladoP",
                {
                    "BaseP": "0.00",
                    "ImpuestoP": "004",
                    "TipoFactorP": "Tasa",
                    "TasaOCuotaP": "0.160000",
                    "ImporteP": "0.00",
                },
            )
        },
    ),
    "CRP20271": example(
        taxed,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP[2]": ExampleNode(
                "pago20:TrasladoP",
                {
                    "BaseP": "200.00",
                    "ImpuestoP": "002",
                    "TipoFactorP": "Tasa",
                    "TasaOCuotaP": "0.16",
                    "ImporteP": "32.00",
                },
            ),
            "Complemento/Pagos/Totales/@TotalTrasladosBaseIVA16": "400.00",
            "Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA16": "64.00",
        },
    ),
    "CRP20272": example(
        taxed,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP[2]": ExampleNode(
                "pago20:TrasladoP",
                {
                    "BaseP": "0.00",
                    "ImpuestoP": "002",
                    "TipoFactorP": "Tasa",
                    "TasaOCuotaP": "0.150000",
                    "ImporteP": "0.00",
                },
            )
        },
    ),
    "CRP20273": example(taxed, {"Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA16": None}),
    "CRP20274": example(
        taxed,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@ImporteP": "33.00",
            "Complemento/Pagos/Totales/@TotalTrasladosImpuestoIVA16": "33.00",
        },
    ),
    "CRP20275": example(
        currency_in_pesos("USD"),
        {
            "Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado": "-5.00",
            "Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto": "237.00",
        },
    ),
    "CRP20276": example(
        currency_in_pesos("USD", "100.00", "0.054054"),
        {"Complemento/Pagos/Pago/@Monto": "1800.00", "Complemento/Pagos/Totales/@MontoTotalPagos": "1800.00"},
    ),
    "CRP20277": example(two_currencies, {"Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR": "1"}),
    "CRP20278": Example(with_taxes([], [ISR_ROW], ObjetoImpDR="06"), with_taxes([IVA_ROW], ObjetoImpDR="06")),
    "CRP20279": Example(with_taxes([IEPS_ROW], ObjetoImpDR="07"), with_taxes([IVA_ROW], ObjetoImpDR="07")),
    "CRP20999:FormaDePagoP-columns": example(
        pago,
        {"Complemento/Pagos/Pago/@FormaDePagoP": "05", "Complemento/Pagos/Pago/@NomBancoOrdExt": "FIRST BANK"},
        passes={"Complemento/Pagos/Pago/@NomBancoOrdExt": "FIRST BANK"},
    ),
    "CRP20999:MonedaDR": Example(currency_in_pesos("USD"), currency_in_pesos("ZZZ")),
    "CRP20999:MonedaP": Example(dollars, pesos_in_currency("ZZZ")),
    "CRP20999:Pagos-unique": {"Complemento/Pagos[2]": complement([payment([document()])])},
    "CRP20999:TipoCadPago": example(with_chain, {"Complemento/Pagos/Pago/@TipoCadPago": "02"}),
    "CRP20999:TipoFactorP": example(
        taxed,
        {
            "Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP[2]": ExampleNode(
                "pago20:TrasladoP",
                {
                    "BaseP": "0.00",
                    "ImpuestoP": "002",
                    "TipoFactorP": "Otro",
                    "TasaOCuotaP": "0.160000",
                    "ImporteP": "0.00",
                },
            )
        },
    ),
    "CRP20999:UsoCFDI": {"Receptor/@UsoCFDI": "S01"},
}
FAILS_WITH: Mapping[str, Tables] = {
    "CRP20216": tables(exchange_rates=PublishedRates({"USD": Decimal("18.50")})),
}
