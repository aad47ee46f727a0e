"""The goods, with their customs documents, quantities and weights."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.cartaporte31.names import HEAD
from timbra.cfdi.nodes.cartaporte31.transportes import (
    Autotransporte,
    TransporteAereo,
    TransporteFerroviario,
    TransporteMaritimo,
)
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import attribute, named, number, number_of, present

SANITARY: Final = frozenset(
    {
        "NombreIngredienteActivo",
        "NomQuimico",
        "DenominacionGenericaProd",
        "DenominacionDistintivaProd",
        "Fabricante",
        "FechaCaducidad",
        "LoteMedicamento",
        "FormaFarmaceutica",
        "CondicionesEspTransp",
        "RegistroSanitarioFolioAutorizacion",
        "NumCAS",
        "NumRegSanPlagCOFEPRIS",
        "DatosFabricante",
        "DatosFormulador",
        "DatosMaquilador",
        "UsoAutorizado",
    }
)
"""Attributes of a Mercancia that at least one key of SectorCOFEPRIS requires."""


class Mercancias(ComplementNode):
    """Mercancias: the totals of the goods, their rows and the means of transport.

    Attributes:
        filas: Mercancia rows.
        bruto, neto: PesoBrutoTotal and PesoNetoTotal, 0 when absent.
        cuantas: NumTotalMercancias.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias"
    RANKS = (3,)

    PesoBrutoTotal: str
    UnidadPeso: str
    PesoNetoTotal: str | None
    NumTotalMercancias: str
    LogisticaInversaRecoleccionDevolucion: str | None
    bruto: Decimal = number_of("PesoBrutoTotal")
    neto: Decimal = number_of("PesoNetoTotal")
    cuantas: Decimal = number_of("NumTotalMercancias")
    filas: tuple[Mercancia, ...]
    autotransporte: Autotransporte | None
    maritimo: TransporteMaritimo | None
    aereo: TransporteAereo | None
    ferroviario: TransporteFerroviario | None


class Mercancia(ComplementNode):
    """Mercancias/Mercancia.

    Attributes:
        peso: PesoEnKg.
        sanitarios: those attributes of `SANITARY` that are present, as written.
        has_guias: whether it has GuiasIdentificacion.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/Mercancia[{{}}]"
    RANKS = (3, 1)

    BienesTransp: str
    ClaveUnidad: str
    MaterialPeligroso: str | None
    CveMaterialPeligroso: str | None
    Embalaje: str | None
    SectorCOFEPRIS: str | None
    FormaFarmaceutica: str | None
    CondicionesEspTransp: str | None
    PermisoImportacion: str | None
    FolioImpoVUCEM: str | None
    RazonSocialEmpImp: str | None
    ValorMercancia: str | None
    Moneda: str | None
    FraccionArancelaria: str | None
    TipoMateria: str | None
    DescripcionMateria: str | None
    peso: Decimal = attribute("PesoEnKg", convert=number)
    sanitarios: dict[str, str] = named(SANITARY)
    has_guias: bool = present("GuiasIdentificacion")
    documentos: tuple[DocumentacionAduanera, ...]
    cantidades: tuple[CantidadTransporta, ...]
    detalle: DetalleMercancia | None


class DocumentacionAduanera(ComplementNode):
    """Mercancia/DocumentacionAduanera: a customs document."""

    HEAD = HEAD
    TEMPLATE = f"{Mercancia.TEMPLATE}/DocumentacionAduanera[{{}}]"
    RANKS = (3, 1, 1)

    TipoDocumento: str
    NumPedimento: str | None
    IdentDocAduanero: str | None
    RFCImpo: str | None


class CantidadTransporta(ComplementNode):
    """Mercancia/CantidadTransporta: a quantity with its origin and destination."""

    HEAD = HEAD
    TEMPLATE = f"{Mercancia.TEMPLATE}/CantidadTransporta[{{}}]"
    RANKS = (3, 1, 3)

    IDOrigen: str
    IDDestino: str
    CvesTransporte: str | None


class DetalleMercancia(ComplementNode):
    """Mercancia/DetalleMercancia: the weights of goods that are transported by ship.

    Attributes:
        bruto, neto: PesoBruto and PesoNeto, in UnidadPesoMerc.
    """

    HEAD = HEAD
    TEMPLATE = f"{Mercancia.TEMPLATE}/DetalleMercancia"
    RANKS = (3, 1, 4)

    UnidadPesoMerc: str
    bruto: Decimal = attribute("PesoBruto", convert=number)
    neto: Decimal = attribute("PesoNeto", convert=number)
