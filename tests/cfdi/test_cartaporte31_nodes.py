"""Nodes of Carta Porte 3.1: paths and order of the document for every means of transport."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from lxml import etree

from timbra.cfdi.nodes import ComplementNode, Comprobante, cartaporte31, walk
from timbra.cfdi.nodes.cartaporte31 import CartaPorte, CartaPorteDeConcepto, Mercancia, Mercancias, Ubicacion
from timbra.examples.cartaporte31 import by_air, by_rail, by_road, carta_porte, element, mercancia
from timbra.examples.codes.cartaporte31 import (
    FIGURA,
    MEXICAN_ADDRESS,
    imports,
    inside_concepto,
    with_ferry_vehicle,
    with_owner,
    with_quantities,
    with_rail_container,
)
from timbra.examples.codes.example import at

NAMESPACE = "{http://www.sat.gob.mx/CartaPorte31}"

PREFIXES = {"c": "http://www.sat.gob.mx/cfd/4", "p": NAMESPACE.strip("{}")}
BUILDERS = (with_quantities, with_rail_container, with_ferry_vehicle, imports, with_owner)


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def of_complement(comprobante: Comprobante) -> list[ComplementNode]:
    return [node for found in comprobante.by_kind.values() for node in found if isinstance(node, ComplementNode)]


def place_of(root: etree._Element, node: ComplementNode) -> etree._Element:
    first, *rest = node.path.split("/")
    found = root.xpath("/".join([f"c:{first}", *(f"p:{step}" for step in rest)]), namespaces=PREFIXES)
    (row_found,) = [row for row in found if isinstance(row, etree._Element)] if isinstance(found, list) else []
    return row_found


@pytest.mark.parametrize("build", BUILDERS)
def test_walk_gives_paths_and_order_of_the_document(build: Callable[[], str]) -> None:
    root = etree.fromstring(build().encode())
    found = sorted(of_complement(walk(root)), key=lambda node: node.order)
    elements = [place_of(root, node) for node in found]
    assert len(set(elements)) == len(found) > 5
    position = {row: place for place, row in enumerate(root.iter())}
    assert [position[row] for row in elements] == sorted(position[row] for row in elements)


def test_walk_reads_every_kind_of_node() -> None:
    texts = [build() for build in BUILDERS]
    texts.append(carta_porte(shipment=by_air()))
    texts.append(carta_porte(at(f"{FIGURA}/Domicilio", **MEXICAN_ADDRESS)))
    rights = element("DerechosDePaso", {"TipoDerechoDePaso": "CDP114", "KilometrajePagado": "1"})
    trailers = element("Remolques", {}, element("Remolque", {"SubTipoRem": "CTR004", "Placa": "ABC1235"}))
    mercancias = "Complemento/CartaPorte/Mercancias"
    texts.append(carta_porte({f"{mercancias}/TransporteFerroviario/DerechosDePaso": rights}, shipment=by_rail()))
    texts.append(carta_porte({f"{mercancias}/Autotransporte/Remolques": trailers}))
    detail = element("DetalleMercancia", {"UnidadPesoMerc": "Tu", "PesoBruto": "1", "PesoNeto": "1", "PesoTara": "1"})
    texts.append(carta_porte(shipment=by_road([mercancia({"DetalleMercancia": detail})])))
    classes = {value for value in vars(cartaporte31).values() if isinstance(value, type)}
    kinds = {kind for kind in classes if kind.__module__.startswith(cartaporte31.__name__)} - {CartaPorteDeConcepto}
    assert {type(node) for text in texts for node in of_complement(nodes(text))} == kinds


def test_walk_gives_separate_paths_to_repeated_complements() -> None:
    found = nodes(carta_porte({"Complemento/CartaPorte[2]": by_road()})).of(Ubicacion)
    assert [node.path for node in found[1:3]] == [
        "Complemento/CartaPorte[1]/Ubicaciones/Ubicacion[2]",
        "Complemento/CartaPorte[2]/Ubicaciones/Ubicacion[1]",
    ]


def test_walk_reads_only_the_head_of_another_version() -> None:
    comprobante = nodes(carta_porte({"Complemento/CartaPorte/@Version": "3.0"}))
    (carta,) = comprobante.of(CartaPorte)
    assert (carta.Version, carta.TranspInternac, carta.TotalDistRec, carta.mercancias) == ("3.0", "", None, None)
    assert of_complement(comprobante) == [carta]


def test_walk_reads_only_the_place_of_a_complement_in_a_concepto() -> None:
    comprobante = nodes(inside_concepto())
    (carta,) = of_complement(comprobante)
    assert isinstance(carta, CartaPorteDeConcepto)
    assert carta.path == "Conceptos/Concepto[1]/ComplementoConcepto/CartaPorte"


def test_nodes_have_amounts_as_decimals() -> None:
    (carta,) = nodes(carta_porte(shipment=by_road([mercancia({"@PesoEnKg": "1.5"}), mercancia()]))).of(CartaPorte)
    assert carta.mercancias is not None
    assert (carta.mercancias.bruto, carta.mercancias.cuantas, carta.total) == (Decimal("2.5"), Decimal(2), Decimal(1))
    assert [row.peso for row in carta.mercancias.filas] == [Decimal("1.5"), 1]


def test_mercancia_sanitarios_has_present_attributes() -> None:
    text = carta_porte(shipment=by_road([mercancia({"@NumCAS": "1", "@Fabricante": "", "@Dimensiones": "1/1/1cm"})]))
    assert nodes(text).of(Mercancia)[0].sanitarios.keys() == {"NumCAS", "Fabricante"}
    assert nodes(text).of(Mercancias)[0].path == "Complemento/CartaPorte/Mercancias"
