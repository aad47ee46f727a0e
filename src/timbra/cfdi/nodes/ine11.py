"""INE 1.1: electoral expenses, by process, committee and state."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import ComplementNode

NAMESPACE = "{http://www.sat.gob.mx/ine}"
TAG = f"{NAMESPACE}INE"
HEAD = "Complemento/INE"
_ENTIDAD = f"{NAMESPACE}Entidad"


class INE(ComplementNode):
    """The complement."""

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    TipoProceso: str
    TipoComite: str | None
    IdContabilidad: str | None
    entidades: tuple[Entidad, ...]


class Entidad(ComplementNode):
    """Entidad: a state or electoral district."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Entidad[{{}}]"
    RANKS = (1,)

    ClaveEntidad: str
    Ambito: str | None
