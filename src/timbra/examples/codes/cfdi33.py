"""Examples of the rules of CFDI 3.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi33 import exportacion33, ingreso33, traslado33
from timbra.examples.cfdi40 import EARLIER, relation
from timbra.examples.codes.comprobante import HUGE, discounted
from timbra.examples.codes.conceptos import CUSTOMS, IEPS, PART_CUSTOMS
from timbra.examples.codes.example import Example, differ
from timbra.examples.codes.impuestos import BORDER, FIRST, ISR, IVA, SUMMED, UNREGISTERED, WITHHELD
from timbra.examples.comprobante import KEMPER, ExampleParty, foreigner_at
from timbra.examples.conceptos import concepto, tax
from timbra.examples.pagos10 import pago10
from timbra.examples.tree import Change, ExampleNode

PEDIMENTO, OLD_PEDIMENTO = "21  48  3009  0001234", "11  48  3009  0001234"
DOLLARS: dict[str, Change] = {"@Moneda": "USD", "@TipoCambio": "18.50"}
CONFIRMED: dict[str, Change] = {**DOLLARS, "@Confirmacion": "ABCDE"}
PARTE = "Conceptos/Concepto/Parte"


def invoices(failing: Mapping[str, Change], passing: Mapping[str, Change] | None = None) -> Example:
    """Two invoices that differ by changes."""
    return differ(ingreso33, failing, passing)


def one(*lines: ExampleNode) -> str:
    return ingreso33(concepts=lines)


def lines(failing: Callable[[], ExampleNode], passing: Callable[[], ExampleNode] = concepto) -> Example:
    """Two invoices of one Concepto."""
    return Example(lambda: one(passing()), lambda: one(failing()))


def sale_with_discount(changes: Mapping[str, Change] | None = None) -> str:
    return ingreso33(changes, concepts=[discounted()])


def huge(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice whose value in pesos passes every maximum."""
    return ingreso33({"@Moneda": "USD", "@TipoCambio": "2", **(changes or {})}, concepts=[concepto(price=HUGE)])


def related(tipo: str) -> dict[str, Change]:
    return {"CfdiRelacionados": relation(tipo, EARLIER)}


