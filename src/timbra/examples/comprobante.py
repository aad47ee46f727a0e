"""The structure that all example documents share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from timbra.examples import totals
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/cfd/4"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd"
FECHA = "2026-11-17T12:00:00"


@dataclass(frozen=True, slots=True)
class ExampleStandard:
    """A version of the invoice, its namespace and schema."""

    version: str
    namespace: str
    schema: str


CFDI40 = ExampleStandard("4.0", NAMESPACE, SCHEMA)
CFDI33 = ExampleStandard("3.3", "http://www.sat.gob.mx/cfd/3", "http://www.sat.gob.mx/sitio_internet/cfd/3/cfdv33.xsd")


@dataclass(frozen=True, slots=True)
class ExampleParty:
    """A registered issuer or receiver."""

    rfc: str
    name: str
    postal_code: str
    regime: str


KEMPER = ExampleParty("EKU9003173C9", "ESCUELA KEMPER URGATE", "42501", "601")
ROBOTICA = ExampleParty("URE180429TM6", "UNIVERSIDAD ROBOTICA ESPAÑOLA", "86991", "601")


CASAS = ExampleParty("CACX7605101P8", "XOCHILT CASAS CHAVEZ", "36257", "612")
ILUMINADORA = ExampleParty("IIA040805DZ4", "INDISTRIA ILUMINADORA DE ALMACENES", "62661", "601")
XODAR = ExampleParty("XOJI740919U48", "INGRID XODAR JIMENEZ", "76028", "605")


def with_schema(namespace: str, location: str, standard: ExampleStandard = CFDI40) -> str:
    """Return xsi:schemaLocation of a document with one more standard."""
    return f"{standard.namespace} {standard.schema} {namespace} {location}"


def foreigner_at(postal_code: str) -> ExampleParty:
    """Return a receiver without RFC who resides abroad, for an invoice issued at that postal code."""
    return ExampleParty("XEXX010101000", "ACME INC", postal_code, "616")


def public_at(postal_code: str) -> ExampleParty:
    """Return the general public, for an invoice issued at that postal code."""
    return ExampleParty("XAXX010101000", "PUBLICO EN GENERAL", postal_code, "616")


@dataclass(frozen=True, slots=True)
class Frame:
    """The differences between types of documents.

    Attributes:
        tipo: TipoDeComprobante.
        uso: UsoCFDI.
        attributes: attributes of Comprobante.
        decimals: decimals of the currency, for the sums.
        sums: whether the sums are computed; else they are 0.
        standard: version of the invoice.
    """

    tipo: str
    uso: str
    attributes: dict[str, str]
    decimals: int = 2
    sums: bool = True
    standard: ExampleStandard = CFDI40


def build(
    frame: Frame,
    conceptos: list[ExampleNode],
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty = ROBOTICA,
    extra: Mapping[str, Change] | None = None,
    changes: Mapping[str, Change] | None = None,
) -> str:
    """Build a document as text, unsealed.

    Args:
        frame: type of the document.
        conceptos: its Conceptos, from which the sums are computed.
        fecha: Fecha.
        issuer: the issuer.
        receiver: the receiver.
        extra: changes of this type of document.
        changes: further changes, applied last.
    """
    root = ExampleNode("cfdi:Comprobante", _attributes(frame, conceptos, fecha, issuer))
    root.children += [
        ExampleNode("cfdi:Emisor", {"Rfc": issuer.rfc, "Nombre": issuer.name, "RegimenFiscal": issuer.regime}),
        _receptor(receiver, frame),
        ExampleNode("cfdi:Conceptos", children=conceptos),
    ]
    taxes = totals.impuestos(conceptos, frame.decimals) if frame.sums else None
    if frame.standard is CFDI33:
        taxes = as_in_33(conceptos, taxes)
    if taxes is not None:
        root.children.append(taxes)
    change(root, {**(extra or {}), **(changes or {})})
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + root.write()


def as_in_33(conceptos: list[ExampleNode], taxes: ExampleNode | None) -> ExampleNode | None:
    """Remove what CFDI 3.3 does not have: ObjetoImp, and in the sums each Base and the exempt traslados.

    Args:
        conceptos: the Conceptos, changed in place.
        taxes: Comprobante/Impuestos of CFDI 4.0.

    Returns:
        Comprobante/Impuestos of CFDI 3.3, None when it is empty.
    """
    for concepto in conceptos:
        concepto.attributes.pop("ObjetoImp", None)
    if taxes is None:
        return None
    for traslados in taxes.named("Traslados"):
        traslados.children = [row for row in traslados.children if "Importe" in row.attributes]
        for row in traslados.children:
            row.attributes.pop("Base", None)
    taxes.children = [container for container in taxes.children if container.children]
    return taxes if taxes.children else None


def _attributes(frame: Frame, conceptos: list[ExampleNode], fecha: str, issuer: ExampleParty) -> dict[str, str]:
    attributes = {
        "xmlns:cfdi": frame.standard.namespace,
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:schemaLocation": f"{frame.standard.namespace} {frame.standard.schema}",
        "Version": frame.standard.version,
        "Fecha": fecha,
        "Sello": "",
        "NoCertificado": "",
        "Certificado": "",
        "TipoDeComprobante": frame.tipo,
        "LugarExpedicion": issuer.postal_code,
    }
    if frame.standard is CFDI40:
        attributes["Exportacion"] = "01"
    return attributes | frame.attributes | _sums(frame, conceptos)


def _sums(frame: Frame, conceptos: list[ExampleNode]) -> dict[str, str]:
    if not frame.sums:
        return {"SubTotal": "0", "Total": "0"}
    subtotal = totals.total_of(conceptos, "Importe")
    discount = totals.total_of(conceptos, "Descuento")
    taxes = totals.impuestos(conceptos, frame.decimals)
    signed = Decimal(0)
    if taxes is not None:
        signed += Decimal(taxes.attributes.get("TotalImpuestosTrasladados", "0"))
        signed -= Decimal(taxes.attributes.get("TotalImpuestosRetenidos", "0"))
    subtotal_text = totals.rounded(subtotal, frame.decimals)
    discount_text = totals.rounded(discount, frame.decimals)
    sums = {"SubTotal": subtotal_text}
    if any("Descuento" in concepto.attributes for concepto in conceptos):
        sums["Descuento"] = discount_text
    total = Decimal(subtotal_text) - Decimal(discount_text) + signed
    return sums | {"Total": totals.rounded(total, frame.decimals)}


def _receptor(receiver: ExampleParty, frame: Frame) -> ExampleNode:
    attributes = {"Rfc": receiver.rfc, "Nombre": receiver.name}
    if frame.standard is CFDI40:
        attributes |= {"DomicilioFiscalReceptor": receiver.postal_code, "RegimenFiscalReceptor": receiver.regime}
    return ExampleNode("cfdi:Receptor", attributes | {"UsoCFDI": frame.uso})
