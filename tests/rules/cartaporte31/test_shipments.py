"""Results that depend on means of transport, border, lists and catalogs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.reference_data import InMemoryCatalogs
from tests.support.rules import checked, codes, only, unknown

from timbra.cfdi.nodes.cartaporte31.mercancias import SANITARY
from timbra.examples import ROBOTICA
from timbra.examples.cartaporte31 import by_rail, by_road, by_sea, carta_porte, flete, mercancia, place
from timbra.examples.codes.cartaporte31 import (
    AUTO,
    CARRO,
    DOCUMENTO,
    FIGURA,
    FOREIGN,
    FOREIGN_ADDRESS,
    HEAD,
    MERCANCIA,
    MERCANCIAS,
    MEXICAN_ADDRESS,
    UBICACION,
    UNKNOWN_RFC,
    air,
    dangerous,
    exports,
    imports,
    medicine,
    rail,
    sea,
    with_rail_container,
)
from timbra.examples.codes.example import CodeExampleBuilder, at
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.profiles import VendorLeniency, profiles_of
from timbra.rules.engine.result import Finding
from timbra.rules.rulesets.cartaporte31 import RULE_SET
from timbra.rules.rulesets.cartaporte31.comprobante import TRANSPORT_SERVICES
from timbra.rules.rulesets.cartaporte31.sanitarios import REQUIRED

TEXTS = {"FechaCaducidad": "2028-01-01", "FormaFarmaceutica": "01", "CondicionesEspTransp": "01"}
"""Values of the sanitary attributes that are not free text."""
VEHICLE = f"{AUTO}/IdentificacionVehicular"


def by_sea_and_road() -> ExampleNode:
    """Return a shipment between two stations by sea and then by road to an address."""
    shipment = by_sea()
    last = place("Destino", 3, ROBOTICA, distance="1.00")
    last.attributes["NavegacionTrafico"] = "Cabotaje"
    last.attributes["FechaHoraSalidaLlegada"] = "2026-11-17T12:00:00"
    shipment.named("Ubicaciones")[0].children.append(last)
    shipment.named("Ubicaciones")[0].children[1].attributes["DistanciaRecorrida"] = "1.00"
    shipment.attributes["TotalDistRec"] = "2.00"
    cargo = shipment.named("Mercancias")[0]
    cargo.children.insert(1, by_road().named("Mercancias")[0].named("Autotransporte")[0])
    return shipment


def test_cp110_requires_the_product_of_intermodal_freight() -> None:
    product = at("Conceptos/Concepto", ClaveProdServ="78101900")
    assert codes(flete(product, shipment=by_sea_and_road())) == set()
    assert codes(flete(product)) == {"CP110"}


def test_cp136_and_cp140_forbid_station_data_for_the_road_part() -> None:
    assert codes(carta_porte(shipment=by_sea_and_road())) == set()
    third = f"{UBICACION}[3]"
    assert codes(carta_porte(at(third, TipoEstacion="99"), shipment=by_sea_and_road())) == {"CP140"}
    named = at(third, NumEstacion="EA0417", NombreEstacion="Loreto", TipoEstacion="03")
    assert codes(carta_porte(named, shipment=by_sea_and_road())) == {"CP136"}


@pytest.mark.parametrize("build", [sea, air, rail])
def test_cp136_and_cp137_require_stations_without_road(build: CodeExampleBuilder) -> None:
    assert codes(build(at(UBICACION, NumEstacion=None, NombreEstacion=None))) == {"CP136"}
    assert "CP137" in codes(build(at(UBICACION, NumEstacion=None)))
    assert codes(build(at(UBICACION, NombreEstacion=None))) == {"CP137"}


def test_cp137_compares_names_of_stations_as_the_schema_truncates_them() -> None:
    long = "UNA ESTACION  CON UN NOMBRE MAS LARGO QUE LO QUE CABE EN EL ATRIBUTO"
    catalogs = InMemoryCatalogs(version="long")
    catalogs.keys["cartaporte31:c_Estaciones"]["PM001"] = {"clave_transporte": "02", "descripcion": long}
    for name, rejected in ((" ".join(long.split())[:50].rstrip(), set()), (long[:20], {"CP137"})):
        changes = {**at(f"{UBICACION}[1]", NombreEstacion=name), **at(f"{UBICACION}[2]", NombreEstacion=name)}
        assert codes(sea(changes), catalogs=catalogs) == rejected


def test_cp140_forbids_the_type_of_a_foreign_station() -> None:
    there = at(UBICACION, NumEstacion="PM120", NombreEstacion="Houston")
    assert codes(sea({**there, **at(UBICACION, TipoEstacion=None)})) == set()
    assert codes(sea(there)) == {"CP140"}


def test_cp142_exempts_intermediate_rail_stations_from_the_address() -> None:
    assert codes(rail(at(f"{UBICACION}[2]", TipoEstacion="03"))) == {"CP142"}
    assert codes(rail(at(f"{UBICACION}[1]", TipoEstacion="02"))) == {"CP142"}


@pytest.mark.parametrize(
    ("kilograms", "tons", "accepted"), [("10000.4", "10", True), ("10000.5", "10.001", True), ("10001", "10", False)]
)
def test_cp191_rounds_tons_at_three_decimals(kilograms: str, tons: str, accepted: bool) -> None:
    changes = {
        **at(f"{CARRO}/Contenedor", PesoNetoMercancia=kilograms),
        **at(CARRO, ToneladasNetasCarro=tons),
        **at(MERCANCIAS, PesoNetoTotal=tons),
    }
    assert codes(with_rail_container(changes)) == (set() if accepted else {"CP191"})


def test_cp192_requires_containers_in_every_car() -> None:
    assert codes(with_rail_container({f"{CARRO}/Contenedor": None})) == {"CP192"}


@pytest.mark.parametrize(
    ("vehicle", "rejected"), [("C2", set()), ("VL", set()), ("T3S2", {"CP184"}), ("XX", {"CP999"})]
)
def test_cp184_depends_on_the_vehicle(vehicle: str, rejected: set[str]) -> None:
    assert codes(carta_porte(at(VEHICLE, ConfigVehicular=vehicle))) == rejected


@pytest.mark.parametrize(
    ("goods", "danger", "rejected"),
    [
        ("50211503", None, set()),
        ("50211503", "No", {"CP155"}),
        ("11121900", None, {"CP155"}),
        ("11121900", "No", set()),
        ("12131500", None, {"CP155"}),
        ("12131500", "No", {"CP155"}),
    ],
)
def test_cp155_follows_the_catalog_of_dangerous_goods(goods: str, danger: str | None, rejected: set[str]) -> None:
    assert codes(carta_porte(at(MERCANCIA, BienesTransp=goods, MaterialPeligroso=danger))) == rejected


def test_dangerous_goods_satisfy_every_rule() -> None:
    assert codes(dangerous(at(MERCANCIA, BienesTransp="12131500"))) == set()


def test_cp155_is_not_evaluated_without_its_column() -> None:
    catalogs = InMemoryCatalogs(version="plain")
    goods = catalogs.keys["cartaporte31:c_ClaveProdServCP"]
    catalogs.keys["cartaporte31:c_ClaveProdServCP"] = {key: {} for key in goods}
    text = carta_porte(at(MERCANCIA, BienesTransp="11121900"))
    assert codes(text, catalogs=catalogs) == set()
    assert "CP155" in unknown(text, catalogs=catalogs)


@given(st.sampled_from([None, *REQUIRED]), st.sets(st.sampled_from(sorted(SANITARY))))
def test_sector_requires_exactly_its_sanitary_data(sector: str | None, written: set[str]) -> None:
    attributes = {name: TEXTS.get(name, "DATO") for name in written}
    found = checked(carta_porte(at(MERCANCIA, SectorCOFEPRIS=sector, **attributes))).findings
    own = set(REQUIRED.get(sector or "", ()))
    assert any((finding.expected or "").startswith("que no exista") for finding in found) == bool(written - own)
    missing = [finding.code for finding in found if not (finding.expected or "").startswith("que no exista")]
    assert missing == ([f"CP{158 + int(sector)}"] if sector is not None and own - written else [])


def needless_names(finding: Finding) -> list[str]:
    """Return the attributes that a finding names: that of its path, and the others in parentheses."""
    others = (finding.expected or "").partition("(ni ")[2].partition(")")[0]
    return [finding.path.rpartition("@")[2], *filter(None, others.split(", "))]


@given(st.sampled_from([None, *REQUIRED]), st.sets(st.sampled_from(sorted(SANITARY)), min_size=1))
def test_needless_attribute_is_in_exactly_one_finding(sector: str | None, written: set[str]) -> None:
    attributes = {name: TEXTS.get(name, "DATO") for name in written}
    found = checked(carta_porte(at(MERCANCIA, SectorCOFEPRIS=sector, **attributes))).findings
    named = [
        name for finding in found if "que no exista" in (finding.expected or "") for name in needless_names(finding)
    ]
    assert sorted(named) == sorted(written - set(REQUIRED.get(sector or "", ())))


@pytest.mark.parametrize(
    ("sector", "written", "code"),
    [
        (None, REQUIRED["01"], "CP159"),
        (None, REQUIRED["02"], "CP160"),
        (None, REQUIRED["04"], "CP162"),
        (None, REQUIRED["05"], "CP163"),
        ("04", (*REQUIRED["04"], "Fabricante"), "CP159"),
    ],
)
def test_needless_data_of_one_sector_are_one_finding(sector: str | None, written: tuple[str, ...], code: str) -> None:
    attributes = {name: TEXTS.get(name, "DATO") for name in written}
    assert only(carta_porte(at(MERCANCIA, SectorCOFEPRIS=sector, **attributes))).code == code


def test_required_covers_every_sanitary_attribute() -> None:
    assert {name for names in REQUIRED.values() for name in names} == SANITARY
    assert all(
        set(one) & set(other) for one, other in combinations([REQUIRED["01"], REQUIRED["02"], REQUIRED["03"]], 2)
    )


@pytest.mark.parametrize(
    ("leniencies", "severity"),
    [((), "error"), ((VendorLeniency.CARTA_PORTE,), "warning"), ([*VendorLeniency], "warning")],
)
def test_needless_data_have_one_severity_for_stamping_and_validation(
    leniencies: Sequence[VendorLeniency], severity: str
) -> None:
    profiles = profiles_of(leniencies)
    for profile in (profiles.stamp, profiles.validate):
        needless = only(carta_porte(at(MERCANCIA, NumCAS="CAS1")), profile=profile)
        assert (needless.code, needless.severity) == ("CP162", severity)
        missing = only(medicine(at(MERCANCIA, Fabricante=None)), profile=profile)
        assert (missing.code, missing.severity, missing.path) == ("CP159", "error", f"{MERCANCIA}[1]/@Fabricante")


def test_every_needless_rule_has_a_severity_of_the_vendor() -> None:
    needless = [rule.code for rule in RULE_SET.rules if rule.code.endswith(":Needless")]
    assert {profiles_of([VendorLeniency.CARTA_PORTE]).stamp.severities.get(code) for code in needless} == {"warning"}
    assert len(needless) == 4


@pytest.mark.parametrize(
    ("sector", "permit", "folio", "importer"),
    [
        ("01", "P1", "F1", None),
        ("02", "P1", "F1", None),
        ("03", "P1", None, None),
        ("04", None, "F1", "X"),
        ("05", None, "F1", None),
    ],
)
def test_rules_require_import_documents_by_sector(
    sector: str, permit: str | None, folio: str | None, importer: str | None
) -> None:
    data = dict.fromkeys(REQUIRED[sector], "DATO") | {"SectorCOFEPRIS": sector}
    dated = {
        name: text for name, text in (("FechaCaducidad", "2028-01-01"), ("FormaFarmaceutica", "01")) if name in data
    }
    if "CondicionesEspTransp" in data:
        dated["CondicionesEspTransp"] = "01"
    base = at(MERCANCIA, **{**data, **dated})
    papers = {"PermisoImportacion": permit, "FolioImpoVUCEM": folio, "RazonSocialEmpImp": importer}
    expected = {code for code, text in zip(("CP164", "CP165", "CP166"), papers.values(), strict=True) if text}
    assert codes(imports({**base, **at(MERCANCIA, **papers)})) == set()
    assert codes(imports(base)) == expected
    assert codes(carta_porte({**base, **at(MERCANCIA, **papers)})) == expected


@pytest.mark.parametrize(("year", "accepted"), [("00", True), ("09", True), ("26", True), ("27", False)])
def test_cp174_rejects_pedimentos_of_a_later_year(year: str, accepted: bool) -> None:
    text = imports(at(DOCUMENTO, NumPedimento=f"{year}  48  3009  0001234"))
    assert codes(text) == (set() if accepted else {"CP174"})
    assert ("CP174" in unknown(text)) == (year in ("00", "09")), "c_NumPedimentoAduana has no row of the year"


def test_cp172_and_cp173_accept_other_documents_for_exports_only() -> None:
    assert codes(exports()) == set()
    assert codes(exports(at(DOCUMENTO, TipoDocumento="20", IdentDocAduanero="PAPEL1"))) == set()
    assert codes(exports(at(DOCUMENTO, TipoDocumento="01"))) == {"CP173"}
    assert codes(carta_porte(at(DOCUMENTO, TipoDocumento="20", IdentDocAduanero="PAPEL1"))) == {"CP172"}


def test_rules_on_registration_are_not_evaluated_without_the_list() -> None:
    listed = {"CP132", "CP195"}
    assert listed <= unknown(carta_porte(), taxpayers=None)
    assert {"CP108", *listed} <= unknown(flete(), taxpayers=None)
    assert "CP188" in unknown(air(), taxpayers=None)
    assert "CP176" in unknown(imports(), taxpayers=None)
    assert "CP132" not in codes(carta_porte(at(UBICACION, RFCRemitenteDestinatario=UNKNOWN_RFC)), taxpayers=None)


def test_cp195_has_the_hint_of_the_registry() -> None:
    finding = only(carta_porte(at(FIGURA, RFCFigura=UNKNOWN_RFC)), registry_hint="Se registra así.")
    assert (finding.code, finding.hint) == ("CP195", "Se registra así.")


def test_cp133_and_cp134_exempt_generic_senders() -> None:
    assert codes(carta_porte(at(UBICACION, RFCRemitenteDestinatario="XAXX010101000"))) == set()
    foreign = at(UBICACION, RFCRemitenteDestinatario=FOREIGN, NumRegIdTrib="123456789", ResidenciaFiscal="USA")
    assert codes(carta_porte(foreign)) == set()
    assert codes(carta_porte(at(UBICACION, NumRegIdTrib="123456789"))) == {"CP133", "CP134"}


@pytest.mark.parametrize(
    ("changes", "rejected"),
    [
        ({}, set()),
        ({"Estado": "ON"}, {"CP146"}),
        ({"Pais": "DEU", "Estado": "BAYERN", "CodigoPostal": "X"}, set()),
        ({"Colonia": "Centro", "Localidad": "Austin", "Municipio": "Travis"}, set()),
    ],
)
def test_cp146_checks_only_the_state_of_foreign_addresses(changes: dict[str, str], rejected: set[str]) -> None:
    assert codes(carta_porte(at(f"{UBICACION}/Domicilio", **{**FOREIGN_ADDRESS, **changes}))) == rejected
    assert codes(carta_porte(at(f"{FIGURA}/Domicilio", **{**FOREIGN_ADDRESS, **changes}))) == {
        code.replace("CP146", "CP203") for code in rejected
    }


def test_cp147_rejects_a_municipality_when_the_postal_code_has_none() -> None:
    where = {
        **MEXICAN_ADDRESS,
        "CodigoPostal": "42501",
        "Estado": "HID",
        "Municipio": "003",
        "Localidad": None,
        "Colonia": None,
    }
    finding = only(carta_porte(at(f"{UBICACION}/Domicilio", **where)))
    assert (finding.code, finding.hint) == ("CP147", "c_CodigoPostal no le asigna Municipio.")


def test_transport_services_equal_the_keys_of_the_matrix() -> None:
    assert {"78101500", "78101503", "78101804", "78101806", "78102205", "84121806"} <= TRANSPORT_SERVICES
    assert TRANSPORT_SERVICES.isdisjoint(
        {"78101504", "78101605", "78101707", "78101805", "78101906", "78102202", "84111506"}
    )


def test_cp126_and_cp149_have_no_tolerance() -> None:
    goods = [mercancia({"@PesoEnKg": "1.001"}), mercancia({"@PesoEnKg": "0.999"})]
    assert codes(carta_porte(shipment=by_road(goods))) == set()
    assert codes(carta_porte(at(MERCANCIAS, PesoBrutoTotal="2.001"), shipment=by_road(goods))) == {"CP149"}
    assert codes(carta_porte(at(HEAD, TotalDistRec="500.01"), shipment=by_rail())) == {"CP126"}


def test_cp115_is_the_only_finding_for_another_version() -> None:
    finding = only(carta_porte(at(HEAD, Version="2.0", TranspInternac="Sí")))
    assert (finding.code, finding.found, finding.path) == ("CP115", "2.0", f"{HEAD}/@Version")
