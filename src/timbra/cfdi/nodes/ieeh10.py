"""Ingresos de Hidrocarburos 1.0: income of a contract for exploration and extraction."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import number_of

NAMESPACE = "{http://www.sat.gob.mx/IngresosHidrocarburos10}"
TAG = f"{NAMESPACE}IngresosHidrocarburos"
HEAD = "Complemento/IngresosHidrocarburos"
_DOCUMENTO = f"{NAMESPACE}DocumentoRelacionado"


class IngresosHidrocarburos(ComplementNode):
    """The complement.

    Attributes:
        contraprestacion: ContraprestacionPagadaOperador as a number.
        porcentaje: Porcentaje as a number.
    """

    HEAD = TEMPLATE = HEAD
    TAG = TAG

    ContraprestacionPagadaOperador: str
    Porcentaje: str
    contraprestacion: Decimal = number_of("ContraprestacionPagadaOperador")
    porcentaje: Decimal = number_of("Porcentaje")
    documentos: tuple[DocumentoRelacionado, ...]


class DocumentoRelacionado(ComplementNode):
    """DocumentoRelacionado: an invoice of the contract."""

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/DocumentoRelacionado[{{}}]"
    RANKS = (1,)

    FechaFolioFiscalVinculado: str
    Mes: str
