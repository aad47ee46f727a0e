"""The address of Comercio Exterior and Carta Porte, which have the same attributes."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import ComplementNode


class Domicilio(ComplementNode):
    """The attributes of an address that are keys of catalogs. Subclasses set the path."""

    Colonia: str | None
    Localidad: str | None
    Municipio: str | None
    Estado: str | None
    Pais: str | None
    CodigoPostal: str | None
