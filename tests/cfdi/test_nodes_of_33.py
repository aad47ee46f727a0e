"""CFDI 3.3 has the same nodes as 4.0."""

from __future__ import annotations

import pytest
from lxml import etree

from timbra.cfdi.nodes import CfdiRelacionados, Comprobante, InformacionAduaneraDeParte, Node, walk
from timbra.cfdi.nodes.pagos10 import Pagos
from timbra.examples import ExampleNode as Element
from timbra.examples import concepto, ingreso, ingreso33, tax
from timbra.examples.cfdi40 import EARLIER, relation
from timbra.examples.pagos10 import pago10

C = "http://www.sat.gob.mx/cfd/3"


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def whole() -> str:
    """Return an invoice with a relation, both kinds of taxes, and customs numbers of a Concepto and of a Parte."""
    parte = Element("cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "p"})
    parte.children = [Element("cfdi:InformacionAduanera", {"NumeroPedimento": "15  48  3009  0001234"})]
    line = concepto(
        {"Parte": parte, "InformacionAduanera/@NumeroPedimento": "15  48  3009  0001234"},
        traslados=[tax("200.00", "002", "0.160000")],
        retenciones=[tax("200.00", "001", "0.100000")],
    )
    return ingreso33({"CfdiRelacionados": relation("04", EARLIER)}, concepts=[concepto(), line])


def test_walk_reads_every_node() -> None:
    comprobante = nodes(whole())
    assert (comprobante.Version, comprobante.Exportacion, comprobante.informacion_global) == ("3.3", "", None)
    assert (comprobante.emisor.Rfc, comprobante.receptor.UsoCFDI) == ("EKU9003173C9", "G03")
    assert comprobante.receptor.RegimenFiscalReceptor == ""
    assert [len(line.traslados) for line in comprobante.conceptos] == [1, 1]
    assert [len(line.aduanas) for line in comprobante.conceptos] == [0, 1]
    assert comprobante.conceptos[1].partes[0].aduanas[0].NumeroPedimento.startswith("15")
    assert comprobante.impuestos is not None
    assert [row.Importe for row in comprobante.impuestos.traslados] == ["64.00"]
    assert [row.Importe for row in comprobante.impuestos.retenciones] == ["20.00"]
    assert [row.folios for row in comprobante.relacionados] == [(EARLIER,)]


def test_walk_gives_the_kinds_of_40() -> None:
    """Except the elements that version 3.3 does not have."""
    older, later = nodes(ingreso33(concepts=2)), nodes(ingreso(concepts=2))
    assert set(older.by_kind) == set(later.by_kind)
    assert [concepto.path for concepto in older.conceptos] == [concepto.path for concepto in later.conceptos]


@pytest.mark.parametrize("kind", [CfdiRelacionados, InformacionAduaneraDeParte])
def test_paths_are_xpath_to_the_element(kind: type[Node]) -> None:
    root = etree.fromstring(whole().encode())
    (node,) = walk(root).of(kind)
    found = root.xpath("/".join(f"c:{step}" for step in node.path.split("/")), namespaces={"c": C})
    assert isinstance(found, list)
    assert len(found) == 1


def test_walk_reads_complements() -> None:
    assert len(nodes(pago10()).of(Pagos)) == 1


def test_walk_rejects_another_root() -> None:
    with pytest.raises(KeyError):
        walk(etree.fromstring(whole().replace(C, "http://www.sat.gob.mx/cfd/2").encode()))
