"""The address of Comercio Exterior and Carta Porte, which have the same attributes."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes.complement import ComplementNode


class Domicilio(ComplementNode):
    """The attributes of an address that are keys of catalogs. Subclasses set the path."""

    __slots__ = ("CodigoPostal", "Colonia", "Estado", "Localidad", "Municipio", "Pais")

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.Colonia = get("Colonia")
        self.Localidad = get("Localidad")
        self.Municipio = get("Municipio")
        self.Estado = get("Estado")
        self.Pais = get("Pais")
        self.CodigoPostal = get("CodigoPostal")
