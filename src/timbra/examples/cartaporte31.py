"""Minimal valid documents with the complement Carta Porte 3.1.

carta_porte()                       an issuer moves its own goods by road: type T
flete()                             freight by road, charged: type I
carta_porte(shipment=by_sea())      the same by sea; also by_air(), by_rail()
carta_porte(shipment=by_road([mercancia(), mercancia({"@PesoEnKg": "3"})]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from timbra.examples.carrying import carrying
from timbra.examples.cfdi40 import ingreso, traslado
from timbra.examples.comprobante import FECHA, KEMPER, ROBOTICA, ExampleParty
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/CartaPorte31"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/CartaPorte/CartaPorte31.xsd"
PREFIX = "cartaporte31"
FREIGHT = "78101800"
STATES = {KEMPER.postal_code: "HID", ROBOTICA.postal_code: "TAB"}
Stop = tuple[str, str, str]
"""NumEstacion, NombreEstacion, TipoEstacion."""


def carta_porte(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    shipment: ExampleNode | None = None,
) -> str:
    """Return a transfer of the issuer's own goods, by road unless another shipment is given."""
    return traslado({**_carried(shipment, fecha), **(changes or {})}, fecha=fecha, issuer=issuer)


def flete(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = ROBOTICA,
    price: str = "200.00",
    decimals: int = 2,
    shipment: ExampleNode | None = None,
) -> str:
    """Return an invoice for freight that the receiver pays.

    Args:
        changes: see `timbra.examples.tree.change`.
        fecha: Fecha.
        issuer: the issuer.
        receiver: the receiver.
        price: ValorUnitario.
        decimals: decimals of the currency, for the sums.
        shipment: the complement; by road when not given.
    """
    line = concepto({"@ClaveProdServ": FREIGHT, "@Descripcion": "Flete"}, price=price)
    extra = _carried(shipment, fecha)
    return ingreso(
        {**extra, **(changes or {})},
        fecha=fecha,
        issuer=issuer,
        receiver=receiver,
        concepts=[line],
        decimals=decimals,
    )


def _carried(shipment: ExampleNode | None, fecha: str) -> dict[str, Change]:
    complement = by_road() if shipment is None else shipment
    for places in complement.named("Ubicaciones"):
        for place in places.children:
            place.attributes.setdefault("FechaHoraSalidaLlegada", fecha)
    return carrying(complement, NAMESPACE, SCHEMA)


def by_road(goods: Sequence[ExampleNode] | None = None) -> ExampleNode:
    """Return a shipment from the issuer of the examples to their receiver, in a light truck."""
    truck = element(
        "Autotransporte",
        {"PermSCT": "TPAF01", "NumPermisoSCT": "PERMISO1"},
        element(
            "IdentificacionVehicular",
            {"ConfigVehicular": "C2", "PesoBrutoVehicular": "7.50", "PlacaVM": "ABC1234", "AnioModeloVM": "2024"},
        ),
        element("Seguros", {"AseguraRespCivil": "ASEGURADORA", "PolizaRespCivil": "POLIZA1"}),
    )
    places = [place("Origen", 1), place("Destino", 2, ROBOTICA, distance="1.00")]
    return _shipment(places, goods, truck, distance="1.00")


def by_sea(goods: Sequence[ExampleNode] | None = None) -> ExampleNode:
    """Return a shipment in a Mexican ship."""
    weights = {"UnidadPesoMerc": "Tu", "PesoBruto": "1", "PesoNeto": "1", "PesoTara": "1"}
    rows = [mercancia({"DetalleMercancia": element("DetalleMercancia", weights)})] if goods is None else goods
    ship = {
        "TipoEmbarcacion": "B01",
        "Matricula": "MATRICULA1",
        "NumeroOMI": "IMO1234567",
        "NacionalidadEmbarc": "MEX",
        "UnidadesDeArqBruto": "1",
        "TipoCarga": "CGS",
        "NombreAgenteNaviero": "AGENTE",
        "NumAutorizacionNaviero": "ANC001/2022",
    }
    places = [
        place("Origen", 1, stop=("PM001", "Rosarito", "01")),
        place("Destino", 2, ROBOTICA, stop=("PM001", "Rosarito", "03")),
    ]
    for each in places:
        each.attributes["NavegacionTrafico"] = "Cabotaje"
    return _shipment(places, rows, element("TransporteMaritimo", ship), PesoNetoTotal="1")


