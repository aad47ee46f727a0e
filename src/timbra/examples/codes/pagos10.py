"""Examples of rules about Recepción de Pagos 1.0: CRP101 to CRP239, CRP999."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from timbra.examples.codes.example import CodeExampleBuilder, Example, at, differ
from timbra.examples.comprobante import KEMPER
from timbra.examples.pagos10 import document, line, pago10, payment
from timbra.examples.tree import Change, ExampleNode

PAGO = "Complemento/Pagos/Pago"
DOCUMENT = f"{PAGO}/DoctoRelacionado"
CONCEPTO = "Conceptos/Concepto"

HUGE = "600000000000000000.00"
CHAIN = {"TipoCadPago": "01", "CertPago": "AAAA", "CadPago": "cadena", "SelloPago": "AAAA"}
ACCOUNT = "012345678901234567"


def payments(failing: Mapping[str, Change], passing: Mapping[str, Change] | None = None) -> Example:
    """Two receipts of a payment that differ by changes."""
    return differ(pago10, failing, passing)


def of(
    *documents: ExampleNode, currency: str = "MXN", rate: str | None = None, amount: str | None = None
) -> CodeExampleBuilder:
    """A payment of these documents."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        made = payment(deepcopy(documents), currency=currency, rate=rate, amount=amount)
        return pago10(changes, payments=[made])

    return build


def in_dollars(rate: str = "18.50") -> CodeExampleBuilder:
    """A payment in dollars of a document in dollars."""
    return of(document(currency="USD"), currency="USD", rate=rate)


def without_balance(**attributes: str | None) -> ExampleNode:
    """A document that is paid at once and tells nothing but what is told here."""
    told: dict[str, str | None] = dict.fromkeys(("NumParcialidad", "ImpSaldoAnt", "ImpPagado", "ImpSaldoInsoluto"))
    changes: dict[str, Change] = {f"@{name}": value for name, value in (told | attributes).items()}
    return document(changes={"@MetodoDePagoDR": "PUE", **changes})


two = of(document(), document())
of_dollars = of(document("100.00", currency="USD", rate="0.054054"))
of_pesos_in_dollars = of(document("185.00", rate="1"), currency="USD", rate="18.50", amount="10.00")

