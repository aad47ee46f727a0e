"""Examples of rules about Recepción de Pagos 2.0: CRP20101 to CRP20279, CRP20999."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.codes.example import CodeExampleBuilder, Example, at, differ
from timbra.examples.comprobante import KEMPER
from timbra.examples.conceptos import concepto, tax
from timbra.examples.pagos20 import complement, document, pago, payment
from timbra.examples.tree import Change, ExampleNode

TOTALS = "Complemento/Pagos/Totales"
PAGO = "Complemento/Pagos/Pago"
DOCUMENT = f"{PAGO}/DoctoRelacionado"
TRANSFERRED_DR = f"{DOCUMENT}/ImpuestosDR/TrasladosDR/TrasladoDR"
WITHHELD_DR = f"{DOCUMENT}/ImpuestosDR/RetencionesDR/RetencionDR"
TRANSFERRED_P = f"{PAGO}/ImpuestosP/TrasladosP/TrasladoP"
WITHHELD_P = f"{PAGO}/ImpuestosP/RetencionesP/RetencionP"
CONCEPTO = "Conceptos/Concepto"

IVA = tax("200.00", "002", "0.160000")
IEPS = tax("200.00", "003", "0.080000")
ISR = tax("200.00", "001", "0.100000")
HUGE = "600000000000000000.00"
CHAIN = {"TipoCadPago": "01", "CertPago": "AAAA", "CadPago": "cadena", "SelloPago": "AAAA"}
ACCOUNT = "012345678901234567"

Row = Mapping[str, str]


def with_taxes(traslados: list[Row], retenciones: list[Row] | None = None, **attributes: str) -> CodeExampleBuilder:
    """A payment of one document with these taxes."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        written: dict[str, Change] = {f"@{name}": value for name, value in attributes.items()}
        paid = document("232.00", written, traslados=traslados, retenciones=retenciones or [])
        return pago(changes, payments=[payment([paid])])

    return build


def in_currency(currency: str, rate: str = "18.50") -> CodeExampleBuilder:
    """A payment in a currency of a document in the same one."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        documents = [document("232.00", currency=currency)]
        return pago(changes, payments=[payment(documents, currency=currency, rate=rate)])

    return build


def of_pesos(currency: str) -> CodeExampleBuilder:
    """A payment in something else of a document in pesos."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        return pago(changes, payments=[payment([document()], currency=currency, decimals=0)])

    return build