def by_air(goods: Sequence[ExampleNode] | None = None) -> ExampleNode:
    """Return a shipment in an aircraft, sent by the issuer of the examples."""
    rows = [mercancia({"@ValorMercancia": "100.00", "@Moneda": "MXN"})] if goods is None else goods
    flight = {
        "PermSCT": "TPTA01",
        "NumPermisoSCT": "PERMISO1",
        "NumeroGuia": "803117555500",
        "CodigoTransportista": "CA001",
        "RFCEmbarcador": KEMPER.rfc,
    }
    places = [
        place("Origen", 1, stop=("EA0417", "Loreto", "01")),
        place("Destino", 2, ROBOTICA, stop=("EA0418", "Los Cabos", "03")),
    ]
    return _shipment(places, rows, element("TransporteAereo", flight))


def by_rail(goods: Sequence[ExampleNode] | None = None) -> ExampleNode:
    """Return a shipment in one railway car of ten tons, with four intermediate stops."""
    car = {"TipoCarro": "TC01", "MatriculaCarro": "A00012", "GuiaCarro": "GUIA1", "ToneladasNetasCarro": "10"}
    train = element("TransporteFerroviario", {"TipoDeServicio": "TS01", "TipoDeTrafico": "TT01"}, element("Carro", car))
    between: Stop = ("SC283", "HUAXTITLA", "02")
    places = [
        place("Origen", 1, stop=("Q0736", "SANTO NINO", "01")),
        *(place("Destino", index, ROBOTICA, stop=between, distance="100") for index in range(2, 6)),
        place("Destino", 6, ROBOTICA, stop=("JM047", "HUEHUETOCA", "03"), distance="100"),
    ]
    return _shipment(places, goods, train, distance="500", PesoNetoTotal="10")


def _shipment(
    places: list[ExampleNode],
    goods: Sequence[ExampleNode] | None,
    way: ExampleNode,
    *,
    distance: str | None = None,
    **weights: str,
) -> ExampleNode:
    rows = [mercancia()] if goods is None else list(goods)
    head = {"Version": "3.1", "IdCCP": "CCCBCD94-870A-4332-A52A-A52AA52AA52A", "TranspInternac": "No"}
    total = sum((Decimal(row.attributes["PesoEnKg"]) for row in rows), Decimal(0))
    cargo = {"PesoBrutoTotal": str(total), "UnidadPeso": "KGM", **weights, "NumTotalMercancias": str(len(rows))}
    driver = {"TipoFigura": "01", "RFCFigura": KEMPER.rfc, "NumLicencia": "LICENCIA1", "NombreFigura": KEMPER.name}
    return element(
        "CartaPorte",
        head if distance is None else {**head, "TotalDistRec": distance},
        element("Ubicaciones", {}, *places),
        element("Mercancias", cargo, *rows, way),
        element("FiguraTransporte", {}, element("TiposFigura", driver)),
    )


def place(
    tipo: str, index: int, party: ExampleParty = KEMPER, *, stop: Stop | None = None, distance: str | None = None
) -> ExampleNode:
    """Return a Ubicacion at the postal code of its party; an intermediate stop has no address.

    Args:
        tipo: TipoUbicacion.
        index: number of the Ubicacion.
        party: sender or recipient.
        stop: the station.
        distance: DistanciaRecorrida.
    """
    attributes = {
        "TipoUbicacion": tipo,
        "IDUbicacion": f"{'OR' if tipo == 'Origen' else 'DE'}{index:06}",
        "RFCRemitenteDestinatario": party.rfc,
    }
    if stop is not None:
        attributes |= dict(zip(("NumEstacion", "NombreEstacion", "TipoEstacion"), stop, strict=True))
    if distance is not None:
        attributes["DistanciaRecorrida"] = distance
    passing = stop is not None and stop[2] == "02"
    home = {"Estado": STATES[party.postal_code], "Pais": "MEX", "CodigoPostal": party.postal_code}
    return element("Ubicacion", attributes, *([] if passing else [element("Domicilio", home)]))


def mercancia(changes: Mapping[str, Change] | None = None) -> ExampleNode:
    """Return a box of one kilogram."""
    goods = {
        "BienesTransp": "50211503",
        "Descripcion": "Cajas",
        "Cantidad": "1",
        "ClaveUnidad": "XBX",
        "PesoEnKg": "1",
    }
    return change(element("Mercancia", goods), changes or {})


def element(local: str, attributes: Mapping[str, str], *children: ExampleNode) -> ExampleNode:
    """Return an element of the complement."""
    return ExampleNode(f"{PREFIX}:{local}", dict(attributes), list(children))
