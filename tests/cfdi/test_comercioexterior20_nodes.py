"""Nodes of Comercio Exterior 2.0: paths, order and values."""

from __future__ import annotations

from tests.support.rules import nodes

from timbra.cfdi.nodes.comercioexterior20 import (
    ComercioExterior,
    ComercioExteriorDeConcepto,
    Destinatario,
    DomicilioDestinatario,
    DomicilioEmisor,
    DomicilioReceptor,
    EmisorExterior,
    Mercancia,
    Propietario,
    ReceptorExterior,
)
from timbra.examples import envio, exportacion
from timbra.examples.codes.comercioexterior20 import (
    DESTINATION,
    OWNER,
    TEXAS,
    destination,
    inside_concepto,
    two_complements,
)
from timbra.examples.comercio_exterior20 import mercancia
from timbra.examples.tree import ExampleNode

HEAD = "Complemento/ComercioExterior"
KINDS = (
    ComercioExterior,
    EmisorExterior,
    DomicilioEmisor,
    Propietario,
    ReceptorExterior,
    DomicilioReceptor,
    Destinatario,
    DomicilioDestinatario,
    Mercancia,
)


def everything() -> str:
    third = destination(TEXAS, "123456789")
    third.children.append(ExampleNode("cce20:Domicilio", dict(TEXAS)))
    owners = {
        f"{OWNER}[{place}]": ExampleNode("cce20:Propietario", {"NumRegIdTrib": "123456789", "ResidenciaFiscal": "USA"})
        for place in (1, 2)
    }
    return envio({**owners, DESTINATION: third}, goods=[mercancia(), mercancia()])


def test_walk_gives_paths_in_document_order() -> None:
    comprobante = nodes(everything())
    found = [node for kind in KINDS for node in comprobante.of(kind)]
    assert [node.path for node in sorted(found, key=lambda node: node.order)] == [
        HEAD,
        f"{HEAD}/Emisor",
        f"{HEAD}/Emisor/Domicilio",
        f"{HEAD}/Propietario[1]",
        f"{HEAD}/Propietario[2]",
        f"{HEAD}/Receptor",
        f"{HEAD}/Receptor/Domicilio",
        f"{HEAD}/Destinatario[1]",
        f"{HEAD}/Destinatario[1]/Domicilio[1]",
        f"{HEAD}/Destinatario[1]/Domicilio[2]",
        f"{HEAD}/Mercancias/Mercancia[1]",
        f"{HEAD}/Mercancias/Mercancia[2]",
    ]


def test_head_has_its_child_nodes() -> None:
    (head,) = nodes(everything()).of(ComercioExterior)
    assert head.emisor is not None
    assert head.receptor is not None
    assert head.receptor.domicilio is not None
    assert (len(head.propietarios), len(head.mercancias), head.TotalUSD) == (2, 2, "400.00")
    (third,) = head.destinatarios
    assert {place.NumRegIdTrib for place in third.domicilios} == {"123456789"}


def test_head_has_none_for_absent_nodes() -> None:
    (head,) = nodes(exportacion({f"{HEAD}/Emisor": None, f"{HEAD}/Receptor": None})).of(ComercioExterior)
    assert (head.emisor, head.receptor, head.propietarios, head.destinatarios) == (None, None, (), ())


def test_walk_gives_separate_paths_to_repeated_complements() -> None:
    goods = nodes(two_complements()).of(Mercancia)
    assert [each.path for each in goods] == [f"{HEAD}[{place}]/Mercancias/Mercancia[1]" for place in (1, 2)]


def test_walk_reads_only_the_place_of_a_complement_in_a_concepto() -> None:
    comprobante = nodes(inside_concepto())
    assert comprobante.of(ComercioExterior) == []
    (found,) = comprobante.of(ComercioExteriorDeConcepto)
    assert found.path == "Conceptos/Concepto[1]/ComplementoConcepto/ComercioExterior"


def test_mercancia_reads_absent_and_invalid_numbers_as_zero() -> None:
    (found,) = nodes(exportacion(goods=[mercancia({"@CantidadAduana": None, "@ValorUnitarioAduana": "x"})])).of(
        Mercancia
    )
    assert found.CantidadAduana is None
    assert [str(each) for each in (found.cantidad, found.valor_unitario, found.valor)] == ["0", "0", "200.00"]
