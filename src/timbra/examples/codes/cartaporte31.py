"""Documents and nodes for the examples of rules of Carta Porte 3.1: by transport, border crossing and goods."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from timbra.examples.carrying import carrying
from timbra.examples.cartaporte31 import (
    NAMESPACE,
    SCHEMA,
    by_air,
    by_rail,
    by_road,
    by_sea,
    carta_porte,
    element,
    flete,
    place,
)
from timbra.examples.cfdi33 import traslado33
from timbra.examples.cfdi40 import egreso
from timbra.examples.codes.example import CodeExampleBuilder, Example, at, example
from timbra.examples.comprobante import CFDI33, FECHA, KEMPER, ROBOTICA, with_schema
from timbra.examples.tree import Change, ExampleNode

HEAD = "Complemento/CartaPorte"
REGIMEN = f"{HEAD}/RegimenesAduaneros/RegimenAduaneroCCP"
UBICACION = f"{HEAD}/Ubicaciones/Ubicacion"
MERCANCIAS = f"{HEAD}/Mercancias"
MERCANCIA = f"{MERCANCIAS}/Mercancia"
DOCUMENTO = f"{MERCANCIA}/DocumentacionAduanera"
CANTIDAD = f"{MERCANCIA}/CantidadTransporta"
AUTO = f"{MERCANCIAS}/Autotransporte"
SEGUROS = f"{AUTO}/Seguros"
MARITIMO, AEREO, TREN = (f"{MERCANCIAS}/Transporte{way}" for way in ("Maritimo", "Aereo", "Ferroviario"))
CARRO = f"{TREN}/Carro"
FIGURA = f"{HEAD}/FiguraTransporte/TiposFigura"
CONCEPTO = "Conceptos/Concepto"
UNKNOWN_RFC = "ZZZ010101AAA"
FOREIGN = "XEXX010101000"
FOREIGN_ID = "123456789"

Changes = Mapping[str, Change]


def with_changes(builder: CodeExampleBuilder, first: Changes) -> CodeExampleBuilder:
    """Return a builder that applies changes before those of the example, which may concern the same elements."""

    def build(changes: Changes | None = None) -> str:
        return builder({**deepcopy(dict(first)), **(changes or {})})

    return build


def sea(changes: Changes | None = None) -> str:
    """Return a traslado by sea."""
    return carta_porte(changes, shipment=by_sea())


def air(changes: Changes | None = None) -> str:
    """Return a traslado by air."""
    return carta_porte(changes, shipment=by_air())


def rail(changes: Changes | None = None) -> str:
    """Return a traslado by rail."""
    return carta_porte(changes, shipment=by_rail())


def egreso_with_complement(changes: Changes | None = None) -> str:
    """Return the complement in a document of type E."""
    return egreso({**carrying(shipment_with_own_times(), NAMESPACE, SCHEMA), **(changes or {})})


def in_cfdi33() -> str:
    """Return the complement in a document of version 3.3."""
    carried = carrying(shipment_with_own_times(), NAMESPACE, SCHEMA)
    return traslado33({**carried, "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA, CFDI33)})


def shipment_with_own_times() -> ExampleNode:
    """Return a shipment by road whose times do not depend on the document that contains it."""
    shipment = by_road()
    for row in shipment.named("Ubicaciones")[0].children:
        row.attributes["FechaHoraSalidaLlegada"] = FECHA
    return shipment


def with_divisas() -> str:
    """Return a document that also has a complement which Carta Porte does not allow."""
    namespace, schema = "http://www.sat.gob.mx/divisas", "http://www.sat.gob.mx/sitio_internet/cfd/divisas/divisas.xsd"
    return carta_porte(
        {
            "@xmlns:divisas": namespace,
            "@xsi:schemaLocation": f"{with_schema(NAMESPACE, SCHEMA)} {namespace} {schema}",
            "Complemento/Divisas": ExampleNode("divisas:Divisas", {"version": "1.0", "tipoOperacion": "compra"}),
        }
    )


def inside_concepto() -> str:
    """Return a document with the complement only inside a Concepto."""
    there = ExampleNode("cfdi:ComplementoConcepto", children=[shipment_with_own_times()])
    return carta_porte({"Complemento": None, f"{CONCEPTO}/ComplementoConcepto": there})


def freight_without_currency(changes: Changes | None = None) -> str:
    """Return a document of type I with Moneda XXX."""
    return flete({"@Moneda": "XXX", **(changes or {})}, price="200", decimals=0)


def customs_document(tipo: str, **attributes: str) -> ExampleNode:
    """Return DocumentacionAduanera of a type."""
    return element("DocumentacionAduanera", {"TipoDocumento": tipo, **attributes})


def regimes(key: str) -> ExampleNode:
    """Return RegimenesAduaneros with one regime."""
    return element("RegimenesAduaneros", {}, element("RegimenAduaneroCCP", {"RegimenAduanero": key}))


INTERNATIONAL = at(HEAD, TranspInternac="Sí", PaisOrigenDestino="USA", ViaEntradaSalida="01")
PEDIMENTO = customs_document("01", NumPedimento="25  48  3009  0001234", RFCImpo=KEMPER.rfc)
OTHER_DOCUMENT = customs_document("20", IdentDocAduanero="PAPEL1")
imports = with_changes(
    carta_porte,
    {
        **INTERNATIONAL,
        **at(HEAD, EntradaSalidaMerc="Entrada"),
        f"{HEAD}/RegimenesAduaneros": regimes("IMD"),
        **at(MERCANCIA, TipoMateria="01"),
        DOCUMENTO: PEDIMENTO,
    },
)
exports = with_changes(
    carta_porte,
    {
        **INTERNATIONAL,
        **at(HEAD, EntradaSalidaMerc="Salida"),
        f"{HEAD}/RegimenesAduaneros": regimes("EXD"),
        **at(MERCANCIA, TipoMateria="01"),
    },
)
dangerous = with_changes(
    carta_porte,
    {
        **at(MERCANCIA, BienesTransp="11121900", MaterialPeligroso="Sí", CveMaterialPeligroso="0004", Embalaje="1A1"),
        **at(SEGUROS, AseguraMedAmbiente="ASEGURADORA", PolizaMedAmbiente="POLIZA2"),
    },
)
_MEDICINE = {
    "DenominacionGenericaProd": "GENERICA",
    "DenominacionDistintivaProd": "DISTINTIVA",
    "Fabricante": "FABRICANTE",
    "FechaCaducidad": "2028-01-01",
    "LoteMedicamento": "LOTE1",
    "FormaFarmaceutica": "01",
    "CondicionesEspTransp": "01",
}
_CHEMICAL = {"NombreIngredienteActivo": "INGREDIENTE", "NomQuimico": "QUIMICO"}
_PESTICIDE = ("NumRegSanPlagCOFEPRIS", "DatosFabricante", "DatosFormulador", "DatosMaquilador", "UsoAutorizado")
medicine = with_changes(
    carta_porte, at(MERCANCIA, SectorCOFEPRIS="01", **_MEDICINE, RegistroSanitarioFolioAutorizacion="REGISTRO1")
)
precursor = with_changes(
    carta_porte,
    at(MERCANCIA, SectorCOFEPRIS="02", **_CHEMICAL, **dict(list(_MEDICINE.items())[2:])),
)
narcotic = with_changes(medicine, at(MERCANCIA, SectorCOFEPRIS="03"))
toxic = with_changes(carta_porte, at(MERCANCIA, SectorCOFEPRIS="04", NomQuimico="QUIMICO", NumCAS="CAS1"))
pesticide = with_changes(
    carta_porte,
    at(MERCANCIA, SectorCOFEPRIS="05", NombreIngredienteActivo="INGREDIENTE", **dict.fromkeys(_PESTICIDE, "DATO")),
)
QUANTITY = element("CantidadTransporta", {"Cantidad": "1", "IDOrigen": "OR000001", "IDDestino": "DE000002"})
with_quantities = with_changes(carta_porte, {CANTIDAD: QUANTITY})
THIRD_LOCATION = place("Destino", 3, ROBOTICA, distance="1.00")
THIRD_LOCATION.attributes["FechaHoraSalidaLlegada"] = FECHA
with_third_location = with_changes(
    with_quantities, {f"{UBICACION}[3]": THIRD_LOCATION, **at(HEAD, TotalDistRec="2.00")}
)
SEA_CONTAINER = element(
    "Contenedor", {"TipoContenedor": "CM001", "MatriculaContenedor": "MATRICULA12", "NumPrecinto": "PRECINTO1"}
)
FERRY_VEHICLE = element(
    "Contenedor",
    {
        "TipoContenedor": "CM011",
        "IdCCPRelacionado": "CCCBCD94-870A-4332-A52A-A52AA52AA52B",
        "PlacaVMCCP": "ABC1234",
        "FechaCertificacionCCP": "2026-11-16T12:00:00",
    },
)
TRAILER = element("RemolqueCCP", {"SubTipoRemCCP": "CTR001", "PlacaCCP": "ABC1235"})
with_sea_container = with_changes(sea, {f"{MARITIMO}/Contenedor": SEA_CONTAINER})
with_ferry_vehicle = with_changes(
    sea,
    {
        f"{MARITIMO}/Contenedor": FERRY_VEHICLE,
        f"{MARITIMO}/Contenedor/RemolquesCCP": element("RemolquesCCP", {}, TRAILER),
    },
)
RAIL_CONTAINER = element(
    "Contenedor", {"TipoContenedor": "TC01", "PesoContenedorVacio": "100", "PesoNetoMercancia": "10000"}
)
with_rail_container = with_changes(
    rail, {**at(TREN, TipoDeServicio="TS02"), **at(CARRO, TipoCarro="TC05"), f"{CARRO}/Contenedor": RAIL_CONTAINER}
)
OWNER = element(
    "TiposFigura",
    {"TipoFigura": "02", "RFCFigura": KEMPER.rfc, "NombreFigura": KEMPER.name},
    element("PartesTransporte", {"ParteTransporte": "PT02"}),
)
with_owner = with_changes(carta_porte, {f"{FIGURA}[2]": OWNER})
MEXICAN_ADDRESS = {
    "Colonia": "0115",
    "Localidad": "31",
    "Municipio": "015",
    "Estado": "GUA",
    "Pais": "MEX",
    "CodigoPostal": "36257",
}
FOREIGN_ADDRESS = {"Estado": "TX", "Pais": "USA", "CodigoPostal": "78701"}


def with_address(path: str, failing: Mapping[str, str | None], passing: Mapping[str, str] = MEXICAN_ADDRESS) -> Example:
    """Return an example of an address: consistent, and with changes that make it inconsistent."""
    return example(carta_porte, at(path, **{**passing, **failing}), at(path, **passing))
