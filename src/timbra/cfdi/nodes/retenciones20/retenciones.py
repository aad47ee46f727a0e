"""Retenciones and its nodes, without those of complements."""

from __future__ import annotations

from types import MappingProxyType

from lxml import etree

from timbra.cfdi.document import RETENCIONES2
from timbra.cfdi.nodes.base import Node, number
from timbra.cfdi.nodes.fiscal_document import FiscalDocument
from timbra.cfdi.rfc import NATIONAL

NAMESPACE = f"{{{RETENCIONES2}}}"


class Retenciones(FiscalDocument):
    """The root of a CFDI de retenciones e información de pagos."""

    __slots__ = (
        "CveRetenc",
        "DescRetenc",
        "FechaExp",
        "FolioInt",
        "LugarExpRetenc",
        "emisor",
        "periodo",
        "receptor",
        "relacionados",
        "totales",
    )

    NAME = "Retenciones"
    VERSIONS = ("2.0",)
    KINDS = frozenset({"R"})
    DATE = "FechaExp"
    PLACE = "LugarExpRetenc"

    relacionados: CfdiRetenRelacionados | None
    emisor: Emisor
    receptor: Receptor
    periodo: Periodo
    totales: Totales

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        self.places = ()
        get = element.get
        self.Version = get("Version", "")
        self.FolioInt = get("FolioInt")
        self.Sello = get("Sello", "")
        self.NoCertificado = get("NoCertificado", "")
        self.Certificado = get("Certificado", "")
        self.FechaExp = get("FechaExp", "")
        self.LugarExpRetenc = get("LugarExpRetenc", "")
        self.CveRetenc = get("CveRetenc", "")
        self.DescRetenc = get("DescRetenc")
        self.relacionados = self.addenda = None
        self.complementos = ()
        self.by_kind = {}

    @property
    def kind(self) -> str:
        """R: the standard has one type of document."""
        return "R"

    @property
    def issued_at(self) -> str:
        """FechaExp."""
        return self.FechaExp

    @property
    def postal_code(self) -> str:
        """LugarExpRetenc."""
        return self.LugarExpRetenc

    @property
    def issuer_rfc(self) -> str:
        """Emisor/@RfcE."""
        return self.emisor.RfcE


class CfdiRetenRelacionados(Node):
    """CfdiRetenRelacionados: the retención that this one relates to."""

    __slots__ = ("TipoRelacion", "UUID")
    TEMPLATE = "CfdiRetenRelacionados"
    RANKS = (1,)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.TipoRelacion = element.get("TipoRelacion", "")
        self.UUID = element.get("UUID", "")


class Emisor(Node):
    """Emisor: who withholds."""

    __slots__ = ("NomDenRazSocE", "RegimenFiscalE", "RfcE")
    TEMPLATE = "Emisor"
    RANKS = (2,)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.RfcE = element.get("RfcE", "")
        self.NomDenRazSocE = element.get("NomDenRazSocE", "")
        self.RegimenFiscalE = element.get("RegimenFiscalE", "")


class Receptor(Node):
    """Receptor: whose tax is withheld.

    Attributes:
        nacional, extranjero: its child; the other one is None.
    """

    __slots__ = ("NacionalidadR", "extranjero", "nacional")
    TEMPLATE = "Receptor"
    RANKS = (3,)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.NacionalidadR = element.get("NacionalidadR", "")
        nacional, extranjero = element.find(f"{NAMESPACE}Nacional"), element.find(f"{NAMESPACE}Extranjero")
        self.nacional = None if nacional is None else Nacional(nacional)
        self.extranjero = None if extranjero is None else Extranjero(extranjero)

    @property
    def rfc(self) -> str:
        """RfcR, empty for a foreign receiver."""
        return "" if self.nacional is None else self.nacional.RfcR


class Nacional(Node):
    """Receptor/Nacional: a receiver with RFC.

    Attributes:
        is_generic: whether RfcR is the generic RFC of the general public.
    """

    __slots__ = ("CurpR", "DomicilioFiscalR", "NomDenRazSocR", "RfcR", "is_generic")
    TEMPLATE = "Receptor/Nacional"
    RANKS = (3, 1)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0, 0)
        self.RfcR = element.get("RfcR", "")
        self.NomDenRazSocR = element.get("NomDenRazSocR", "")
        self.CurpR = element.get("CurpR")
        self.DomicilioFiscalR = element.get("DomicilioFiscalR", "")
        self.is_generic = self.RfcR == NATIONAL


class Extranjero(Node):
    """Receptor/Extranjero: a receiver who resides abroad."""

    __slots__ = ("NomDenRazSocR", "NumRegIdTribR")
    TEMPLATE = "Receptor/Extranjero"
    RANKS = (3, 1)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0, 0)
        self.NumRegIdTribR = element.get("NumRegIdTribR")
        self.NomDenRazSocR = element.get("NomDenRazSocR", "")


class Periodo(Node):
    """Periodo: the months of one year."""

    __slots__ = ("Ejercicio", "MesFin", "MesIni")
    TEMPLATE = "Periodo"
    RANKS = (4,)

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        self.MesIni = element.get("MesIni", "")
        self.MesFin = element.get("MesFin", "")
        self.Ejercicio = element.get("Ejercicio", "")


class Totales(Node):
    """Totales: the amounts in pesos.

    Attributes:
        retenidos: the taxes that are withheld.
    """

    __slots__ = (
        "ISRCorrespondiente",
        "MontoTotExent",
        "MontoTotGrav",
        "MontoTotOperacion",
        "MontoTotRet",
        "UtilidadBimestral",
        "exento",
        "gravado",
        "operacion",
        "retenido",
        "retenidos",
    )
    TEMPLATE = "Totales"
    RANKS = (5,)
    CHILDREN = MappingProxyType({"ImpRetenidos": 1})

    def __init__(self, element: etree._Element) -> None:
        self.places = (0,)
        get = element.get
        self.MontoTotOperacion = get("MontoTotOperacion", "")
        self.MontoTotGrav = get("MontoTotGrav", "")
        self.MontoTotExent = get("MontoTotExent", "")
        self.MontoTotRet = get("MontoTotRet", "")
        self.UtilidadBimestral = get("UtilidadBimestral")
        self.ISRCorrespondiente = get("ISRCorrespondiente")
        self.operacion = number(self.MontoTotOperacion)
        self.gravado = number(self.MontoTotGrav)
        self.exento = number(self.MontoTotExent)
        self.retenido = number(self.MontoTotRet)
        rows = element.iterchildren(f"{NAMESPACE}ImpRetenidos")
        self.retenidos = tuple([ImpRetenidos(row, place) for place, row in enumerate(rows, 1)])


class ImpRetenidos(Node):
    """Totales/ImpRetenidos: a tax that is withheld."""

    __slots__ = ("BaseRet", "ImpuestoRet", "MontoRet", "TipoPagoRet", "base", "monto")
    TEMPLATE = "Totales/ImpRetenidos[{}]"
    RANKS = (5, 1)

    def __init__(self, element: etree._Element, index: int) -> None:
        self.places = (0, index)
        self.BaseRet = element.get("BaseRet")
        self.ImpuestoRet = element.get("ImpuestoRet")
        self.MontoRet = element.get("MontoRet", "")
        self.TipoPagoRet = element.get("TipoPagoRet", "")
        self.base = number(self.BaseRet)
        self.monto = number(self.MontoRet)
