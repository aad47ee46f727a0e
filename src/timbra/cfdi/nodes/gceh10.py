"""Gastos de Hidrocarburos 1.0: costs, expenses and investments of a contract for exploration and extraction."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import attribute, initial, number_of

NAMESPACE = "{http://www.sat.gob.mx/GastosHidrocarburos10}"
TAG = f"{NAMESPACE}GastosHidrocarburos"
HEAD = "Complemento/GastosHidrocarburos"
_ACTIVITIES = ("ActividadRelacionada", "SubActividadRelacionada", "TareaRelacionada")
_COSTS = ("Campo", "Yacimiento", "Pozo")


class GastosHidrocarburos(ComplementNode):
    """The complement."""

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    erogaciones: tuple[Erogacion, ...]


class Erogacion(ComplementNode):
    """Erogacion: an expense.

    Attributes:
        porcentaje: Porcentaje as a number.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Erogacion[{{}}]"
    RANKS = (1,)

    Porcentaje: str
    porcentaje: Decimal = number_of("Porcentaje")
    documentos: tuple[DocumentoRelacionado, ...]
    actividades: tuple[Actividades, ...]
    centros: tuple[CentroCostos, ...]


class DocumentoRelacionado(ComplementNode):
    """Erogacion/DocumentoRelacionado: an invoice or an import declaration."""

    HEAD = HEAD
    TEMPLATE = f"{Erogacion.TEMPLATE}/DocumentoRelacionado[{{}}]"
    RANKS = (1, 1)

    OrigenErogacion: str
    FolioFiscalVinculado: str | None
    FechaFolioFiscalVinculado: str | None
    Mes: str
    RFCProveedor: str | None
    MontoTotalIVA: str | None
    NumeroPedimentoVinculado: str | None
    ClavePedimentoVinculado: str | None
    ClavePagoPedimentoVinculado: str | None
    MontoIVAPedimento: str | None


class Level(ComplementNode):
    """One of three nested levels; either all three have their attribute or none has.

    Attributes:
        NAMES: the attributes of the three levels, from the top.
        value: the attribute of this level; None when absent.
        above: the values of the levels above.
        below: the children.
    """

    HEAD = HEAD
    NAMES: ClassVar[tuple[str, str, str]]

    above: tuple[str | None, ...] = initial(())
    value: str | None = initial(None)
    below: tuple[Level, ...] = initial(())

    def complete(self) -> None:
        """Give the value of this level to all levels below, which are complete except for it."""
        for level in self.below:
            level.add_above(self.value)

    def add_above(self, value: str | None) -> None:
        """Insert the value of a level above all that are known so far."""
        self.above = (value, *self.above)
        for level in self.below:
            level.add_above(value)

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

    NAMES = _ACTIVITIES


class Actividades(_Actividad):
    """Erogacion/Actividades."""

    TEMPLATE = f"{Erogacion.TEMPLATE}/Actividades[{{}}]"
    RANKS = (1, 2)

    value: str | None = attribute(_ACTIVITIES[0])
    below: tuple[SubActividades, ...]


class SubActividades(_Actividad):
    """Actividades/SubActividades."""

    TEMPLATE = f"{Actividades.TEMPLATE}/SubActividades[{{}}]"
    RANKS = (1, 2, 1)

    value: str | None = attribute(_ACTIVITIES[1])
    below: tuple[Tareas, ...]


class Tareas(_Actividad):
    """SubActividades/Tareas."""

    TEMPLATE = f"{SubActividades.TEMPLATE}/Tareas[{{}}]"
    RANKS = (1, 2, 1, 1)

    value: str | None = attribute(_ACTIVITIES[2])


class _Costo(Level):
    """A level of the cost center that the expense belongs to."""

    NAMES = _COSTS


class CentroCostos(_Costo):
    """Erogacion/CentroCostos."""

    TEMPLATE = f"{Erogacion.TEMPLATE}/CentroCostos[{{}}]"
    RANKS = (1, 3)

    value: str | None = attribute(_COSTS[0])
    below: tuple[Yacimientos, ...]


class Yacimientos(_Costo):
    """CentroCostos/Yacimientos."""

    TEMPLATE = f"{CentroCostos.TEMPLATE}/Yacimientos[{{}}]"
    RANKS = (1, 3, 1)

    value: str | None = attribute(_COSTS[1])
    below: tuple[Pozos, ...]


class Pozos(_Costo):
    """Yacimientos/Pozos."""

    TEMPLATE = f"{Yacimientos.TEMPLATE}/Pozos[{{}}]"
    RANKS = (1, 3, 1, 1)

    value: str | None = attribute(_COSTS[2])