_COMPROBANTE: dict[str, Example] = {
    "CRP101": payments({"@TipoDeComprobante": "T"}),
    "CRP102": payments({"@SubTotal": "1"}),
    "CRP103": payments({"@Moneda": "MXN"}),
    "CRP104": payments({"@FormaPago": "03"}),
    "CRP105": payments({"@MetodoPago": "PUE"}),
    "CRP106": payments({"@CondicionesDePago": "Contado"}),
    "CRP107": payments({"@Descuento": "0"}),
    "CRP108": payments({"@TipoCambio": "1"}),
    "CRP109": payments({"@Total": "1"}),
    "CRP110": payments(at("Receptor", UsoCFDI="G03")),
    "CRP111": payments({f"{CONCEPTO}[2]": line()}),
    "CRP112": payments({f"{CONCEPTO}/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})}),
    "CRP113": payments(at(CONCEPTO, ClaveProdServ="84111505")),
    "CRP114": payments(at(CONCEPTO, NoIdentificacion="1")),
    "CRP115": payments(at(CONCEPTO, Cantidad="2")),
    "CRP116": payments(at(CONCEPTO, ClaveUnidad="E48")),
    "CRP117": payments(at(CONCEPTO, Unidad="Pieza")),
    "CRP118": payments(at(CONCEPTO, Descripcion="Pago de factura")),
    "CRP119": payments(at(CONCEPTO, ValorUnitario="1")),
    "CRP120": payments(at(CONCEPTO, Importe="1")),
    "CRP121": payments(at(CONCEPTO, Descuento="0")),
    "CRP122": payments({"Impuestos": ExampleNode("cfdi:Impuestos")}),
}

_PAGO: dict[str, Example] = {
    "CRP201": payments(at(PAGO, FormaDePagoP="99")),
    "CRP999:FormaDePagoP": payments(at(PAGO, FormaDePagoP="77")),
    "CRP202": Example(pago10, of(currency="XXX", rate="1", amount="10")),
    "CRP999:MonedaP": Example(in_dollars(), of(document(rate="1"), currency="ZZZ", rate="1")),
    "CRP203": differ(in_dollars(), at(PAGO, TipoCambioP=None)),
    "CRP204": payments(at(PAGO, TipoCambioP="1")),
    "CRP205": Example(in_dollars(), in_dollars("30")),
    "CRP206": payments(at(PAGO, Monto="231.00")),
    "CRP207": Example(of(amount="232.00"), of(amount="0.00")),
    "CRP208": payments(at(PAGO, Monto="232.000")),
    "CRP209": Example(in_dollars(), of(document(HUGE, currency="USD"), currency="USD", rate="2")),
    "CRP210": payments(at(PAGO, RfcEmisorCtaOrd="ZZZ010101AAA"), at(PAGO, RfcEmisorCtaOrd=KEMPER.rfc)),
    "CRP211": payments(
        at(PAGO, RfcEmisorCtaOrd="XEXX010101000"),
        at(PAGO, RfcEmisorCtaOrd="XEXX010101000", NomBancoOrdExt="FIRST BANK"),
    ),
    "CRP212": payments(at(PAGO, FormaDePagoP="01", CtaOrdenante=ACCOUNT), at(PAGO, CtaOrdenante=ACCOUNT)),
    "CRP213": payments(at(PAGO, CtaOrdenante="123"), at(PAGO, CtaOrdenante=ACCOUNT)),
    "CRP214": payments(at(PAGO, FormaDePagoP="01", RfcEmisorCtaBen=KEMPER.rfc), at(PAGO, RfcEmisorCtaBen=KEMPER.rfc)),
    "CRP215": payments(at(PAGO, FormaDePagoP="01", CtaBeneficiario=ACCOUNT), at(PAGO, CtaBeneficiario=ACCOUNT)),
    "CRP216": payments(at(PAGO, FormaDePagoP="02", **CHAIN), at(PAGO, **CHAIN)),
    "CRP999:TipoCadPago": payments(at(PAGO, **{**CHAIN, "TipoCadPago": "02"}), at(PAGO, **CHAIN)),
    "CRP227": payments(at(PAGO, **{**CHAIN, "CertPago": None}), at(PAGO, **CHAIN)),
    "CRP228": payments(at(PAGO, CertPago="AAAA"), at(PAGO, **CHAIN)),
    "CRP229": payments(at(PAGO, **{**CHAIN, "CadPago": None}), at(PAGO, **CHAIN)),
    "CRP230": payments(at(PAGO, CadPago="cadena"), at(PAGO, **CHAIN)),
    "CRP231": payments(at(PAGO, **{**CHAIN, "SelloPago": None}), at(PAGO, **CHAIN)),
    "CRP232": payments(at(PAGO, SelloPago="AAAA"), at(PAGO, **CHAIN)),
    "CRP237": payments({f"{PAGO}/Impuestos": ExampleNode("pago10:Impuestos")}),
    "CRP238": payments(at(PAGO, FormaDePagoP="01", RfcEmisorCtaOrd=KEMPER.rfc), at(PAGO, RfcEmisorCtaOrd=KEMPER.rfc)),
    "CRP239": payments(at(PAGO, CtaBeneficiario="123"), at(PAGO, CtaBeneficiario=ACCOUNT)),
}

_DOCUMENTO: dict[str, Example] = {
    "CRP217": Example(pago10, of(document("232", currency="XXX", rate="1"))),
    "CRP999:MonedaDR": Example(of_dollars, of(document(currency="ZZZ", rate="1"))),
    "CRP218": differ(of_dollars, at(DOCUMENT, TipoCambioDR=None)),
    "CRP219": payments(at(DOCUMENT, TipoCambioDR="1")),
    "CRP220": differ(of_pesos_in_dollars, at(DOCUMENT, TipoCambioDR="18.50")),
    "CRP221": Example(
        of(without_balance(ImpSaldoAnt="232.00"), amount="232.00"),
        of(without_balance(ImpSaldoAnt="0.00"), amount="232.00"),
    ),
    "CRP222": payments(at(DOCUMENT, ImpSaldoAnt="232.000")),
    "CRP223": payments(at(DOCUMENT, ImpPagado="0.00", ImpSaldoInsoluto="232.00")),
    "CRP224": payments(at(DOCUMENT, ImpPagado="232.000")),
    "CRP225": payments(at(DOCUMENT, ImpSaldoInsoluto="0.000")),
    "CRP226": payments(at(DOCUMENT, ImpSaldoInsoluto="1.00")),
    "CRP999:MetodoDePagoDR": payments(at(DOCUMENT, MetodoDePagoDR="ZZZ")),
    "CRP233": payments(at(DOCUMENT, NumParcialidad=None)),
    "CRP234": payments(at(DOCUMENT, ImpSaldoAnt=None)),
    "CRP235": differ(two, at(DOCUMENT, ImpPagado=None)),
    "CRP236": payments(at(DOCUMENT, ImpSaldoInsoluto=None)),
}

PAGOS10: dict[str, Example] = {**_COMPROBANTE, **_PAGO, **_DOCUMENTO}
