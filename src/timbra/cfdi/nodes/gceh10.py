"""Gastos de Hidrocarburos 1.0: costs, expenses and investments of a contract for exploration and extraction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

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
    """Erogacion: an expense.

    Attributes:
        porcentaje: Porcentaje as a number.
    """

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
    """One of three nested levels; either all three have their attribute or none has.

    Attributes:
        NAMES: the attributes of the three levels, from the top.
        value: the attribute of this level; None when absent.
        above: the values of the levels above.
        below: the children.
    """

    __slots__ = ("above", "below", "value")
    HEAD = HEAD
    NAMES: ClassVar[tuple[str, str, str]]

    below: tuple[Level, ...]

    def __init__(self, element: etree._Element, above: tuple[str | None, ...], places: tuple[int, ...]) -> None:
        self.places = places
        self.above = above
        self.value = element.get(self.NAMES[len(above)])
        self.below = ()

    @property
    def others(self) -> dict[str, bool]:
        """For the attribute of each other level: whether a parent, or any descendant of that level, has it."""
        present = [value is not None for value in self.above]
        names = [name for place, name in enumerate(self.NAMES) if place != len(self.above)]
        lower: tuple[Level, ...] = self.below
        while len(present) < len(names):
            present.append(any(level.value is not None for level in lower))
            lower = tuple([child for level in lower for child in level.below])
        return dict(zip(names, present, strict=True))


class _Actividad(Level):
    """A level of the activity that the expense belongs to."""

    __slots__ = ()
    NAMES = ("ActividadRelacionada", "SubActividadRelacionada", "TareaRelacionada")


class Actividades(_Actividad):
    """Erogacion/Actividades."""

    __slots__ = ()
    TEMPLATE = f"{Erogacion.TEMPLATE}/Actividades[{{}}]"
    RANKS = (1, 2)


class SubActividades(_Actividad):
    """Actividades/SubActividades."""

    __slots__ = ()
    TEMPLATE = f"{Actividades.TEMPLATE}/SubActividades[{{}}]"
    RANKS = (1, 2, 1)


class Tareas(_Actividad):
    """SubActividades/Tareas."""

    __slots__ = ()
    TEMPLATE = f"{SubActividades.TEMPLATE}/Tareas[{{}}]"
    RANKS = (1, 2, 1, 1)


class _Costo(Level):
    """A level of the cost center that the expense belongs to."""

    __slots__ = ()
    NAMES = ("Campo", "Yacimiento", "Pozo")


class CentroCostos(_Costo):
    """Erogacion/CentroCostos."""

    __slots__ = ()
    TEMPLATE = f"{Erogacion.TEMPLATE}/CentroCostos[{{}}]"
    RANKS = (1, 3)


class Yacimientos(_Costo):
    """CentroCostos/Yacimientos."""

    __slots__ = ()
    TEMPLATE = f"{CentroCostos.TEMPLATE}/Yacimientos[{{}}]"
    RANKS = (1, 3, 1)


class Pozos(_Costo):
    """Yacimientos/Pozos."""

    __slots__ = ()
    TEMPLATE = f"{Yacimientos.TEMPLATE}/Pozos[{{}}]"
    RANKS = (1, 3, 1, 1)


_LEVELS: tuple[tuple[type[Level], ...], ...] = (
    (Actividades, SubActividades, Tareas),
    (CentroCostos, Yacimientos, Pozos),
)


def read(element: etree._Element, head: Places) -> Iterator[Node]:
    """Yield the complement and its descendants."""
    yield GastosHidrocarburos(head)
    for place, row in enumerate(element.iterchildren(f"{NAMESPACE}Erogacion"), 1):
        erogacion = Erogacion(row, (*head, place))
        yield erogacion
        for index, child in enumerate(row.iterchildren(f"{NAMESPACE}DocumentoRelacionado"), 1):
            yield DocumentoRelacionado(child, (*erogacion.places, index))
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
    for place, row in enumerate(parent.iterchildren(f"{NAMESPACE}{kind.__name__}"), 1):
        level = kind(row, above, (*places, place))
        level.below = _levels(row, tuple(rest), (*above, level.value), level.places)
        levels.append(level)
    return tuple(levels)


def _flat(level: Level) -> Iterator[Level]:
    yield level
    for child in level.below:
        yield from _flat(child)
