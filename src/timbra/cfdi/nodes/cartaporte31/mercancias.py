"""The goods, with their customs documents, quantities and weights."""

from __future__ import annotations

from typing import Final

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.cartaporte31.names import HEAD
from timbra.cfdi.nodes.cartaporte31.transportes import (
    Autotransporte,
    TransporteAereo,
    TransporteFerroviario,
    TransporteMaritimo,
)
from timbra.cfdi.nodes.complement import ComplementNode

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

    __slots__ = (
        "LogisticaInversaRecoleccionDevolucion",
        "NumTotalMercancias",
        "PesoBrutoTotal",
        "PesoNetoTotal",
        "UnidadPeso",
        "aereo",
        "autotransporte",
        "bruto",
        "cuantas",
        "ferroviario",
        "filas",
        "maritimo",
        "neto",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias"
    RANKS = (3,)

    filas: tuple[Mercancia, ...]
    autotransporte: Autotransporte | None
    maritimo: TransporteMaritimo | None
    aereo: TransporteAereo | None
    ferroviario: TransporteFerroviario | None

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.PesoBrutoTotal = get("PesoBrutoTotal", "")
        self.UnidadPeso = get("UnidadPeso", "")
        self.PesoNetoTotal = get("PesoNetoTotal")
        self.NumTotalMercancias = get("NumTotalMercancias", "")
        self.LogisticaInversaRecoleccionDevolucion = get("LogisticaInversaRecoleccionDevolucion")
        self.bruto = number(self.PesoBrutoTotal)
        self.neto = number(self.PesoNetoTotal)
        self.cuantas = number(self.NumTotalMercancias)
        self.filas = ()
        self.autotransporte = self.maritimo = self.aereo = self.ferroviario = None


class Mercancia(ComplementNode):
    """Mercancias/Mercancia.

    Attributes:
        peso: PesoEnKg.
        sanitarios: those attributes of `SANITARY` that are present, as written.
        has_guias: whether it has GuiasIdentificacion.
    """

    __slots__ = (
        "BienesTransp",
        "ClaveUnidad",
        "CondicionesEspTransp",
        "CveMaterialPeligroso",
        "DescripcionMateria",
        "Embalaje",
        "FolioImpoVUCEM",
        "FormaFarmaceutica",
        "FraccionArancelaria",
        "MaterialPeligroso",
        "Moneda",
        "PermisoImportacion",
        "RazonSocialEmpImp",
        "SectorCOFEPRIS",
        "TipoMateria",
        "ValorMercancia",
        "cantidades",
        "detalle",
        "documentos",
        "has_guias",
        "peso",
        "sanitarios",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Mercancias/Mercancia[{{}}]"
    RANKS = (3, 1)

    documentos: tuple[DocumentacionAduanera, ...]
    cantidades: tuple[CantidadTransporta, ...]
    detalle: DetalleMercancia | None

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.BienesTransp = get("BienesTransp", "")
        self.ClaveUnidad = get("ClaveUnidad", "")
        self.MaterialPeligroso = get("MaterialPeligroso")
        self.CveMaterialPeligroso = get("CveMaterialPeligroso")
        self.Embalaje = get("Embalaje")
        self.SectorCOFEPRIS = get("SectorCOFEPRIS")
        self.FormaFarmaceutica = get("FormaFarmaceutica")
        self.CondicionesEspTransp = get("CondicionesEspTransp")
        self.PermisoImportacion = get("PermisoImportacion")
        self.FolioImpoVUCEM = get("FolioImpoVUCEM")
        self.RazonSocialEmpImp = get("RazonSocialEmpImp")
        self.ValorMercancia = get("ValorMercancia")
        self.Moneda = get("Moneda")
        self.FraccionArancelaria = get("FraccionArancelaria")
        self.TipoMateria = get("TipoMateria")
        self.DescripcionMateria = get("DescripcionMateria")
        self.peso = number(get("PesoEnKg"))
        self.sanitarios = {str(name): str(value) for name, value in element.items() if str(name) in SANITARY}
        self.has_guias = False
        self.documentos, self.cantidades, self.detalle = (), (), None


class DocumentacionAduanera(ComplementNode):
    """Mercancia/DocumentacionAduanera: a customs document."""

    __slots__ = ("IdentDocAduanero", "NumPedimento", "RFCImpo", "TipoDocumento")
    HEAD = HEAD
    TEMPLATE = f"{Mercancia.TEMPLATE}/DocumentacionAduanera[{{}}]"
    RANKS = (3, 1, 1)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.TipoDocumento = element.get("TipoDocumento", "")
        self.NumPedimento = element.get("NumPedimento")
        self.IdentDocAduanero = element.get("IdentDocAduanero")
        self.RFCImpo = element.get("RFCImpo")


class CantidadTransporta(ComplementNode):
    """Mercancia/CantidadTransporta: a quantity with its origin and destination."""

    __slots__ = ("CvesTransporte", "IDDestino", "IDOrigen")
    HEAD = HEAD
    TEMPLATE = f"{Mercancia.TEMPLATE}/CantidadTransporta[{{}}]"
    RANKS = (3, 1, 3)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.IDOrigen = element.get("IDOrigen", "")
        self.IDDestino = element.get("IDDestino", "")
        self.CvesTransporte = element.get("CvesTransporte")


class DetalleMercancia(ComplementNode):
    """Mercancia/DetalleMercancia: the weights of goods that are transported by ship.

    Attributes:
        bruto, neto: PesoBruto and PesoNeto, in UnidadPesoMerc.
    """

    __slots__ = ("UnidadPesoMerc", "bruto", "neto")
    HEAD = HEAD
    TEMPLATE = f"{Mercancia.TEMPLATE}/DetalleMercancia"
    RANKS = (3, 1, 4)

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        self.UnidadPesoMerc = element.get("UnidadPesoMerc", "")
        self.bruto = number(element.get("PesoBruto"))
        self.neto = number(element.get("PesoNeto"))
