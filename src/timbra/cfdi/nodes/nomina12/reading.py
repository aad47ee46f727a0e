"""Conversion of the elements of Nómina to nodes."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, elements
from timbra.cfdi.nodes.complement import Places
from timbra.cfdi.nodes.nomina12.deducciones import Deduccion, Deducciones
from timbra.cfdi.nodes.nomina12.names import NAMESPACE
from timbra.cfdi.nodes.nomina12.nomina import Nomina
from timbra.cfdi.nodes.nomina12.otros_pagos import CompensacionSaldosAFavor, Incapacidad, OtroPago, SubsidioAlEmpleo
from timbra.cfdi.nodes.nomina12.partes import EmisorNomina, EntidadSNCF, ReceptorNomina, SubContratacion
from timbra.cfdi.nodes.nomina12.percepciones import (
    AccionesOTitulos,
    HorasExtra,
    JubilacionPensionRetiro,
    Percepcion,
    Percepciones,
    SeparacionIndemnizacion,
)

Row = tuple[etree._Element, tuple[int, ...]]
"""An element that repeats, with its places."""


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Read the complement and its descendants.

    Args:
        element: Nomina 1.2 whose structure is valid.
        head: position of the complement.

    Returns:
        The nodes, the complement first.
    """
    nomina = Nomina(element, head)
    nodes: list[Node] = [nomina]
    for child in elements(element):
        match _local(child):
            case "Emisor":
                nomina.emisor = _emisor(child, head, nodes)
            case "Receptor":
                nomina.receptor = _receptor(child, head, nodes)
            case "Percepciones":
                nomina.percepciones = _percepciones(child, head, nodes)
            case "Deducciones":
                nomina.deducciones = _deducciones(child, head, nodes)
            case "OtrosPagos":
                nomina.has_otros_pagos = True
                nomina.otros_pagos = tuple([_otro_pago(row, nodes) for row in _rows(child, (*head, 0))])
            case "Incapacidades":
                nomina.has_incapacidades = True
                nomina.incapacidades = tuple([Incapacidad(*row) for row in _rows(child, (*head, 0))])
                nodes += nomina.incapacidades
    return iter(nodes)


def _local(element: etree._Element) -> str:
    return str(element.tag).removeprefix(NAMESPACE)


def _rows(parent: etree._Element, places: tuple[int, ...], local: str | None = None) -> list[Row]:
    """Return the child elements, those of one name when `local` is given, with their places."""
    children = [child for child in elements(parent) if local is None or _local(child) == local]
    return [(child, (*places, place)) for place, child in enumerate(children, 1)]


def _emisor(element: etree._Element, head: Places, nodes: list[Node]) -> EmisorNomina:
    emisor = EmisorNomina(element, head)
    nodes.append(emisor)
    for child in elements(element):
        emisor.entidad = EntidadSNCF(child, head)
        nodes.append(emisor.entidad)
    return emisor


def _receptor(element: etree._Element, head: Places, nodes: list[Node]) -> ReceptorNomina:
    receptor = ReceptorNomina(element, head)
    receptor.subcontrataciones = tuple([SubContratacion(*row) for row in _rows(element, receptor.places)])
    nodes += (receptor, *receptor.subcontrataciones)
    return receptor


def _percepciones(element: etree._Element, head: Places, nodes: list[Node]) -> Percepciones:
    percepciones = Percepciones(element, head)
    nodes.append(percepciones)
    rows: list[Percepcion] = []
    for child in elements(element):
        match _local(child):
            case "Percepcion":
                rows.append(_percepcion(child, (*percepciones.places, len(rows) + 1), nodes))
            case "JubilacionPensionRetiro":
                percepciones.jubilacion = JubilacionPensionRetiro(child, head)
                nodes.append(percepciones.jubilacion)
            case "SeparacionIndemnizacion":
                percepciones.separacion = SeparacionIndemnizacion(child, head)
                nodes.append(percepciones.separacion)
    percepciones.filas = tuple(rows)
    return percepciones


def _percepcion(element: etree._Element, places: tuple[int, ...], nodes: list[Node]) -> Percepcion:
    percepcion = Percepcion(element, places)
    nodes.append(percepcion)
    if len(element):
        _below_percepcion(percepcion, element, nodes)
    return percepcion


def _below_percepcion(percepcion: Percepcion, element: etree._Element, nodes: list[Node]) -> None:
    """Read AccionesOTitulos and HorasExtra, which are rare."""
    for child, places in _rows(element, percepcion.places, "AccionesOTitulos"):
        percepcion.acciones = AccionesOTitulos(child, (*places[:-1], 0))
        nodes.append(percepcion.acciones)
    percepcion.horas_extra = tuple([HorasExtra(*each) for each in _rows(element, percepcion.places, "HorasExtra")])
    nodes += percepcion.horas_extra


def _deducciones(element: etree._Element, head: Places, nodes: list[Node]) -> Deducciones:
    deducciones = Deducciones(element, head)
    deducciones.filas = tuple([Deduccion(*row) for row in _rows(element, deducciones.places)])
    nodes += (deducciones, *deducciones.filas)
    return deducciones


def _otro_pago(row: Row, nodes: list[Node]) -> OtroPago:
    pago = OtroPago(*row)
    nodes.append(pago)
    for child in elements(row[0]):
        places = (*pago.places, 0)
        if _local(child) == "SubsidioAlEmpleo":
            pago.subsidio = SubsidioAlEmpleo(child, places)
            nodes.append(pago.subsidio)
        else:
            pago.compensacion = CompensacionSaldosAFavor(child, places)
            nodes.append(pago.compensacion)
    return pago
