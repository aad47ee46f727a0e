"""Minimal valid documents with complements of flights, tourists, retailers and exporters of old."""

from __future__ import annotations

from timbra.examples.complements.complement import OLD, Complement
from timbra.examples.tree import ExampleNode


def _aerolineas(_fecha: str) -> ExampleNode:
    return ExampleNode("aerolineas:Aerolineas", {"Version": "1.0", "TUA": "100.00"})


def _turista(fecha: str) -> ExampleNode:
    transit = {"Via": "Aérea", "TipoId": "Pasaporte", "NumeroId": "A1", "Nacionalidad": "USA"}
    head = {"version": "1.0", "fechadeTransito": fecha, "tipoTransito": "Salida"}
    traveller = ExampleNode("tpe:datosTransito", {**transit, "EmpresaTransporte": "AEROLÍNEA"})
    return ExampleNode("tpe:TuristaPasajeroExtranjero", head, [traveller])


def _detallista(_fecha: str) -> ExampleNode:
    """An order of a retailer."""

    def text(name: str, value: str, **attributes: str) -> ExampleNode:
        return ExampleNode(f"detallista:{name}", attributes, text=value)

    def of(name: str, *children: ExampleNode) -> ExampleNode:
        return ExampleNode(f"detallista:{name}", children=list(children))

    return ExampleNode(
        "detallista:detallista",
        {"documentStructureVersion": "AMC8.1", "documentStatus": "ORIGINAL"},
        [
            of("requestForPaymentIdentification", text("entityType", "INVOICE")),
            of("orderIdentification", text("referenceIdentification", "1", type="ON")),
            of("AdditionalInformation", text("referenceIdentification", "1", type="ATZ")),
            of("buyer", text("gln", "7501000000000")),
        ],
    )


def _exterior10(_fecha: str) -> ExampleNode:
    head = {"Version": "1.0", "TipoOperacion": "A"}
    return ExampleNode("cce:ComercioExterior", head, [ExampleNode("cce:Receptor", {"NumRegIdTrib": "123456789"})])


aerolineas = Complement("aerolineas", "aerolineas", "aerolineas/aerolineas.xsd", "1.0", _aerolineas)
turista_extranjero = Complement(
    "tpe", "TuristaPasajeroExtranjero", "TuristaPasajeroExtranjero/TuristaPasajeroExtranjero.xsd", "1.0", _turista
)
detallista = Complement("detallista", "detallista", "detallista/detallista.xsd", "", _detallista)
comercio_exterior10 = Complement(
    "comercioexterior10", "ComercioExterior", "ComercioExterior/ComercioExterior10.xsd", "1.0", _exterior10, OLD
)

COMPLEMENTS = (aerolineas, turista_extranjero, detallista, comercio_exterior10)
