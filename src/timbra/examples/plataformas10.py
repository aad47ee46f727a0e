"""Minimal valid retenciones with the complement Servicios de plataformas tecnológicas 1.0."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.comprobante import CASAS, FECHA, KEMPER, ExampleParty, public_at
from timbra.examples.retenciones20 import COMPLEMENTS_NAMESPACE, NAMESPACE, SCHEMA, Withheld, retencion
from timbra.examples.tree import Change, ExampleNode

PREFIX = "plataformasTecnologicas"
PLATFORM_NAMESPACE = f"{COMPLEMENTS_NAMESPACE}PlataformasTecnologicas10"
TAG = f"{{{PLATFORM_NAMESPACE}}}ServiciosPlataformasTecnologicas"
LOCATION = f"{PLATFORM_NAMESPACE}/ServiciosPlataformasTecnologicas10.xsd"
NO_TAX_ID = "XEXX010101000"
ISR = Withheld("001", "1000.00", "21.00", "04")
IVA = Withheld("002", "160.00", "80.00", "01")
WHOLE_IVA = Withheld("002", "160.00", "160.00", "01")


def plataforma(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty | None = CASAS,
    taxes: tuple[Withheld, ...] = (ISR, IVA),
    difference: str = "80.00",
    service: str = "01",
) -> str:
    """Return the retención of a platform for one trip that was paid by card.

    Args:
        changes: see `timbra.examples.tree.change`; applied last.
        fecha: FechaExp, and day of the service.
        issuer: the platform.
        receiver: who provides the service; None for one who resides abroad.
        taxes: the taxes that are withheld.
        difference: IVA that the platform pays to the receiver.
        service: key of c_TipoDeServ.
    """
    amounts = {tax.impuesto: tax.monto for tax in taxes}
    head = {
        "Version": "1.0",
        "Periodicidad": "02",
        "NumServ": "1",
        "MonTotServSIVA": "1000.00",
        "TotalIVATrasladado": "160.00",
        "TotalIVARetenido": amounts.get("002", "0.00"),
        "TotalISRRetenido": amounts.get("001", "0.00"),
        "DifIVAEntregadoPrestServ": difference,
        "MonTotalporUsoPlataforma": "100.00",
    }
    services = ExampleNode(f"{PREFIX}:Servicios", children=[servicio(fecha, service)])
    node = ExampleNode(f"{PREFIX}:ServiciosPlataformasTecnologicas", head, [services])
    extra: dict[str, Change] = {
        f"@xmlns:{PREFIX}": PLATFORM_NAMESPACE,
        "@xsi:schemaLocation": f"{NAMESPACE} {SCHEMA} {PLATFORM_NAMESPACE} {LOCATION}",
        "Complemento": ExampleNode("retenciones:Complemento", children=[node]),
    }
    return retencion(changes, fecha=fecha, issuer=issuer, receiver=receiver, key="26", taxes=taxes, extra=extra)


def servicio(fecha: str = FECHA, service: str = "01") -> ExampleNode:
    """Return a service of 1,000.00 with IVA of 16 % and a commission of 10 %."""
    attributes = {"FormaPagoServ": "03", "TipoDeServ": service}
    if service == "01":
        attributes["SubTipServ"] = "01"
    attributes |= {"FechaServ": fecha[:10], "PrecioServSinIVA": "1000.00"}
    tax = {"Base": "1000.00", "Impuesto": "02", "TipoFactor": "Tasa", "TasaCuota": "0.160000", "Importe": "160.00"}
    children = [
        ExampleNode(f"{PREFIX}:ImpuestosTrasladadosdelServicio", tax),
        ExampleNode(f"{PREFIX}:ComisionDelServicio", {"Porcentaje": "0.100", "Importe": "100.00"}),
    ]
    return ExampleNode(f"{PREFIX}:DetallesDelServicio", attributes, children)


def contribucion(entity: str = "09", amount: str = "15.00") -> ExampleNode:
    """Return the contribution of a service to a state."""
    attributes = {"ImpContrib": amount, "EntidadDondePagaLaContribucion": entity}
    return ExampleNode(f"{PREFIX}:ContribucionGubernamental", attributes)


def plataforma_for_foreigner(changes: Mapping[str, Change] | None = None) -> str:
    """Return the retención of a platform for digital content of a provider who resides abroad."""
    return plataforma(changes, receiver=None, taxes=(WHOLE_IVA,), difference="0.00", service="07")


def plataforma_without_rfc(changes: Mapping[str, Change] | None = None) -> str:
    """Return the retención of a platform for a provider who did not state an RFC."""
    taxes = (Withheld("001", "1000.00", "200.00", "04"), WHOLE_IVA)
    return plataforma(changes, receiver=public_at(KEMPER.postal_code), taxes=taxes, difference="0.00")
