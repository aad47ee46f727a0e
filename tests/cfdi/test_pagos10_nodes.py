"""Nodes of Recepción de Pagos 1.0: every element with its path, in document order."""

from __future__ import annotations

from decimal import Decimal

from lxml import etree

from timbra.cfdi.nodes import ComplementNode, walk
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Impuestos, Pago, Pagos
from timbra.examples import ExampleNode, pago10
from timbra.examples.pagos10 import complement, document, payment

PREFIXES = {"c": "http://www.sat.gob.mx/cfd/3", "p": "http://www.sat.gob.mx/Pagos"}


def whole() -> str:
    """Return an invoice with two complements: two payments with documents and taxes, and one payment."""
    payments = [payment([document(), document()]) for _ in range(2)]
    for node in payments:
        node.children += [ExampleNode("pago10:Impuestos"), ExampleNode("pago10:Impuestos")]
    return pago10({"Complemento/Pagos[2]": complement([payment([document()])])}, payments=payments)


def test_walk_gives_paths_in_document_order() -> None:
    root = etree.fromstring(whole().encode())
    nodes = [node for found in walk(root).by_kind.values() for node in found if isinstance(node, ComplementNode)]
    nodes.sort(key=lambda node: node.order)
    steps = [node.path.split("/") for node in nodes]
    paths = ["/".join([f"c:{first}", *(f"p:{step}" for step in rest)]) for first, *rest in steps]
    found = [root.xpath(path, namespaces=PREFIXES) for path in paths]
    expected = [element for element in root.iter() if str(element.tag).startswith("{http://www.sat.gob.mx/Pagos}")]
    assert [each for elements in found for each in elements] == expected  # type: ignore[union-attr]
    assert {type(node) for node in nodes} == {Pagos, Pago, DoctoRelacionado, Impuestos}


def test_absent_rates_are_one_and_absent_amounts_zero() -> None:
    bare = document(changes={f"@{name}": None for name in ("ImpSaldoAnt", "ImpPagado", "ImpSaldoInsoluto")})
    comprobante = walk(etree.fromstring(pago10(payments=[payment([bare], amount="1.00")]).encode()))
    (pago,) = comprobante.of(Pago)
    (paid,) = comprobante.of(DoctoRelacionado)
    assert (pago.tipo_cambio, paid.tipo_cambio) == (Decimal(1), Decimal(1))
    assert (paid.saldo_anterior, paid.pagado, paid.saldo_insoluto) == (Decimal(0),) * 3
    assert pago.documentos == (paid,)


def test_walk_makes_no_nodes_for_another_version() -> None:
    comprobante = walk(etree.fromstring(pago10({"Complemento/Pagos/@Version": "2.0"}).encode()))
    assert comprobante.of(Pago) == []
    assert len(comprobante.complementos) == 1
