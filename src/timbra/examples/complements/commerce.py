"""Minimal valid documents with complements of flights, tourists, retailers and exporters of old."""

from __future__ import annotations

from timbra.examples.complements.complement import OLD, Complement
from timbra.examples.tree import Node


def _aerolineas(_fecha: str) -> Node:
    return Node("aerolineas:Aerolineas", {"Version": "1.0", "TUA": "100.00"})


def _turista(fecha: str) -> Node:
    transit = {"Via": "Aérea", "TipoId": "Pasaporte", "NumeroId": "A1", "Nacionalidad": "USA"}
    head = {"version": "1.0", "fechadeTransito": fecha, "tipoTransito": "Salida"}
    traveller = Node("tpe:datosTransito", {**transit, "EmpresaTransporte": "AEROLÍNEA"})
    return Node("tpe:TuristaPasajeroExtranjero", head, [traveller])


def _detallista(_fecha: str) -> Node:
    """An order of a retailer."""

    def text(name: str, value: str, **attributes: str) -> Node:
        return Node(f"detallista:{name}", attributes, text=value)

    def of(name: str, *children: Node) -> Node:
        return Node(f"detallista:{name}", children=list(children))

    return Node(
        "detallista:detallista",
        {"documentStructureVersion": "AMC8.1", "documentStatus": "ORIGINAL"},
        [
            of("requestForPaymentIdentification", text("entityType", "INVOICE")),
            of("orderIdentification", text("referenceIdentification", "1", type="ON")),
            of("AdditionalInformation", text("referenceIdentification", "1", type="ATZ")),
            of("buyer", text("gln", "7501000000000")),
        ],
    )


def _exterior10(_fecha: str) -> Node:
    head = {"Version": "1.0", "TipoOperacion": "A"}
    return Node("cce:ComercioExterior", head, [Node("cce:Receptor", {"NumRegIdTrib": "123456789"})])


aerolineas = Complement("aerolineas", "aerolineas", "aerolineas/aerolineas.xsd", "1.0", _aerolineas)
turista_extranjero = Complement(
    "tpe", "TuristaPasajeroExtranjero", "TuristaPasajeroExtranjero/TuristaPasajeroExtranjero.xsd", "1.0", _turista
)
detallista = Complement("detallista", "detallista", "detallista/detallista.xsd", "", _detallista)
comercio_exterior10 = Complement(
    "comercioexterior10", "ComercioExterior", "ComercioExterior/ComercioExterior10.xsd", "1.0", _exterior10, OLD
)

COMPLEMENTS = (aerolineas, turista_extranjero, detallista, comercio_exterior10)
