"""Shipments that examples of Carta Porte 3.1 change: by which way, across the border, with which goods."""

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
from timbra.examples.codes.example import CodeExampleBuilder, Example, at, differ
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
UNKNOWN = "ZZZ010101AAA"
FOREIGN = "XEXX010101000"
FOREIGN_ID = "123456789"

Changes = Mapping[str, Change]


def with_changes(builder: CodeExampleBuilder, first: Changes) -> CodeExampleBuilder:
    """The builder, with changes before those of the example, which may go into the elements of the first."""

    def build(changes: Changes | None = None) -> str:
        return builder({**deepcopy(dict(first)), **(changes or {})})

    return build


def sea(changes: Changes | None = None) -> str:
    return carta_porte(changes, shipment=by_sea())


def air(changes: Changes | None = None) -> str:
    return carta_porte(changes, shipment=by_air())


def rail(changes: Changes | None = None) -> str:
    return carta_porte(changes, shipment=by_rail())


def credit(changes: Changes | None = None) -> str:
    """An invoice that no goods are moved with."""
    return egreso({**carrying(by_road_at_noon(), NAMESPACE, SCHEMA), **(changes or {})})


def earlier() -> str:
    """The complement in an invoice of version 3.3."""
    carried = carrying(by_road_at_noon(), NAMESPACE, SCHEMA)
    return traslado33({**carried, "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA, CFDI33)})


def by_road_at_noon() -> ExampleNode:
    """A shipment that tells its own times."""
    shipment = by_road()
    for row in shipment.named("Ubicaciones")[0].children:
        row.attributes["FechaHoraSalidaLlegada"] = FECHA
    return shipment


def beside_currencies() -> str:
    """The complement beside one that it does not go with."""
    namespace, schema = "http://www.sat.gob.mx/divisas", "http://www.sat.gob.mx/sitio_internet/cfd/divisas/divisas.xsd"
    return carta_porte(
        {
            "@xmlns:divisas": namespace,
            "@xsi:schemaLocation": f"{with_schema(NAMESPACE, SCHEMA)} {namespace} {schema}",
            "Complemento/Divisas": ExampleNode("divisas:Divisas", {"version": "1.0", "tipoOperacion": "compra"}),
        }
    )


def misplaced() -> str:
    """The complement in a Concepto."""
    there = ExampleNode("cfdi:ComplementoConcepto", children=[by_road_at_noon()])
    return carta_porte({"Complemento": None, f"{CONCEPTO}/ComplementoConcepto": there})


def foreign_money(changes: Changes | None = None) -> str:
    """Freight that is charged in no currency."""
    return flete({"@Moneda": "XXX", **(changes or {})}, price="200", decimals=0)


def regimes(key: str) -> ExampleNode:
    return element("RegimenesAduaneros", {}, element("RegimenAduaneroCCP", {"RegimenAduanero": key}))


ABROAD = at(HEAD, TranspInternac="Sí", PaisOrigenDestino="USA", ViaEntradaSalida="01")
DECLARED = element(
    "DocumentacionAduanera",
    {"TipoDocumento": "01", "NumPedimento": "25  48  3009  0001234", "RFCImpo": KEMPER.rfc},
)
OTHER_PAPER = element("DocumentacionAduanera", {"TipoDocumento": "20", "IdentDocAduanero": "PAPEL1"})
imports = with_changes(
    carta_porte,
    {
        **ABROAD,
        **at(HEAD, EntradaSalidaMerc="Entrada"),
        f"{HEAD}/RegimenesAduaneros": regimes("IMD"),
        **at(MERCANCIA, TipoMateria="01"),
        DOCUMENTO: DECLARED,
    },
)
exports = with_changes(
    carta_porte,
    {
        **ABROAD,
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
PART = element("CantidadTransporta", {"Cantidad": "1", "IDOrigen": "OR000001", "IDDestino": "DE000002"})
divided = with_changes(carta_porte, {CANTIDAD: PART})
THIRD = place("Destino", 3, ROBOTICA, distance="1.00")
THIRD.attributes["FechaHoraSalidaLlegada"] = FECHA
with_third = with_changes(divided, {f"{UBICACION}[3]": THIRD, **at(HEAD, TotalDistRec="2.00")})
DETAIL = element("DetalleMercancia", {"UnidadPesoMerc": "Tu", "PesoBruto": "1", "PesoNeto": "1", "PesoTara": "1"})
BOX = element(
    "Contenedor", {"TipoContenedor": "CM001", "MatriculaContenedor": "MATRICULA12", "NumPrecinto": "PRECINTO1"}
)
FERRY = element(
    "Contenedor",
    {
        "TipoContenedor": "CM011",
        "IdCCPRelacionado": "CCCBCD94-870A-4332-A52A-A52AA52AA52B",
        "PlacaVMCCP": "ABC1234",
        "FechaCertificacionCCP": "2026-11-16T12:00:00",
    },
)
TRAILER = element("RemolqueCCP", {"SubTipoRemCCP": "CTR001", "PlacaCCP": "ABC1235"})
boxed = with_changes(sea, {f"{MARITIMO}/Contenedor": BOX})
ferried = with_changes(
    sea, {f"{MARITIMO}/Contenedor": FERRY, f"{MARITIMO}/Contenedor/RemolquesCCP": element("RemolquesCCP", {}, TRAILER)}
)
CARGO = element("Contenedor", {"TipoContenedor": "TC01", "PesoContenedorVacio": "100", "PesoNetoMercancia": "10000"})
contained = with_changes(
    rail, {**at(TREN, TipoDeServicio="TS02"), **at(CARRO, TipoCarro="TC05"), f"{CARRO}/Contenedor": CARGO}
)
OWNER = element(
    "TiposFigura",
    {"TipoFigura": "02", "RFCFigura": KEMPER.rfc, "NombreFigura": KEMPER.name},
    element("PartesTransporte", {"ParteTransporte": "PT02"}),
)
owned = with_changes(carta_porte, {f"{FIGURA}[2]": OWNER})
HERE = {
    "Colonia": "0115",
    "Localidad": "31",
    "Municipio": "015",
    "Estado": "GUA",
    "Pais": "MEX",
    "CodigoPostal": "36257",
}
THERE = {"Estado": "TX", "Pais": "USA", "CodigoPostal": "78701"}


def addressed(path: str, failing: Mapping[str, str | None], passing: Mapping[str, str] = HERE) -> Example:
    """An address that belongs together, and one with something that does not."""
    return differ(carta_porte, at(path, **{**passing, **failing}), at(path, **passing))


def keyed(builder: CodeExampleBuilder, path: str, key: str, **beside: str | None) -> Example:
    """A key of an attribute that its catalog does not have."""
    node, _, name = path.rpartition("/@")
    return differ(builder, at(node, **{**beside, name: key}), at(node, **beside))
