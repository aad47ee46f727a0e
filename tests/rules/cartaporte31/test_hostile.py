"""Rules of Carta Porte return results for every shipment that the schema accepts; they never raise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.rules import checked, codes

from timbra.examples.cartaporte31 import by_road, carta_porte, element, mercancia
from timbra.examples.codes.cartaporte31 import (
    AEREO,
    AUTO,
    CANTIDAD,
    CARRO,
    DOCUMENTO,
    FIGURA,
    HEAD,
    MARITIMO,
    MERCANCIA,
    MERCANCIAS,
    MEXICAN_ADDRESS,
    REGIMEN,
    SEGUROS,
    TREN,
    UBICACION,
    Changes,
    air,
    imports,
    with_ferry_vehicle,
    with_quantities,
    with_rail_container,
)
from timbra.examples.codes.example import CodeExampleBuilder, at

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40)
KEY = st.sampled_from(
    ["Sí", "No", "Entrada", "Salida", "01", "02", "05", "MEX", "USA", "GUA", "PM120", "CM011", "T3S2"]
)
NUMBER = st.from_regex(r"[+-]?[0-9]{1,70}(\.[0-9]{0,70})?", fullmatch=True)

TEXTS = [
    *(f"{HEAD}/@{name}" for name in ("TranspInternac", "EntradaSalidaMerc", "PaisOrigenDestino", "ViaEntradaSalida")),
    *(f"{HEAD}/@{name}" for name in ("RegistroISTMO", "UbicacionPoloOrigen", "Version")),
    f"{REGIMEN}/@RegimenAduanero",
    *(f"{UBICACION}/@{name}" for name in ("TipoUbicacion", "IDUbicacion", "RFCRemitenteDestinatario", "NumRegIdTrib")),
    *(f"{UBICACION}/@{name}" for name in ("NumEstacion", "NombreEstacion", "TipoEstacion", "ResidenciaFiscal")),
    *(f"{UBICACION}/Domicilio/@{name}" for name in MEXICAN_ADDRESS),
    *(f"{MERCANCIA}/@{name}" for name in ("BienesTransp", "MaterialPeligroso", "CveMaterialPeligroso", "Embalaje")),
    *(f"{MERCANCIA}/@{name}" for name in ("SectorCOFEPRIS", "Fabricante", "TipoMateria", "Moneda", "FolioImpoVUCEM")),
    *(f"{DOCUMENTO}/@{name}" for name in ("TipoDocumento", "NumPedimento", "RFCImpo", "IdentDocAduanero")),
    f"{CANTIDAD}/@IDOrigen",
    f"{SEGUROS}/@AseguraMedAmbiente",
    f"{AUTO}/IdentificacionVehicular/@ConfigVehicular",
    f"{FIGURA}/@TipoFigura",
    f"{FIGURA}/@RFCFigura",
    f"{FIGURA}/Domicilio/@Pais",
]
NUMBERS = [
    f"{HEAD}/@TotalDistRec",
    f"{UBICACION}[2]/@DistanciaRecorrida",
    f"{MERCANCIAS}/@PesoBrutoTotal",
    f"{MERCANCIAS}/@PesoNetoTotal",
    f"{MERCANCIAS}/@NumTotalMercancias",
    f"{MERCANCIA}/@PesoEnKg",
]
BY_BUILDER = {
    with_ferry_vehicle: [f"{MARITIMO}/@NacionalidadEmbarc", f"{MARITIMO}/Contenedor/@TipoContenedor"],
    with_rail_container: [
        f"{TREN}/@TipoDeServicio",
        f"{CARRO}/@ToneladasNetasCarro",
        f"{CARRO}/Contenedor/@PesoNetoMercancia",
    ],
    air: [f"{AEREO}/@RFCEmbarcador", f"{AEREO}/@NumRegIdTribEmbarc", f"{AEREO}/@ResidenciaFiscalEmbarc"],
}
CHANGES = st.dictionaries(st.sampled_from(TEXTS), TEXT | KEY, max_size=6)
AMOUNTS = st.dictionaries(st.sampled_from(NUMBERS), NUMBER, max_size=4)


def assert_findings_are_complete(text: str) -> None:
    for finding in checked(text).findings:
        assert finding.detail
        assert finding.path


@given(st.sampled_from([with_quantities, imports]), CHANGES, AMOUNTS)
def test_rules_return_findings_for_any_shipment(
    build: CodeExampleBuilder, texts: dict[str, str], amounts: dict[str, str]
) -> None:
    assert_findings_are_complete(build({**texts, **amounts}))


@given(st.sampled_from(sorted(BY_BUILDER, key=str)), st.data())
def test_rules_return_findings_for_any_means_of_transport(build: CodeExampleBuilder, data: st.DataObject) -> None:
    changes = st.dictionaries(st.sampled_from([*BY_BUILDER[build], *TEXTS[:20]]), TEXT | KEY | NUMBER, max_size=5)
    assert_findings_are_complete(build(data.draw(changes)))


def test_rules_return_findings_without_required_nodes() -> None:
    """The schema rejects such documents."""
    for path in ("Ubicaciones", "Mercancias", "FiguraTransporte"):
        changes: Changes = {f"{HEAD}/{path}": None}
        assert_findings_are_complete(carta_porte(changes))
    assert_findings_are_complete(
        carta_porte(at("Complemento", x="1") | {f"{HEAD}/Ubicaciones": element("Ubicaciones", {})})
    )


def test_rules_evaluate_a_thousand_goods() -> None:
    part = element("CantidadTransporta", {"Cantidad": "1", "IDOrigen": "OR000001", "IDDestino": "DE000002"})
    goods = [mercancia({"CantidadTransporta": part}) for _ in range(1000)]
    assert codes(carta_porte(shipment=by_road(goods))) == set()
