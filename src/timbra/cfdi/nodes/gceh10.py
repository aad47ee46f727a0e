"""Gastos de Hidrocarburos 1.0: costs, expenses and investments of a contract for exploration and extraction."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.nodes.base import Node, number
from timbra.cfdi.nodes.complement import ComplementNode, Places

NAMESPACE = "{http://www.sat.gob.mx/GastosHidrocarburos10}"
TAG = f"{NAMESPACE}GastosHidrocarburos"
HEAD = "Complemento/GastosHidrocarburos"


class GastosHidrocarburos(ComplementNode):
    """The complement."""

    __slots__ = ()
    HEAD = TEMPLATE = HEAD
    TAG = TAG

    def __init__(self, places: Places) -> None:
        self.places = places


class Erogacion(ComplementNode):
    """Erogacion."""

    __slots__ = ("Porcentaje", "porcentaje")
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Erogacion[{{}}]"
    RANKS = (1,)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.Porcentaje = element.get("Porcentaje", "")
        self.porcentaje = number(self.Porcentaje)


class DocumentoRelacionado(ComplementNode):
    """Erogacion/DocumentoRelacionado: an invoice or an import declaration."""

    __slots__ = (
        "ClavePagoPedimentoVinculado",
        "ClavePedimentoVinculado",
        "FechaFolioFiscalVinculado",
        "FolioFiscalVinculado",
        "Mes",
        "MontoIVAPedimento",
        "MontoTotalIVA",
        "NumeroPedimentoVinculado",
        "OrigenErogacion",
        "RFCProveedor",
    )
    HEAD = HEAD
    TEMPLATE = f"{Erogacion.TEMPLATE}/DocumentoRelacionado[{{}}]"
    RANKS = (1, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.OrigenErogacion = get("OrigenErogacion", "")
        self.FolioFiscalVinculado = get("FolioFiscalVinculado")
        self.FechaFolioFiscalVinculado = get("FechaFolioFiscalVinculado")
        self.Mes = get("Mes", "")
        self.RFCProveedor = get("RFCProveedor")
        self.MontoTotalIVA = get("MontoTotalIVA")
        self.NumeroPedimentoVinculado = get("NumeroPedimentoVinculado")
        self.ClavePedimentoVinculado = get("ClavePedimentoVinculado")
        self.ClavePagoPedimentoVinculado = get("ClavePagoPedimentoVinculado")
        self.MontoIVAPedimento = get("MontoIVAPedimento")


class Level(ComplementNode):
    """One of three levels, of which all are told or none. value: the attribute of this level.

    above: those of the levels over it, from the top. below: its children.
    """

    __slots__ = ("above", "below", "value")
    HEAD = HEAD
    TAG_OF_LEVEL = ""
    ATTRIBUTE = ""

    below: tuple[Level, ...]

    def __init__(self, element: etree._Element, above: tuple[str | None, ...], places: tuple[int, ...]) -> None:
        self.places = places
        self.above = above
        self.value = element.get(self.ATTRIBUTE)
        self.below = ()


class Actividades(Level):
    """Erogacion/Actividades."""

    __slots__ = ()
    TEMPLATE = f"{Erogacion.TEMPLATE}/Actividades[{{}}]"
    RANKS = (1, 2)
    TAG_OF_LEVEL = f"{NAMESPACE}Actividades"
    ATTRIBUTE = "ActividadRelacionada"


class SubActividades(Level):
    """Actividades/SubActividades."""

    __slots__ = ()
    TEMPLATE = f"{Actividades.TEMPLATE}/SubActividades[{{}}]"
    RANKS = (1, 2, 1)
    TAG_OF_LEVEL = f"{NAMESPACE}SubActividades"
    ATTRIBUTE = "SubActividadRelacionada"


class Tareas(Level):
    """SubActividades/Tareas."""

    __slots__ = ()
    TEMPLATE = f"{SubActividades.TEMPLATE}/Tareas[{{}}]"
    RANKS = (1, 2, 1, 1)
    TAG_OF_LEVEL = f"{NAMESPACE}Tareas"
    ATTRIBUTE = "TareaRelacionada"


class CentroCostos(Level):
    """Erogacion/CentroCostos."""

    __slots__ = ()
    TEMPLATE = f"{Erogacion.TEMPLATE}/CentroCostos[{{}}]"
    RANKS = (1, 3)
    TAG_OF_LEVEL = f"{NAMESPACE}CentroCostos"
    ATTRIBUTE = "Campo"


class Yacimientos(Level):
    """CentroCostos/Yacimientos."""

    __slots__ = ()
    TEMPLATE = f"{CentroCostos.TEMPLATE}/Yacimientos[{{}}]"
    RANKS = (1, 3, 1)
    TAG_OF_LEVEL = f"{NAMESPACE}Yacimientos"
    ATTRIBUTE = "Yacimiento"


class Pozos(Level):
    """Yacimientos/Pozos."""

    __slots__ = ()
    TEMPLATE = f"{Yacimientos.TEMPLATE}/Pozos[{{}}]"
    RANKS = (1, 3, 1, 1)
    TAG_OF_LEVEL = f"{NAMESPACE}Pozos"
    ATTRIBUTE = "Pozo"


_LEVELS: tuple[tuple[type[Level], ...], ...] = (
    (Actividades, SubActividades, Tareas),
    (CentroCostos, Yacimientos, Pozos),
)


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """The complement and all below it."""
    yield GastosHidrocarburos(head)
    for place, row in enumerate(element.iterchildren(f"{NAMESPACE}Erogacion"), 1):
        erogacion = Erogacion(row, (*head, place))
        yield erogacion
        for number_of, child in enumerate(row.iterchildren(f"{NAMESPACE}DocumentoRelacionado"), 1):
            yield DocumentoRelacionado(child, (*erogacion.places, number_of))
        for kinds in _LEVELS:
            for level in _levels(row, kinds, (), erogacion.places):
                yield from _flat(level)


def _levels(
    parent: etree._Element, kinds: tuple[type[Level], ...], above: tuple[str | None, ...], places: tuple[int, ...]
) -> tuple[Level, ...]:
    if not kinds:
        return ()
    kind, *rest = kinds
    levels = []
    for place, row in enumerate(parent.iterchildren(kind.TAG_OF_LEVEL), 1):
        level = kind(row, above, (*places, place))
        level.below = _levels(row, tuple(rest), (*above, level.value), level.places)
        levels.append(level)
    return tuple(levels)


def _flat(level: Level) -> Iterator[Level]:
    yield level
    for child in level.below:
        yield from _flat(child)
