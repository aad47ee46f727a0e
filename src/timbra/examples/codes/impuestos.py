"""Examples of rules about taxes: CFDI40174 to CFDI40186, CFDI40201 to CFDI40221, CFDI140224, CFDI140225."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi40 import ingreso, traslado
from timbra.examples.codes.example import Example, differ, invoices
from timbra.examples.comprobante import CASAS, ILUMINADORA, ExampleParty
from timbra.examples.conceptos import concepto, tax
from timbra.examples.nomina12 import nomina
from timbra.examples.tree import Change, ExampleNode

FIRST = "Conceptos/Concepto/Impuestos/Traslados/Traslado"
SUMMED = "Impuestos/Traslados/Traslado"
WITHHELD = "Impuestos/Retenciones/Retencion"
RESICO = ExampleParty(CASAS.rfc, CASAS.name, CASAS.postal_code, "626")
BORDER = ExampleParty(ILUMINADORA.rfc, ILUMINADORA.name, "22000", ILUMINADORA.regime)
UNREGISTERED = ExampleParty("URE180429TM6", "UNIVERSIDAD ROBOTICA ESPAÑOLA", "22000", "601")
IVA = tax("200.00", "002", "0.160000")
ISR = tax("200.00", "001", "0.100000")


def transferred(changes: Mapping[str, str]) -> str:
    """An invoice whose only traslado has these attributes instead."""
    return ingreso(concepts=[concepto(traslados=[{**IVA, **changes}])])


def withheld(changes: Mapping[str, str] | None = None) -> str:
    """An invoice with IVA and a retención with these attributes instead."""
    return ingreso(concepts=[concepto(traslados=[IVA], retenciones=[{**ISR, **(changes or {})}])])


def summed(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA and ISR withheld, changed as a whole."""
    return ingreso(changes, concepts=[concepto(traslados=[IVA], retenciones=[ISR])])