def abroad(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice to somebody who resides in the United States."""
    residence: dict[str, Change] = {"Receptor/@ResidenciaFiscal": "USA", "Receptor/@NumRegIdTrib": "123456789"}
    return ingreso33({**residence, **(changes or {})}, receiver=foreigner_at(KEMPER.postal_code), uso="P01")


def with_part(changes: Mapping[str, Change] | None = None) -> str:
    """A sale that names one part: two pieces at 50.00."""
    part = {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza", "ValorUnitario": "50.00"}
    node = ExampleNode("cfdi:Parte", {**part, "Importe": "100.00"})
    return ingreso33({PARTE: node, **{f"{PARTE}/{key}": value for key, value in (changes or {}).items()}})


def transferred(changes: Mapping[str, str]) -> str:
    """An invoice whose only traslado has these attributes instead."""
    return one(concepto(traslados=[{**IVA, **changes}]))


def withheld(changes: Mapping[str, str] | None = None) -> str:
    """An invoice with IVA and a retención with these attributes instead."""
    return one(concepto(traslados=[IVA], retenciones=[{**ISR, **(changes or {})}]))


def summed(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA and ISR withheld, changed as a whole."""
    return ingreso33(changes, concepts=[concepto(traslados=[IVA], retenciones=[ISR])])


def exempt(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice whose only traslado is exempt."""
    return ingreso33(changes, concepts=[concepto(traslados=[tax("200.00", "002", None)])])


def at_zero(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA at rate 0."""
    return ingreso33(changes, concepts=[concepto(traslados=[tax("200.00", "002", "0.000000")])])


def in_border(changes: Mapping[str, Change] | None = None, issuer: ExampleParty = BORDER) -> str:
    """An invoice of the border, with IVA at 8 %."""
    return ingreso33(changes, issuer=issuer, concepts=[concepto(traslados=[tax("200.00", "002", "0.080000")])])


def unrounded(importe: str = "0.2345") -> str:
    """An invoice whose summary of taxes is not rounded."""
    row = {**IVA, "Base": "1.4656", "Importe": importe}
    changes: dict[str, Change] = {
        "Impuestos/@TotalImpuestosTrasladados": "0.23",
        f"{SUMMED}/@Importe": importe,
        "@Total": "200.23",
    }
    return ingreso33(changes, concepts=[concepto(traslados=[row])])


def row(**attributes: str) -> ExampleNode:
    return ExampleNode("cfdi:Traslado", {"Impuesto": "002", "TipoFactor": "Tasa", "Importe": "0.00", **attributes})


_OF_COMPROBANTE: dict[str, Example] = {
    "CFDI33101": invoices({"@Fecha": "2022-11-17"}),
    "CFDI33103": differ(pago10, {"@FormaPago": "03"}),
    "CFDI33104": invoices({"@FormaPago": "98"}),
    "CFDI33106": invoices({"@SubTotal": "200.000"}),
    "CFDI33107": invoices({"@SubTotal": "199.00", "@Total": "231.00"}),
    "CFDI33108": differ(traslado33, {"@SubTotal": "1"}),
    "CFDI33109": Example(sale_with_discount, lambda: one(discounted("201.00"))),
    "CFDI33110": invoices({"@Descuento": "9.00", "@Total": "223.00"}, {"@Descuento": "0.00"}),
    "CFDI33111": Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "10.000"})),
    "CFDI33112": invoices({"@Moneda": "ZZZ", "@TipoCambio": "1"}),
    "CFDI33113": invoices({"@TipoCambio": "1.5"}, {"@TipoCambio": "1.000000"}),
    "CFDI33114": invoices({"@Moneda": "USD"}, DOLLARS),
    "CFDI33115": differ(traslado33, {"@TipoCambio": "1"}),
    "CFDI33116": invoices({**DOLLARS, "@TipoCambio": "18.5000001"}, DOLLARS),
    "CFDI33117": invoices({**DOLLARS, "@TipoCambio": "30"}, DOLLARS),
    "CFDI33118": invoices({"@Total": "233.00"}, {"@Total": "232.004"}),
    "CFDI33119": Example(lambda: huge({"@Confirmacion": "ABCDE"}), huge),
    "CFDI33120": invoices({"@TipoDeComprobante": "Z"}),
    "CFDI33121": invoices({"@MetodoPago": "PPX"}),
    "CFDI33122": invoices({"@MetodoPago": "PIP"}),
    "CFDI33123": differ(traslado33, {"@MetodoPago": "PUE"}),
    "CFDI33124": differ(pago10, {"@MetodoPago": "PUE"}),
    "CFDI33125": invoices({"@LugarExpedicion": "00001"}),
    "CFDI33126": invoices(CONFIRMED, {**CONFIRMED, "@TipoCambio": "30"}),
    "CFDI33127": invoices({**CONFIRMED, "@Confirmacion": "ZZZZZ"}, CONFIRMED),
    "CFDI33128": invoices({**CONFIRMED, "@Confirmacion": "USADA"}, CONFIRMED),
}
_OF_PARTIES: dict[str, Example] = {
    "CFDI33129": invoices(related("10"), related("04")),
    "CFDI33130": invoices({"Emisor/@RegimenFiscal": "699"}),
    "CFDI33131": invoices({"Emisor/@RegimenFiscal": "612"}),
    "CFDI33132": invoices({"Receptor/@Rfc": "ZZZ010101AAA"}),
    "CFDI33133": differ(abroad, {"Receptor/@ResidenciaFiscal": "QQQ"}),
    "CFDI33134": invoices({"Receptor/@ResidenciaFiscal": "USA"}),
    "CFDI33135": differ(abroad, {"Receptor/@ResidenciaFiscal": "MEX"}),
    "CFDI33136": differ(abroad, {"Receptor/@ResidenciaFiscal": None}),
    "CFDI33137": invoices({"Receptor/@NumRegIdTrib": "123456789"}),
    "CFDI33138": differ(exportacion33, {"Receptor/@NumRegIdTrib": None}),
    "CFDI33139": differ(abroad, {"Receptor/@NumRegIdTrib": "12345"}),
    "CFDI33140": invoices({"Receptor/@UsoCFDI": "X01"}),
    "CFDI33141": invoices({"Receptor/@UsoCFDI": "D01"}),
}
_OF_CONCEPTOS: dict[str, Example] = {
    "CFDI33142": lines(lambda: concepto({"@ClaveProdServ": "00000009"})),
    "CFDI33144": lines(lambda: concepto(traslados=IEPS)),
    "CFDI33145": lines(lambda: concepto({"@ClaveUnidad": "ZZZ"})),
    "CFDI33147": lines(lambda: concepto(price="0.00", traslados=[])),
    "CFDI33149": lines(lambda: concepto({"@Cantidad": "1.0000", "@Importe": "201.00"})),
    "CFDI33150": lines(lambda: concepto({"@Descuento": "10.000"}), lambda: concepto({"@Descuento": "10.00"})),
    "CFDI33151": Example(
        lambda: one(concepto({"@Descuento": "200.00"})),
        lambda: one(concepto({"@Descuento": "201.00"}), concepto()),
    ),
    "CFDI33152": lines(lambda: concepto({"Impuestos": ExampleNode("cfdi:Impuestos")}, traslados=[])),
    "CFDI33154": Example(ingreso33, lambda: transferred({"Base": "0", "Importe": "0.00"})),
    "CFDI33155": Example(ingreso33, lambda: transferred({"Impuesto": "004"})),
    "CFDI33156": Example(ingreso33, lambda: transferred({"TipoFactor": "Otro"})),
    "CFDI33157": differ(exempt, {f"{FIRST}/@TasaOCuota": "0.000000", f"{FIRST}/@Importe": "0.00"}),
    "CFDI33158": differ(at_zero, {f"{FIRST}/@Importe": None}),
    "CFDI33159": Example(ingreso33, lambda: transferred({"TasaOCuota": "0.150000", "Importe": "30.00"})),
    "CFDI33161": Example(ingreso33, lambda: transferred({"Importe": "33.00"})),
    "CFDI33163": Example(withheld, lambda: withheld({"Base": "0", "Importe": "0.00"})),
    "CFDI33164": Example(withheld, lambda: withheld({"Impuesto": "004"})),
    "CFDI33165": Example(withheld, lambda: withheld({"TipoFactor": "Otro"})),
    "CFDI33166": Example(withheld, lambda: withheld({"TipoFactor": "Exento"})),
    "CFDI33167": Example(withheld, lambda: withheld({"TasaOCuota": "0.400000", "Importe": "80.00"})),
    "CFDI33169": Example(withheld, lambda: withheld({"Importe": "21.00"})),
    "CFDI33170": invoices({CUSTOMS: OLD_PEDIMENTO}, {CUSTOMS: PEDIMENTO}),
    "CFDI33171": differ(exportacion33, {CUSTOMS: PEDIMENTO}),
    "CFDI33172": differ(with_part, {"@ClaveProdServ": "00000009"}),
    "CFDI33174": differ(with_part, {"@ValorUnitario": "0", "@Importe": None}),
    "CFDI33176": differ(with_part, {"@Importe": "201.00"}),
    "CFDI33177": Example(
        lambda: with_part({"InformacionAduanera/@NumeroPedimento": PEDIMENTO}),
        lambda: with_part({"InformacionAduanera/@NumeroPedimento": OLD_PEDIMENTO}),
    ),
    "CFDI33178": differ(
        exportacion33,
        {
            PARTE: ExampleNode("cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza"}),
            PART_CUSTOMS: PEDIMENTO,
        },
    ),
}
_OF_SUMS: dict[str, Example] = {
    "CFDI33179": differ(traslado33, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
    "CFDI33180": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": "20.000"}),
    "CFDI33181": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": "21.00", "@Total": "211.00"}),
    "CFDI33182": invoices({"Impuestos/@TotalImpuestosTrasladados": "32.000"}),
    "CFDI33183": Example(
        unrounded,
        lambda: ingreso33({"Impuestos/@TotalImpuestosTrasladados": "33.00", "@Total": "233.00"}),
    ),
    "CFDI33184": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI33185": differ(
        summed, {f"{WITHHELD}[2]": ExampleNode("cfdi:Retencion", {"Impuesto": "004", "Importe": "0.00"})}
    ),
    "CFDI33186": differ(
        summed,
        {
            f"{WITHHELD}[2]": ExampleNode("cfdi:Retencion", {"Impuesto": "001", "Importe": "20.00"}),
            "Impuestos/@TotalImpuestosRetenidos": "40.00",
            "@Total": "192.00",
        },
    ),
    "CFDI33187": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI33189": differ(
        summed,
        {f"{WITHHELD}/@Importe": "21.00", "Impuestos/@TotalImpuestosRetenidos": "21.00", "@Total": "211.00"},
        {f"{WITHHELD}/@Importe": "20.004"},
    ),
    "CFDI33190": invoices({"Impuestos/@TotalImpuestosTrasladados": None, "@Total": "200.00"}),
    "CFDI33191": invoices({f"{SUMMED}[2]": row(Impuesto="004", TasaOCuota="0.160000")}),
    "CFDI33192": invoices(
        {
            f"{SUMMED}[2]": row(TasaOCuota="0.16", Importe="32.00"),
            "Impuestos/@TotalImpuestosTrasladados": "64.00",
            "@Total": "264.00",
        }
    ),
    "CFDI33193": invoices({f"{SUMMED}[2]": row(TasaOCuota="0.150000")}),
    "CFDI33195": Example(
        unrounded,
        lambda: ingreso33(
            {
                f"{SUMMED}/@Importe": "33.00",
                "Impuestos/@TotalImpuestosTrasladados": "33.00",
                "@Total": "233.00",
            }
        ),
    ),
    "CFDI33196:IVA8-RFC": Example(in_border, lambda: in_border(issuer=UNREGISTERED)),
    "CFDI33196:IVA8-LugarExpedicion": differ(in_border, {"@LugarExpedicion": "42501"}),
    "CFDI33196:IVA8-ClaveProdServ": differ(in_border, {"Conceptos/Concepto/@ClaveProdServ": "50211503"}),
}

CFDI33: dict[str, Example] = {**_OF_COMPROBANTE, **_OF_PARTIES, **_OF_CONCEPTOS, **_OF_SUMS}
