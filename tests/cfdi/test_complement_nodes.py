"""Nodes of supported complements: paths and order of the document."""

from __future__ import annotations

import pytest
from lxml import etree

from timbra.cfdi.nodes import ComplementNode, Comprobante, walk
from timbra.cfdi.nodes.pagos20 import (
    DoctoRelacionado,
    Pago,
    Pagos,
    RetencionDR,
    RetencionP,
    Totales,
    TrasladoDR,
    TrasladoP,
)
from timbra.examples import ExampleNode, ingreso, pago, tax
from timbra.examples.pagos20 import complement, document, payment

PREFIXES = {"c": "http://www.sat.gob.mx/cfd/4", "p": "http://www.sat.gob.mx/Pagos20"}
KINDS = (Pagos, Totales, Pago, DoctoRelacionado, RetencionDR, TrasladoDR, RetencionP, TrasladoP)


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def taxed() -> ExampleNode:
    return document(traslados=[tax("200.00", "002", "0.160000")] * 2, retenciones=[tax("200.00", "001", "0.100000")])


def whole(*, copies: int = 1) -> str:
    more = {
        f"Complemento/Pagos[{place}]": complement([payment([taxed(), taxed()]), payment([taxed()])])
        for place in range(2, copies + 1)
    }
    return pago(more, payments=[payment([taxed(), taxed()]), payment([taxed()])])


def of_complement(comprobante: Comprobante) -> list[ComplementNode]:
    return [node for found in comprobante.by_kind.values() for node in found if isinstance(node, ComplementNode)]


def xpath(path: str) -> str:
    """Return the path with the prefix of the complement below Complemento."""
    first, *rest = path.split("/")
    return "/".join([f"c:{first}", *(f"p:{step}" for step in rest)])


@pytest.mark.parametrize("copies", [1, 2])
def test_paths_are_xpath_to_the_element(copies: int) -> None:
    root = etree.fromstring(whole(copies=copies).encode())
    comprobante = walk(root)
    found = of_complement(comprobante)
    assert {type(node) for node in found} == set(KINDS)
    elements = [root.xpath(xpath(node.path), namespaces=PREFIXES) for node in found]
    assert all(isinstance(each, list) and len(each) == 1 for each in elements)
    tags = [str(each[0].tag).partition("}")[2] for each in elements if isinstance(each, list)]  # type: ignore[union-attr]
    assert tags == [type(node).__name__ for node in found]
    assert len({node.path for node in found}) == len(found) == copies * (1 + 1 + 2 + 3 + 3 * 3 + 2 * 2)


def test_paths_have_an_index_where_elements_repeat() -> None:
    found = nodes(whole()).of(DoctoRelacionado)
    assert found[2].path == "Complemento/Pagos/Pago[2]/DoctoRelacionado[1]"
    again = nodes(whole(copies=2)).of(DoctoRelacionado)
    assert again[5].path == "Complemento/Pagos[2]/Pago[2]/DoctoRelacionado[1]"
    assert DoctoRelacionado.PATH == "Complemento/Pagos/Pago/DoctoRelacionado"


def test_order_is_that_of_the_document() -> None:
    root = etree.fromstring(whole(copies=2).encode())
    comprobante = walk(root)
    paths = [node.path for node in sorted(of_complement(comprobante), key=lambda node: node.order)]
    position = {element: place for place, element in enumerate(root.iter())}
    places = [position[root.xpath(xpath(path), namespaces=PREFIXES)[0]] for path in paths]  # type: ignore[index]
    assert places == sorted(places)
    last_of_invoice = max(comprobante.conceptos[0].order, comprobante.receptor.order)
    assert all(node.order > last_of_invoice for node in of_complement(comprobante))


def test_walk_makes_no_complement_nodes_without_complements() -> None:
    assert of_complement(nodes(ingreso())) == []


@pytest.mark.parametrize(
    "other",
    [
        ExampleNode("pago20:Pagos", {"Version": "1.0"}),
        ExampleNode("x:Pagos", {"Version": "2.0", "xmlns:x": "http://www.sat.gob.mx/Pagos"}),
        ExampleNode("pago20:Otro", {"Version": "2.0"}),
    ],
)
def test_walk_makes_no_nodes_for_another_version_or_name(other: ExampleNode) -> None:
    comprobante = nodes(pago({"Complemento": ExampleNode("cfdi:Complemento", children=[other])}))
    assert of_complement(comprobante) == []
    assert len(comprobante.complementos) == 1


def test_path_ignores_complements_of_other_names() -> None:
    stamp = ExampleNode("t:Timbre", {"xmlns:t": "urn:t"})
    comprobante = nodes(pago({"Complemento/Timbre": stamp}))
    assert [node.path for node in comprobante.of(Pago)] == ["Complemento/Pagos/Pago[1]"]


def test_absent_rates_are_one_and_absent_amounts_zero() -> None:
    changes = {
        "Complemento/Pagos/Pago/@TipoCambioP": None,
        "Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR": None,
    }
    comprobante = nodes(pago(changes))
    assert comprobante.of(Pago)[0].tipo_cambio == 1
    (paid,) = comprobante.of(DoctoRelacionado)
    assert paid.EquivalenciaDR is None
    assert paid.equivalencia == 1
    assert not paid.has_impuestos


def test_walk_ignores_comments_and_processing_instructions() -> None:
    comprobante = nodes(whole().replace("><pago20:", "><!--c--><?p i?><pago20:"))
    assert [node.index for node in comprobante.of(TrasladoDR)] == [1, 2] * 3
