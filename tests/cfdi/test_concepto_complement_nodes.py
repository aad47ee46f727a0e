"""Nodes of complements inside a Concepto and of the small complements of the invoice: paths and order."""

from __future__ import annotations

import re

import pytest
from lxml import etree

from timbra.cfdi.nodes import ComplementNode, Comprobante, Concepto, walk
from timbra.cfdi.nodes.gceh10 import Level
from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.examples import (
    concepto,
    estado_de_cuenta,
    gasolina,
    gastos_hidrocarburos,
    ine,
    ingreso,
    ingresos_hidrocarburos,
)
from timbra.examples.codes.hidrocarburos10 import ACTIVITY, COSTS, levels, parts
from timbra.examples.codes.ine11 import campaign, local, state
from timbra.examples.hidroypetro10 import NAMESPACE, fuel, permit

SPACE = {"@xmlns:hidrocarburospetroliferos": NAMESPACE}


def several() -> str:
    """Return an invoice in which two of three Conceptos have the complement, the last one twice."""
    return ingreso(SPACE, concepts=[fuel(permit()), concepto(), fuel(permit(), permit())])


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def of_complement(comprobante: Comprobante) -> list[ComplementNode]:
    return [node for found in comprobante.by_kind.values() for node in found if isinstance(node, ComplementNode)]


def element_at(root: etree._Element, path: str) -> etree._Element:
    """Return the element of a path without prefixes."""
    steps = [re.fullmatch(r"(\w+)(\[\d+\])?", step) for step in path.split("/")]
    found = root.xpath("/".join(f"*[local-name()='{step[1]}']{step[2] or ''}" for step in steps if step))
    assert isinstance(found, list)
    (element,) = found
    assert isinstance(element, etree._Element)
    return element


WHOLE = {
    "INE": ine(campaign(local(), state("BCN", "Federal"))),
    "EstadoDeCuentaCombustible": estado_de_cuenta(),
    "IngresosHidrocarburos": ingresos_hidrocarburos(),
    "GastosHidrocarburos": gastos_hidrocarburos(
        {**levels(ACTIVITY, "01", "001", "0001"), **levels(COSTS, "C", "Y", "P")}
    ),
    "HidroYPetro": several(),
}


@pytest.mark.parametrize("name", WHOLE)
def test_walk_gives_paths_and_order_of_the_document(name: str) -> None:
    root = etree.fromstring(WHOLE[name].encode())
    found = sorted(of_complement(walk(root)), key=lambda node: node.order)
    elements = [element_at(root, node.path) for node in found]
    assert [etree.QName(element).localname for element in elements] == [type(node).__name__ for node in found]
    position = {element: place for place, element in enumerate(root.iter())}
    places = [position[element] for element in elements]
    assert places == sorted(places)
    assert name in {type(node).__name__ for node in found}


def test_path_has_the_concepto_of_the_complement() -> None:
    comprobante = nodes(several())
    assert [node.path for node in comprobante.of(HidroYPetro)] == [
        "Conceptos/Concepto[1]/ComplementoConcepto/HidroYPetro",
        "Conceptos/Concepto[3]/ComplementoConcepto/HidroYPetro[1]",
        "Conceptos/Concepto[3]/ComplementoConcepto/HidroYPetro[2]",
    ]
    assert [comprobante.concepto_of(node).index for node in comprobante.of(HidroYPetro)] == [1, 3, 3]
    assert [node.complement for node in comprobante.of(HidroYPetro)] == [(1, 0), (1, 1), (2, 2)]
    assert HidroYPetro.PATH == "Conceptos/Concepto/ComplementoConcepto/HidroYPetro"


def test_order_is_between_the_taxes_and_the_parts_of_the_concepto() -> None:
    comprobante = nodes(gasolina(parts()))
    (line,) = comprobante.conceptos
    (complement,) = comprobante.of(HidroYPetro)
    assert line.traslados[0].order < complement.order < line.partes[0].order
    assert line.order < complement.order < (*Concepto.RANKS, 2)


@pytest.mark.parametrize(
    "text",
    [
        gasolina({"Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@Version": "2.0"}),
        ingreso(
            {**SPACE, "Complemento/HidroYPetro": permit()},
        ),
    ],
)
def test_walk_makes_no_nodes_for_another_version_or_place(text: str) -> None:
    assert of_complement(nodes(text)) == []


def test_levels_have_presence_of_the_other_levels() -> None:
    comprobante = nodes(gastos_hidrocarburos(levels(COSTS, "C", None, "P")))
    found = [node for node in of_complement(comprobante) if isinstance(node, Level)]
    assert [node.others for node in found] == [
        {"Yacimiento": False, "Pozo": True},
        {"Campo": True, "Pozo": True},
        {"Campo": True, "Yacimiento": False},
    ]