def of_currency(currency: str, paid: str = "232.00", equivalence: str = "1") -> CodeExampleBuilder:
    """A payment in pesos of a document in another currency."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        documents = [document(paid, currency=currency, equivalence=equivalence)]
        return pago(changes, payments=[payment(documents)])

    return build


def mixed(changes: Mapping[str, Change] | None = None) -> str:
    """A payment in pesos of a document in pesos and one in dollars."""
    documents = [
        document(equivalence="1.0000000000"),
        document("100.00", currency="USD", equivalence="0.054054"),
    ]
    return pago(changes, payments=[payment(documents)])


def huge(changes: Mapping[str, Change] | None = None) -> str:
    """A payment whose value in pesos passes the maximum; the schema has no room for its total."""
    documents = [document(HUGE, currency="USD")]
    total = {f"{TOTALS}/@MontoTotalPagos": "999999999999999999.99"}
    return pago({**total, **(changes or {})}, payments=[payment(documents, currency="USD", rate="2")])


def payments(failing: Mapping[str, Change], passing: Mapping[str, Change] | None = None) -> Example:
    """Two receipts of a payment without taxes that differ by changes."""
    return differ(pago, failing, passing)


def rows(failing: Row, passing: Row, *, withheld: bool = False) -> Example:
    """A payment of a document with one tax, and with another."""
    made: list[Callable[[], str]] = [
        with_taxes([], [row]) if withheld else with_taxes([row]) for row in (passing, failing)
    ]
    return Example(*made)


def dr(name: str, row: Row) -> ExampleNode:
    return ExampleNode(f"pago20:{name}DR", {f"{key}DR": value for key, value in row.items()})


def p(name: str, **attributes: str) -> ExampleNode:
    return ExampleNode(f"pago20:{name}P", {f"{key}P": value for key, value in attributes.items()})


taxed = with_taxes([IVA])
at_eight = with_taxes([tax("200.00", "002", "0.080000")])
at_zero = with_taxes([tax("200.00", "002", "0.000000")])
exempt = with_taxes([tax("200.00", "002", None)])
iva_withheld = with_taxes([], [tax("200.00", "002", "0.106667")])
isr_withheld = with_taxes([], [ISR])
ieps_withheld = with_taxes([], [IEPS])
dollars = in_currency("USD")
NOTHING = {"Base": "0.00", "Impuesto": "002", "TipoFactor": "Tasa", "TasaOCuota": "0.160000", "Importe": "0.00"}

_COMPROBANTE: dict[str, Example] = {
    "CRP20101": payments({"@TipoDeComprobante": "T"}),
    "CRP20102": payments({"@Exportacion": "03"}),
    "CRP20103": payments({"@SubTotal": "1"}),
    "CRP20104": payments({"@Moneda": "MXN"}),
    "CRP20105": payments({"@FormaPago": "03"}),
    "CRP20106": payments({"@MetodoPago": "PUE"}),
    "CRP20107": payments({"@CondicionesDePago": "Contado"}),
    "CRP20108": payments({"@Descuento": "0"}),
    "CRP20109": payments({"@TipoCambio": "1"}),
    "CRP20110": payments({"@Total": "1"}),
    "CRP20111": payments(
        {f"{CONCEPTO}[2]": concepto({"@ClaveUnidad": "ACT", "@Descripcion": "Pago"}, price="0", traslados=[])}
    ),
    "CRP20112": payments({f"{CONCEPTO}/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})}),
    "CRP20113": payments(at(CONCEPTO, ClaveProdServ="84111505")),
    "CRP20114": payments(at(CONCEPTO, NoIdentificacion="1")),
    "CRP20115": payments(at(CONCEPTO, Cantidad="2")),
    "CRP20116": payments(at(CONCEPTO, ClaveUnidad="E48")),
    "CRP20117": payments(at(CONCEPTO, Unidad="Pieza")),
    "CRP20118": payments(at(CONCEPTO, Descripcion="Pago de factura")),
    "CRP20119": payments(at(CONCEPTO, ValorUnitario="1")),
    "CRP20120": payments(at(CONCEPTO, Importe="1")),
    "CRP20121": payments(at(CONCEPTO, Descuento="0")),
    "CRP20122": payments(at(CONCEPTO, ObjetoImp="03")),
    "CRP20123": payments({"Impuestos": ExampleNode("cfdi:Impuestos")}),
    "CRP20999:UsoCFDI": payments(at("Receptor", UsoCFDI="S01")),
    "CRP20999:Pagos-unique": payments({"Complemento/Pagos[2]": complement([payment([document()])])}),
}

_TOTALES: dict[str, Example] = {
    "CRP20201": differ(iva_withheld, at(TOTALS, TotalRetencionesIVA="21.34")),
    "CRP20202": differ(isr_withheld, at(TOTALS, TotalRetencionesISR="21.00")),
    "CRP20203": differ(ieps_withheld, at(TOTALS, TotalRetencionesIEPS="17.00")),
    "CRP20204": differ(taxed, at(TOTALS, TotalTrasladosBaseIVA16="201.00")),
    "CRP20205": differ(taxed, at(TOTALS, TotalTrasladosImpuestoIVA16="33.00")),
    "CRP20206": differ(at_eight, at(TOTALS, TotalTrasladosBaseIVA8="201.00")),
    "CRP20207": differ(at_eight, at(TOTALS, TotalTrasladosImpuestoIVA8="17.00")),
    "CRP20208": differ(at_zero, at(TOTALS, TotalTrasladosBaseIVA0="201.00")),
    "CRP20209": differ(at_zero, at(TOTALS, TotalTrasladosImpuestoIVA0="1.00")),
    "CRP20210": differ(exempt, at(TOTALS, TotalTrasladosBaseIVAExento="201.00")),
    "CRP20211": payments(at(TOTALS, MontoTotalPagos="233.00")),
}

_PAGO: dict[str, Example] = {
    "CRP20212": payments(at(PAGO, FormaDePagoP="99")),
    "CRP20213": Example(pago, of_pesos("XXX")),
    "CRP20999:MonedaP": Example(dollars, of_pesos("ZZZ")),
    "CRP20214": differ(dollars, {**at(PAGO, TipoCambioP=None), **at(TOTALS, MontoTotalPagos="232.00")}),
    "CRP20215": payments(at(PAGO, TipoCambioP=None)),
    "CRP20216": Example(dollars, in_currency("USD", "30")),
    "CRP20217": payments({**at(PAGO, Monto="231.00"), **at(TOTALS, MontoTotalPagos="231.00")}),
    "CRP20218": payments({**at(PAGO, Monto="0.00"), **at(TOTALS, MontoTotalPagos="0.00")}),
    "CRP20219": payments(at(PAGO, Monto="232.000")),
    "CRP20220": Example(dollars, huge),
    "CRP20221": payments(at(PAGO, FormaDePagoP="01", RfcEmisorCtaOrd=KEMPER.rfc), at(PAGO, RfcEmisorCtaOrd=KEMPER.rfc)),
    "CRP20222": payments(at(PAGO, RfcEmisorCtaOrd="ZZZ010101AAA"), at(PAGO, RfcEmisorCtaOrd=KEMPER.rfc)),
    "CRP20223": payments(
        at(PAGO, RfcEmisorCtaOrd="XEXX010101000"),
        at(PAGO, RfcEmisorCtaOrd="XEXX010101000", NomBancoOrdExt="FIRST BANK"),
    ),
    "CRP20224": payments(at(PAGO, FormaDePagoP="01", CtaOrdenante=ACCOUNT), at(PAGO, CtaOrdenante=ACCOUNT)),
    "CRP20225": payments(at(PAGO, CtaOrdenante="123"), at(PAGO, CtaOrdenante=ACCOUNT)),
    "CRP20226": payments(at(PAGO, CtaBeneficiario="123"), at(PAGO, CtaBeneficiario=ACCOUNT)),
    "CRP20227": payments(at(PAGO, FormaDePagoP="01", RfcEmisorCtaBen=KEMPER.rfc), at(PAGO, RfcEmisorCtaBen=KEMPER.rfc)),
    "CRP20228": payments(at(PAGO, FormaDePagoP="01", CtaBeneficiario=ACCOUNT), at(PAGO, CtaBeneficiario=ACCOUNT)),
    "CRP20229": payments(at(PAGO, FormaDePagoP="02", **CHAIN), at(PAGO, **CHAIN)),
    "CRP20230": payments(at(PAGO, **{**CHAIN, "CertPago": None}), at(PAGO, **CHAIN)),
    "CRP20231": payments(at(PAGO, CertPago="AAAA"), at(PAGO, **CHAIN)),
    "CRP20232": payments(at(PAGO, **{**CHAIN, "CadPago": None}), at(PAGO, **CHAIN)),
    "CRP20233": payments(at(PAGO, CadPago="cadena"), at(PAGO, **CHAIN)),
    "CRP20234": payments(at(PAGO, **{**CHAIN, "SelloPago": None}), at(PAGO, **CHAIN)),
    "CRP20235": payments(at(PAGO, SelloPago="AAAA"), at(PAGO, **CHAIN)),
    "CRP20999:TipoCadPago": payments(at(PAGO, **{**CHAIN, "TipoCadPago": "02"}), at(PAGO, **CHAIN)),
    "CRP20999:FormaDePagoP-columns": payments(
        at(PAGO, FormaDePagoP="05", NomBancoOrdExt="FIRST BANK"), at(PAGO, NomBancoOrdExt="FIRST BANK")
    ),
}

_DOCUMENTO: dict[str, Example] = {
    "CRP20236": Example(pago, of_currency("XXX", "232")),
    "CRP20999:MonedaDR": Example(of_currency("USD"), of_currency("ZZZ")),
    "CRP20237": differ(of_currency("USD"), at(DOCUMENT, EquivalenciaDR=None)),
    "CRP20238": payments(at(DOCUMENT, EquivalenciaDR="2"), at(DOCUMENT, EquivalenciaDR="1.000000")),
    "CRP20239": payments(at(DOCUMENT, ImpSaldoAnt="0.00", ImpSaldoInsoluto="-232.00")),
    "CRP20240": payments(at(DOCUMENT, ImpSaldoAnt="232.000")),
    "CRP20241": payments(at(DOCUMENT, ImpPagado="0.00", ImpSaldoInsoluto="232.00")),
    "CRP20242": payments(at(DOCUMENT, ImpPagado="232.000")),
    "CRP20243": payments(at(DOCUMENT, ImpSaldoInsoluto="0.000")),
    "CRP20244": payments(at(DOCUMENT, ImpSaldoInsoluto="1.00")),
    "CRP20245": payments(at(DOCUMENT, ObjetoImpDR="09")),
    "CRP20246": payments(at(DOCUMENT, ObjetoImpDR="02")),
    "CRP20247": differ(taxed, at(DOCUMENT, ObjetoImpDR="04")),
    "CRP20248": Example(
        taxed,
        lambda: pago({f"{DOCUMENT}/@ObjetoImpDR": "02", f"{DOCUMENT}/ImpuestosDR": ExampleNode("pago20:ImpuestosDR")}),
    ),
    "CRP20275": differ(of_currency("USD"), at(DOCUMENT, ImpPagado="-5.00", ImpSaldoInsoluto="237.00")),
    "CRP20276": differ(
        of_currency("USD", "100.00", "0.054054"),
        {**at(PAGO, Monto="1800.00"), **at(TOTALS, MontoTotalPagos="1800.00")},
    ),
    "CRP20277": differ(mixed, at(DOCUMENT, EquivalenciaDR="1")),
    "CRP20278": Example(with_taxes([], [ISR], ObjetoImpDR="06"), with_taxes([IVA], ObjetoImpDR="06")),
    "CRP20279": Example(with_taxes([IEPS], ObjetoImpDR="07"), with_taxes([IVA], ObjetoImpDR="07")),
}

_IMPUESTOS_DR: dict[str, Example] = {
    "CRP20249": rows({**ISR, "Base": "0", "Importe": "0.00"}, ISR, withheld=True),
    "CRP20250": differ(isr_withheld, {f"{WITHHELD_DR}[2]": dr("Retencion", {**ISR, "Impuesto": "004"})}),
    "CRP20251": differ(isr_withheld, at(WITHHELD_DR, TipoFactorDR="Otro")),
    "CRP20252": differ(isr_withheld, at(WITHHELD_DR, TipoFactorDR="Exento")),
    "CRP20253": rows({**ISR, "TasaOCuota": "0.400000", "Importe": "80.00"}, ISR, withheld=True),
    "CRP20254": rows({**ISR, "Importe": "21.00"}, ISR, withheld=True),
    "CRP20255": rows({**IVA, "Base": "0", "Importe": "0.00"}, IVA),
    "CRP20256": differ(taxed, {f"{TRANSFERRED_DR}[2]": dr("Traslado", {**IVA, "Impuesto": "004"})}),
    "CRP20257": differ(taxed, {f"{TRANSFERRED_DR}[2]": dr("Traslado", {**IVA, "TipoFactor": "Otro"})}),
    "CRP20258": differ(exempt, at(TRANSFERRED_DR, TasaOCuotaDR="0.000000", ImporteDR="0.00")),
    "CRP20259": differ(at_zero, at(TRANSFERRED_DR, ImporteDR=None)),
    "CRP20260": differ(taxed, {f"{TRANSFERRED_DR}[2]": dr("Traslado", tax("200.00", "002", "0.150000"))}),
    "CRP20261": rows({**IVA, "Importe": "33.00"}, IVA),
}

_IMPUESTOS_P: dict[str, Example] = {
    "CRP20262": differ(isr_withheld, {f"{WITHHELD_P}[2]": p("Retencion", Impuesto="004", Importe="0.00")}),
    "CRP20263": differ(
        isr_withheld,
        {
            f"{WITHHELD_P}[2]": p("Retencion", Impuesto="001", Importe="20.00"),
            f"{TOTALS}/@TotalRetencionesISR": "40.00",
        },
    ),
    "CRP20264": differ(iva_withheld, at(TOTALS, TotalRetencionesIVA=None)),
    "CRP20265": differ(isr_withheld, {**at(WITHHELD_P, ImporteP="21.00"), **at(TOTALS, TotalRetencionesISR="21.00")}),
    "CRP20266": differ(exempt, at(TRANSFERRED_P, TasaOCuotaP="0.000000", ImporteP="0.00")),
    "CRP20267": differ(taxed, at(TOTALS, TotalTrasladosBaseIVA16=None)),
    "CRP20268": differ(taxed, {**at(TRANSFERRED_P, BaseP="201.00"), **at(TOTALS, TotalTrasladosBaseIVA16="201.00")}),
    "CRP20269": differ(
        exempt, {**at(TRANSFERRED_P, BaseP="201.00"), **at(TOTALS, TotalTrasladosBaseIVAExento="201.00")}
    ),
    "CRP20270": differ(taxed, {f"{TRANSFERRED_P}[2]": p("Traslado", **{**NOTHING, "Impuesto": "004"})}),
    "CRP20271": differ(
        taxed,
        {
            f"{TRANSFERRED_P}[2]": p("Traslado", **{**IVA, "TasaOCuota": "0.16"}),
            f"{TOTALS}/@TotalTrasladosBaseIVA16": "400.00",
            f"{TOTALS}/@TotalTrasladosImpuestoIVA16": "64.00",
        },
    ),
    "CRP20999:TipoFactorP": differ(taxed, {f"{TRANSFERRED_P}[2]": p("Traslado", **{**NOTHING, "TipoFactor": "Otro"})}),
    "CRP20272": differ(taxed, {f"{TRANSFERRED_P}[2]": p("Traslado", **{**NOTHING, "TasaOCuota": "0.150000"})}),
    "CRP20273": differ(taxed, at(TOTALS, TotalTrasladosImpuestoIVA16=None)),
    "CRP20274": differ(
        taxed, {**at(TRANSFERRED_P, ImporteP="33.00"), **at(TOTALS, TotalTrasladosImpuestoIVA16="33.00")}
    ),
}

PAGOS20: dict[str, Example] = {**_COMPROBANTE, **_TOTALES, **_PAGO, **_DOCUMENTO, **_IMPUESTOS_DR, **_IMPUESTOS_P}
