"""Retenciones and its nodes, without those of complements."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType

from timbra.cfdi.document import RETENCIONES2
from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.fields import derived, number_of
from timbra.cfdi.nodes.fiscal_document import FiscalDocument
from timbra.cfdi.rfc import NATIONAL

NAMESPACE = f"{{{RETENCIONES2}}}"


class Retenciones(FiscalDocument):
    """The root of a CFDI de retenciones e información de pagos."""

    NAME = "Retenciones"
    VERSIONS = ("2.0",)
    KINDS = frozenset({"R"})
    DATE = "FechaExp"
    PLACE = "LugarExpRetenc"

    FolioInt: str | None
    FechaExp: str
    LugarExpRetenc: str
    CveRetenc: str
    DescRetenc: str | None
    relacionados: CfdiRetenRelacionados | None
    emisor: Emisor
    receptor: Receptor
    periodo: Periodo
    totales: Totales

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

    TEMPLATE = "CfdiRetenRelacionados"
    RANKS = (1,)

    TipoRelacion: str
    UUID: str


class Emisor(Node):
    """Emisor: who withholds."""

    TEMPLATE = "Emisor"
    RANKS = (2,)

    RfcE: str
    NomDenRazSocE: str
    RegimenFiscalE: str


class Receptor(Node):
    """Receptor: whose tax is withheld.

    Attributes:
        nacional, extranjero: its child; the other one is None.
    """

    TEMPLATE = "Receptor"
    RANKS = (3,)

    NacionalidadR: str
    nacional: Nacional | None
    extranjero: Extranjero | None

    @property
    def rfc(self) -> str:
        """RfcR, empty for a foreign receiver."""
        return "" if self.nacional is None else self.nacional.RfcR


class Nacional(Node):
    """Receptor/Nacional: a receiver with RFC.

    Attributes:
        is_generic: whether RfcR is the generic RFC of the general public.
    """

    TEMPLATE = "Receptor/Nacional"
    RANKS = (3, 1)

    RfcR: str
    NomDenRazSocR: str
    CurpR: str | None
    DomicilioFiscalR: str
    is_generic: bool = derived(NATIONAL.__eq__, "RfcR")


class Extranjero(Node):
    """Receptor/Extranjero: a receiver who resides abroad."""

    TEMPLATE = "Receptor/Extranjero"
    RANKS = (3, 1)

    NumRegIdTribR: str | None
    NomDenRazSocR: str


class Periodo(Node):
    """Periodo: the months of one year."""

    TEMPLATE = "Periodo"
    RANKS = (4,)

    MesIni: str
    MesFin: str
    Ejercicio: str


class Totales(Node):
    """Totales: the amounts in pesos.

    Attributes:
        retenidos: the taxes that are withheld.
    """

    TEMPLATE = "Totales"
    RANKS = (5,)
    CHILDREN = MappingProxyType({"ImpRetenidos": 1})

    MontoTotOperacion: str
    MontoTotGrav: str
    MontoTotExent: str
    MontoTotRet: str
    UtilidadBimestral: str | None
    ISRCorrespondiente: str | None
    operacion: Decimal = number_of("MontoTotOperacion")
    gravado: Decimal = number_of("MontoTotGrav")
    exento: Decimal = number_of("MontoTotExent")
    retenido: Decimal = number_of("MontoTotRet")
    retenidos: tuple[ImpRetenidos, ...]


class ImpRetenidos(Node):
    """Totales/ImpRetenidos: a tax that is withheld."""

    TEMPLATE = "Totales/ImpRetenidos[{}]"
    RANKS = (5, 1)

    BaseRet: str | None
    ImpuestoRet: str | None
    MontoRet: str
    TipoPagoRet: str
    base: Decimal = number_of("BaseRet")
    monto: Decimal = number_of("MontoRet")
