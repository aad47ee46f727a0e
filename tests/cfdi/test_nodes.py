import gc
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from timbra.cfdi.nodes import (
    CfdiRelacionados,
    Comprobante,
    Concepto,
    InformacionAduaneraDeParte,
    Parte,
    Retencion,
    Traslado,
    walk,
)
from timbra.cfdi.nodes.base import number
from timbra.examples import ExampleNode, concepto, egreso, global_invoice, ingreso, pago, tax


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def test_comprobante_has_texts_and_amounts() -> None:
    comprobante = nodes(ingreso({"@TipoCambio": "1", "@Serie": "A"}))
    assert (comprobante.Moneda, comprobante.TipoCambio, comprobante.Serie, comprobante.Folio) == ("MXN", "1", "A", None)
    assert (comprobante.SubTotal, comprobante.subtotal, comprobante.total) == ("200.00", Decimal(200), Decimal(232))
    assert (comprobante.emisor.Rfc, comprobante.receptor.UsoCFDI) == ("EKU9003173C9", "G03")
    assert not comprobante.receptor.is_generic
    assert comprobante.informacion_global is None


def test_conceptos_have_their_taxes_and_the_comprobante_all_of_them() -> None:
    both = concepto(traslados=[tax("200.00", "002", "0.160000")], retenciones=[tax("200.00", "001", "0.100000")])
    comprobante = nodes(ingreso(concepts=[concepto(), both, concepto(traslados=[])]))
    assert [len(c.traslados) for c in comprobante.conceptos] == [1, 1, 0]
    assert [c.has_impuestos for c in comprobante.conceptos] == [True, True, False]
    assert [comprobante.concepto_of(t).index for t in comprobante.traslados] == [1, 2]
    assert comprobante.retenciones[0].row == ("001", "Tasa", "0.100000")
    assert comprobante.of(Retencion) == list(comprobante.retenciones)
    assert comprobante.impuestos is not None
    assert comprobante.impuestos.retenidos == Decimal(20)


def test_paths_are_xpath_to_the_element() -> None:
    parte = ExampleNode("cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "p"})
    parte.children = [ExampleNode("cfdi:InformacionAduanera", {"NumeroPedimento": "15  48  3009  0001234"})]
    line = concepto({"Parte": parte})
    text = egreso({"CfdiRelacionados[2]/@TipoRelacion": "04"}, concepts=[concepto(), line])
    root = etree.fromstring(text.encode())
    comprobante = walk(root)
    for kind in (CfdiRelacionados, Concepto, Traslado, Parte, InformacionAduaneraDeParte):
        for node in comprobante.of(kind):
            steps = "/".join(f"c:{step}" for step in node.path.split("/"))
            found = root.xpath(steps, namespaces={"c": "http://www.sat.gob.mx/cfd/4"})
            assert isinstance(found, list)
            assert len(found) == 1
            assert node.path.replace("[2]", "").replace("[1]", "") == kind.PATH
    aduana = comprobante.of(InformacionAduaneraDeParte)[0]
    assert aduana.path == "Conceptos/Concepto[2]/Parte[1]/InformacionAduanera[1]"
    assert comprobante.of(CfdiRelacionados)[1].path == "CfdiRelacionados[2]"


def test_order_is_document_order_with_parents_first() -> None:
    comprobante = nodes(global_invoice(concepts=3))
    found = [comprobante, *(node for kind in comprobante.by_kind.values() for node in kind)]
    paths = [node.path for node in sorted(found, key=lambda node: node.order)]
    assert paths[:5] == ["", "InformacionGlobal", "Emisor", "Receptor", "Conceptos/Concepto[1]"]
    assert paths[5] == "Conceptos/Concepto[1]/Impuestos/Traslados/Traslado[1]"
    assert paths[-2:] == ["Impuestos", "Impuestos/Traslados/Traslado[1]"]


def test_walk_ignores_elements_inside_complements() -> None:
    inner = ExampleNode(
        "cfdi:ComplementoConcepto", children=[ExampleNode("cfdi:Concepto"), ExampleNode("cfdi:Traslado")]
    )
    comprobante = nodes(ingreso(concepts=[concepto({"ComplementoConcepto": inner})]))
    assert (len(comprobante.conceptos), len(comprobante.traslados)) == (1, 1)
    assert [child.tag for child in comprobante.conceptos[0].complementos] == [
        "{http://www.sat.gob.mx/cfd/4}Concepto",
        "{http://www.sat.gob.mx/cfd/4}Traslado",
    ]


def test_complement_finds_by_qualified_name() -> None:
    comprobante = nodes(pago())
    assert comprobante.complement("{http://www.sat.gob.mx/Pagos20}Pagos") is not None
    assert comprobante.complement("{http://www.sat.gob.mx/Pagos}Pagos") is None


def test_walk_ignores_comments_and_processing_instructions() -> None:
    text = ingreso(concepts=2).replace("><cfdi:", "><!--c--><?p i?><cfdi:")
    comprobante = nodes(text)
    assert [c.index for c in comprobante.conceptos] == [1, 2]
    assert [t.index for t in comprobante.traslados] == [1, 1]


def test_comprobante_is_freed_without_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        comprobante = nodes(egreso(concepts=[concepto(retenciones=[tax("200.00", "001", "0.100000")])]))
        receptor, line, withheld = comprobante.receptor, comprobante.conceptos[0], comprobante.retenciones[0]
        del comprobante
        alone = object()
        own = sys.getrefcount(alone)
        assert (sys.getrefcount(receptor), sys.getrefcount(line)) == (own, own)
        del line
        assert sys.getrefcount(withheld) == own
    finally:
        gc.enable()


@pytest.mark.parametrize("text", ["", "x", "1e5x", "9" * 61, "NaN", "sNaN", "-Infinity", "1E+400", "9e99", None])
def test_number_is_zero_for_text_that_is_no_amount(text: str | None) -> None:
    assert number(text) == 0


@given(st.decimals(min_value=0, max_value=10**18, places=6))
def test_number_reads_amounts_exactly(value: Decimal) -> None:
    assert number(format(value, "f")) == value
