"""Nodes of Nómina 1.2: every element, with its path, in document order."""

from __future__ import annotations

from typing import cast

import pytest
from lxml import etree

from timbra.cfdi.nodes import ComplementNode, Comprobante, nomina12, walk
from timbra.examples import ExampleNode, nomina
from timbra.examples.nomina12 import (
    balance,
    dated,
    deduction,
    earned,
    employed,
    incapacity,
    other,
    overtime,
    payroll,
    shares,
    subsidy,
)

KINDS = {
    kind for kind in vars(nomina12).values() if isinstance(kind, type) and kind.__module__ == nomina12.__name__
} - {nomina12.NominaDeConcepto}  # fmt: skip


def whole() -> ExampleNode:
    """Return a payroll with every element of the standard."""
    rows = [
        earned("001"),
        earned("019", "200.00", "0.00", overtime(), overtime()),
        earned("022"),
        earned("039"),
        earned("045", "200.00", "0.00", shares()),
    ]
    changes = {
        "Emisor/EntidadSNCF/@OrigenRecurso": "IP",
        "Receptor/SubContratacion/@RfcLabora": "URE180429TM6",
        "Receptor/SubContratacion[2]/@RfcLabora": "URE180429TM6",
    }
    return employed(
        rows,
        changes,
        withheld=[deduction("002", "10.00"), deduction("004", "5.00")],
        others=[other("002", "0.00", subsidy("0.00")), other("004", "5.00", balance("2025"))],
        incapacities=[incapacity("200.00"), incapacity("100.00")],
    )


def complement_nodes(comprobante: Comprobante) -> list[ComplementNode]:
    return [node for found in comprobante.by_kind.values() for node in found if isinstance(node, ComplementNode)]


def element_at(root: etree._Element, path: str) -> etree._Element:
    steps = [step.partition("[") for step in path.split("/")]
    found = root.xpath("/".join(f"*[local-name()='{name}']{mark}{place}" for name, mark, place in steps))
    (element,) = cast("list[etree._Element]", found)
    return element


@pytest.mark.parametrize("copies", [1, 2])
def test_walk_reads_every_element_with_its_path(copies: int) -> None:
    root = etree.fromstring(nomina(payrolls=[whole() for _ in range(copies)]).encode())
    found = sorted(complement_nodes(walk(root)), key=lambda node: node.order)
    assert {type(node) for node in found} == KINDS
    elements = [element_at(root, node.path) for node in found]
    written = list(root.iter(f"{nomina12.NAMESPACE}*"))
    containers = {f"{nomina12.NAMESPACE}OtrosPagos", f"{nomina12.NAMESPACE}Incapacidades"}
    assert elements == [element for element in written if element.tag not in containers]


def test_nodes_have_all_attributes() -> None:
    for node in complement_nodes(walk(etree.fromstring(nomina(payrolls=[whole()]).encode()))):
        names: tuple[str, ...] = type(node).__slots__
        assert all(hasattr(node, name) for name in names)


def test_nomina_has_its_child_nodes() -> None:
    (head,) = walk(etree.fromstring(nomina(payrolls=[whole()]).encode())).of(nomina12.Nomina)
    assert head.percepciones is not None
    assert [len(row.horas_extra) for row in head.percepciones.filas] == [0, 2, 0, 0, 0]
    assert head.percepciones.filas[4].acciones is not None
    assert head.emisor is not None
    assert head.emisor.entidad is not None
    assert len(head.receptor.subcontrataciones) == 2
    assert [row.subsidio is not None for row in head.otros_pagos] == [True, False]
    assert (head.has_otros_pagos, head.has_incapacidades, len(head.incapacidades)) == (True, True, 2)


def test_nomina_has_none_or_empty_for_absent_nodes() -> None:
    (head,) = walk(etree.fromstring(nomina().encode())).of(nomina12.Nomina)
    assert (head.emisor, head.deducciones, head.otros_pagos, head.incapacidades) == (None, None, (), ())
    assert head.TotalDeducciones is None
    assert head.total_deducciones == 0
    assert not head.has_otros_pagos
    assert not head.has_incapacidades


def test_walk_reads_only_the_place_of_a_payroll_in_a_concepto() -> None:
    there = ExampleNode(
        "cfdi:ComplementoConcepto", children=[dated(payroll(), "2026-11-17"), dated(payroll(), "2026-11-17")]
    )
    comprobante = walk(etree.fromstring(nomina({"Conceptos/Concepto/ComplementoConcepto": there}).encode()))
    assert [node.path for node in comprobante.of(nomina12.NominaDeConcepto)] == [
        f"Conceptos/Concepto[1]/ComplementoConcepto/Nomina[{place}]" for place in (1, 2)
    ]
    assert len(comprobante.of(nomina12.Nomina)) == 1
