"""Examples of rules about Conceptos, taxes apart: CFDI40162 to CFDI40173, CFDI40187 to CFDI40200."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi40 import ingreso, traslado
from timbra.examples.codes.example import Example, differ
from timbra.examples.comercio_exterior20 import exportacion
from timbra.examples.comprobante import CASAS, KEMPER, ROBOTICA
from timbra.examples.conceptos import concepto, tax
from timbra.examples.tree import Change, ExampleNode

FOREIGN_NAME = (
    "EXPEDICIÓN DE CFDI POR RESIDENTES EN MÉXICO QUE PRESTAN SERVICIOS DE INTERMEDIACIÓN ENTRE TERCEROS "
    "A OFERENTES DE BIENES Y SERVICIOS RESIDENTES EN EL EXTRANJERO"
)
FIRST = "Conceptos/Concepto"
CUSTOMS = f"{FIRST}/InformacionAduanera/@NumeroPedimento"
PART_CUSTOMS = f"{FIRST}/Parte/InformacionAduanera/@NumeroPedimento"
PEDIMENTO, OLD_PEDIMENTO = "25  48  3009  0001234", "15  48  3009  0001234"


def one(*lines: ExampleNode) -> str:
    return ingreso(concepts=lines)


def lines(failing: Callable[[], ExampleNode], passing: Callable[[], ExampleNode] = concepto) -> Example:
    """Two invoices of one Concepto."""
    return Example(lambda: one(passing()), lambda: one(failing()))


def on_behalf(changes: Mapping[str, Change] | None = None) -> str:
    """A sale on behalf of another taxpayer."""
    third = ExampleNode(
        "cfdi:ACuentaTerceros",
        {
            "RfcACuentaTerceros": CASAS.rfc,
            "NombreACuentaTerceros": CASAS.name,
            "RegimenFiscalACuentaTerceros": CASAS.regime,
            "DomicilioFiscalACuentaTerceros": CASAS.postal_code,
        },
    )
    inside = {f"{FIRST}/ACuentaTerceros/{path}": value for path, value in (changes or {}).items()}
    return ingreso({f"{FIRST}/ACuentaTerceros": third, **inside})


def on_foreign_behalf(changes: Mapping[str, Change] | None = None) -> str:
    """A sale on behalf of somebody who resides abroad."""
    third: dict[str, Change] = {
        "@RfcACuentaTerceros": "EXT990101NI1",
        "@NombreACuentaTerceros": FOREIGN_NAME,
        "@RegimenFiscalACuentaTerceros": "616",
        "@DomicilioFiscalACuentaTerceros": KEMPER.postal_code,
    }
    return on_behalf({**third, **(changes or {})})


def with_part(changes: Mapping[str, Change] | None = None) -> str:
    """A sale that names one part: two pieces at 50.00."""
    part = {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza", "ValorUnitario": "50.00"}
    node = ExampleNode("cfdi:Parte", {**part, "Importe": "100.00"})
    return ingreso(
        {f"{FIRST}/Parte": node, **{f"{FIRST}/Parte/{key}": value for key, value in (changes or {}).items()}}
    )


IEPS = [tax("200.00", "003", "0.080000")]
STRANGER: dict[str, Change] = {"@RfcACuentaTerceros": "ZZZA010101AAA"}
RECEIVER: dict[str, Change] = {
    "@RfcACuentaTerceros": ROBOTICA.rfc,
    "@NombreACuentaTerceros": ROBOTICA.name,
    "@RegimenFiscalACuentaTerceros": ROBOTICA.regime,
    "@DomicilioFiscalACuentaTerceros": ROBOTICA.postal_code,
}

CONCEPTOS: dict[str, Example] = {
    "CFDI40162": lines(lambda: concepto({"@ClaveProdServ": "00000009"})),
    "CFDI40164": lines(lambda: concepto(traslados=IEPS)),
    "CFDI40165": lines(lambda: concepto({"@ClaveUnidad": "ZZZ"})),
    "CFDI40166": lines(lambda: concepto(price="0.00", traslados=[])),
    "CFDI40167": lines(lambda: concepto({"@Cantidad": "1.0000", "@Importe": "201.00"})),
    "CFDI40168": lines(lambda: concepto({"@Descuento": "10.000"}), lambda: concepto({"@Descuento": "10.00"})),
    "CFDI40169": Example(
        lambda: one(concepto({"@Descuento": "200.00"})),
        lambda: one(concepto({"@Descuento": "201.00"}), concepto()),
    ),
    "CFDI40170": lines(lambda: concepto({"@ObjetoImp": "09"})),
    "CFDI40171": lines(lambda: concepto({"@ObjetoImp": "02"}, traslados=[])),
    "CFDI40172": lines(lambda: concepto({"@ObjetoImp": "01"})),
    "CFDI40173": lines(
        lambda: concepto({"@ObjetoImp": "02", "Impuestos": ExampleNode("cfdi:Impuestos")}, traslados=[])
    ),
    "CFDI140226": lines(
        lambda: concepto({"@ObjetoImp": "06"}),
        lambda: concepto({"@ObjetoImp": "06"}, retenciones=[tax("200.00", "001", "0.100000")]),
    ),
    "CFDI140227": lines(lambda: concepto({"@ObjetoImp": "07"}), lambda: concepto({"@ObjetoImp": "07"}, traslados=IEPS)),
    "CFDI40187": differ(on_behalf, STRANGER),
    "CFDI40188": differ(on_behalf, RECEIVER),
    "CFDI40189": differ(on_foreign_behalf, {"@NombreACuentaTerceros": "ACME INC"}),
    "CFDI40190": differ(on_behalf, {"@NombreACuentaTerceros": "OTRO NOMBRE"}),
    "CFDI40191": differ(on_behalf, {"@RegimenFiscalACuentaTerceros": "699"}),
    "CFDI40192": differ(on_behalf, {"@DomicilioFiscalACuentaTerceros": "00001"}),
    "CFDI40193": differ(on_behalf, {"@DomicilioFiscalACuentaTerceros": "42501"}),
    "CFDI140223": differ(on_foreign_behalf, {"@RegimenFiscalACuentaTerceros": "610"}),
    "CFDI40194": differ(ingreso, {CUSTOMS: OLD_PEDIMENTO}, {CUSTOMS: PEDIMENTO}),
    "CFDI40195": differ(exportacion, {CUSTOMS: PEDIMENTO}),
    "CFDI40196": differ(with_part, {"@ClaveProdServ": "00000009"}),
    "CFDI40197": differ(with_part, {"@ValorUnitario": "0", "@Importe": None}),
    "CFDI40198": differ(with_part, {"@Importe": "201.00"}),
    "CFDI40199": Example(
        lambda: with_part({"InformacionAduanera/@NumeroPedimento": PEDIMENTO}),
        lambda: with_part({"InformacionAduanera/@NumeroPedimento": OLD_PEDIMENTO}),
    ),
    "CFDI40200": differ(
        exportacion,
        {
            f"{FIRST}/Parte": ExampleNode(
                "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza"}
            ),
            PART_CUSTOMS: PEDIMENTO,
        },
    ),
    "CFDI40999:Concepto-Descuento": differ(traslado, {f"{FIRST}/@Descuento": "0"}),
}
