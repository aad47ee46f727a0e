"""Servicios de plataformas tecnológicas 1.0."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import derived, factor_of, initial, number_of

NAMESPACE = "{http://www.sat.gob.mx/esquemas/retencionpago/1/PlataformasTecnologicas10}"
HEAD = "Complemento/ServiciosPlataformasTecnologicas"
CASH = "01"
"""Key of c_FormaPagoServ: Efectivo."""


class ServiciosPlataformasTecnologicas(ComplementNode):
    """The complement.

    Attributes:
        servicios: the services of the period.
    """

    HEAD = TEMPLATE = HEAD
    TAG = f"{NAMESPACE}ServiciosPlataformasTecnologicas"

    Periodicidad: str
    NumServ: str
    MonTotServSIVA: str
    TotalIVATrasladado: str
    TotalIVARetenido: str
    TotalISRRetenido: str
    DifIVAEntregadoPrestServ: str
    MonTotalporUsoPlataforma: str
    MonTotalContribucionGubernamental: str | None
    servicios: tuple[DetallesDelServicio, ...]


class DetallesDelServicio(ComplementNode):
    """Servicios/DetallesDelServicio: a service.

    Attributes:
        impuestos, contribucion, comision: its children; None when absent.
        precio: PrecioServSinIVA.
        is_cash: whether it was paid in cash.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Servicios/DetallesDelServicio[{{}}]"
    RANKS = (1,)
    CHILDREN = MappingProxyType(
        {"ImpuestosTrasladadosdelServicio": 1, "ContribucionGubernamental": 2, "ComisionDelServicio": 3}
    )

    FormaPagoServ: str
    TipoDeServ: str
    SubTipServ: str | None
    RFCTerceroAutorizado: str | None
    FechaServ: str
    PrecioServSinIVA: str
    precio: Decimal = number_of("PrecioServSinIVA")
    is_cash: bool = derived(CASH.__eq__, "FormaPagoServ")
    impuestos: ImpuestosTrasladadosdelServicio | None
    contribucion: ContribucionGubernamental | None
    comision: ComisionDelServicio | None

    def complete(self) -> None:
        """Give PrecioServSinIVA to the tax."""
        if self.impuestos is not None:
            self.impuestos.precio = self.PrecioServSinIVA


class ImpuestosTrasladadosdelServicio(ComplementNode):
    """The IVA of a service.

    Attributes:
        precio: PrecioServSinIVA of the service, as written.
    """

    HEAD = HEAD
    TEMPLATE = f"{DetallesDelServicio.TEMPLATE}/ImpuestosTrasladadosdelServicio"
    RANKS = (1, 1)

    precio: str = initial("")
    Base: str
    TasaCuota: str
    Importe: str
    base: Decimal = factor_of("Base")
    tasa: Decimal = factor_of("TasaCuota")
    importe: Decimal = number_of("Importe")


class ContribucionGubernamental(ComplementNode):
    """The contribution to a state for a service."""

    HEAD = HEAD
    TEMPLATE = f"{DetallesDelServicio.TEMPLATE}/ContribucionGubernamental"
    RANKS = (1, 2)

    EntidadDondePagaLaContribucion: str
    ImpContrib: str
    importe: Decimal = number_of("ImpContrib")


class ComisionDelServicio(ComplementNode):
    """The commission of the platform for a service."""

    HEAD = HEAD
    TEMPLATE = f"{DetallesDelServicio.TEMPLATE}/ComisionDelServicio"
    RANKS = (1, 3)

    Importe: str
    importe: Decimal = number_of("Importe")