def exempt(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice whose only traslado is exempt."""
    return ingreso(changes, concepts=[concepto(traslados=[tax("200.00", "002", None)])])


def at_zero(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA at rate 0."""
    return ingreso(changes, concepts=[concepto(traslados=[tax("200.00", "002", "0.000000")])])


def in_border(changes: Mapping[str, Change] | None = None, issuer: ExampleParty = BORDER) -> str:
    """An invoice of the border, with IVA at 8 %."""
    return ingreso(changes, issuer=issuer, concepts=[concepto(traslados=[tax("200.00", "002", "0.080000")])])


def of_resico(*rates: str) -> Callable[[], str]:
    """An invoice of a persona física of regime 626 to a company, with ISR withheld at these rates."""
    return lambda: ingreso(
        issuer=RESICO,
        concepts=[concepto(traslados=[IVA], retenciones=[tax("200.00", "001", rate) for rate in rates])],
    )


def row(**attributes: str) -> ExampleNode:
    return ExampleNode("cfdi:Traslado", {"Base": "0.00", "Impuesto": "002", "TipoFactor": "Tasa", **attributes})


IMPUESTOS: dict[str, Example] = {
    "CFDI40174": Example(ingreso, lambda: transferred({"Base": "0", "Importe": "0.00"})),
    "CFDI40175": Example(ingreso, lambda: transferred({"Impuesto": "001"})),
    "CFDI40176": Example(ingreso, lambda: transferred({"TipoFactor": "Otro"})),
    "CFDI40177": differ(exempt, {f"{FIRST}/@TasaOCuota": "0.000000", f"{FIRST}/@Importe": "0.00"}),
    "CFDI40178": differ(at_zero, {f"{FIRST}/@Importe": None}),
    "CFDI40179": Example(ingreso, lambda: transferred({"TasaOCuota": "0.150000", "Importe": "30.00"})),
    "CFDI40180": Example(ingreso, lambda: transferred({"Importe": "33.00"})),
    "CFDI40181": Example(withheld, lambda: withheld({"Base": "0", "Importe": "0.00"})),
    "CFDI40182": Example(withheld, lambda: withheld({"Impuesto": "004"})),
    "CFDI40183": Example(withheld, lambda: withheld({"TipoFactor": "Otro"})),
    "CFDI40184": Example(withheld, lambda: withheld({"TipoFactor": "Exento"})),
    "CFDI40185": Example(withheld, lambda: withheld({"TasaOCuota": "0.400000", "Importe": "80.00"})),
    "CFDI40186": Example(withheld, lambda: withheld({"Importe": "21.00"})),
    "CFDI140224": Example(of_resico(), of_resico("0.012500")),
    "CFDI140225": Example(of_resico("0.012500"), of_resico("0.100000")),
    "CFDI40201": differ(traslado, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
    "CFDI40999:Impuestos-N": differ(nomina, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
    "CFDI40202": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": "20.000"}),
    "CFDI40203": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": "21.00", "@Total": "211.00"}),
    "CFDI40204": invoices({"Impuestos/@TotalImpuestosTrasladados": "32.000"}),
    "CFDI40205": invoices({"Impuestos/@TotalImpuestosTrasladados": "33.00", "@Total": "233.00"}),
    "CFDI40206": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI40207": differ(
        summed, {f"{WITHHELD}[2]": ExampleNode("cfdi:Retencion", {"Impuesto": "004", "Importe": "0.00"})}
    ),
    "CFDI40208": differ(
        summed,
        {
            f"{WITHHELD}[2]": ExampleNode("cfdi:Retencion", {"Impuesto": "001", "Importe": "20.00"}),
            "Impuestos/@TotalImpuestosRetenidos": "40.00",
            "@Total": "192.00",
        },
    ),
    "CFDI40209": differ(summed, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
    "CFDI40210": differ(summed, {f"{WITHHELD}/@Importe": "20.000"}),
    "CFDI40211": differ(
        summed,
        {
            f"{WITHHELD}/@Importe": "21.00",
            "Impuestos/@TotalImpuestosRetenidos": "21.00",
            "@Total": "211.00",
        },
    ),
    "CFDI40212": invoices({"Impuestos/@TotalImpuestosTrasladados": None, "@Total": "200.00"}),
    "CFDI40213": differ(exempt, {"Impuestos/@TotalImpuestosTrasladados": "0.00"}),
    "CFDI40214": invoices({f"{SUMMED}/@Base": "200.000"}),
    "CFDI40215": invoices({f"{SUMMED}/@Base": "201.00"}),
    "CFDI40216": differ(exempt, {f"{SUMMED}/@Base": "201.00"}),
    "CFDI40217": invoices({f"{SUMMED}[2]": row(Impuesto="004", TasaOCuota="0.160000", Importe="0.00")}),
    "CFDI40218": invoices(
        {
            f"{SUMMED}[2]": row(Base="200.00", TasaOCuota="0.16", Importe="32.00"),
            "Impuestos/@TotalImpuestosTrasladados": "64.00",
            "@Total": "264.00",
        }
    ),
    "CFDI40219": invoices({f"{SUMMED}[2]": row(TasaOCuota="0.150000", Importe="0.00")}),
    "CFDI40220": invoices({f"{SUMMED}/@Importe": "32.000"}),
    "CFDI40221": invoices(
        {
            f"{SUMMED}/@Importe": "33.00",
            "Impuestos/@TotalImpuestosTrasladados": "33.00",
            "@Total": "233.00",
        }
    ),
    "CFDI40999:IVA8-RFC": Example(in_border, lambda: in_border(issuer=UNREGISTERED)),
    "CFDI40999:IVA8-LugarExpedicion": differ(in_border, {"@LugarExpedicion": "42501"}),
    "CFDI40999:IVA8-ClaveProdServ": differ(in_border, {"Conceptos/Concepto/@ClaveProdServ": "50211503"}),
}
