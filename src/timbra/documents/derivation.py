"""Unsealed documents that are derived from a stored CFDI 4.0: duplicate, substitute, credit note and payment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum

from lxml import etree

from timbra.core.errors import ServiceError
from timbra.documents.payment_document import PESOS, PaidInvoice, PaymentTerms, payment_document

CFDI = "http://www.sat.gob.mx/cfd/4"
SEALED = ("Sello", "Certificado", "NoCertificado")
SUBSTITUTES, CREDITS = "04", "01"
"""TipoRelacion: substitution of earlier CFDI, and credit note."""
RETURNS = "G02"
"""UsoCFDI: returns, discounts and bonuses."""
UNDEFINED_PAYMENT = "99"
FORGIVENESS = "15"
"""FormaPago: por definir, and condonación."""
TRANSFER = "03"


class Derivation(Enum):
    """How a document is derived.

    Attributes:
        DUPLICATE: The same content with a new Fecha.
        SUBSTITUTE: A duplicate that substitutes the document, for its cancellation with motivo 01.
        CREDIT_NOTE: A CFDI of egreso about the document, with its concepts.
        PAYMENT: A CFDI of pago that pays the whole document.
    """

    DUPLICATE = "duplicar"
    SUBSTITUTE = "sustituir"
    CREDIT_NOTE = "nota-de-credito"
    PAYMENT = "pago"


def derivations_of(kind: str, version: str, payment_method: str) -> tuple[Derivation, ...]:
    """Return what can be derived from a document.

    Args:
        kind: TipoDeComprobante.
        payment_method: MetodoPago; empty when absent.
    """
    if version != "4.0" or kind not in "IETNP":
        return ()
    possible = [Derivation.DUPLICATE, Derivation.SUBSTITUTE]
    if kind == "I":
        possible.append(Derivation.CREDIT_NOTE)
        if payment_method == "PPD":
            possible.append(Derivation.PAYMENT)
    return tuple(possible)


def derive(cfdi: etree._Element, uuid: str, derivation: Derivation, fecha: str) -> bytes:
    """Return a derived document, unsealed and indented.

    Args:
        cfdi: Root of the stored document, which is not changed.
        derivation: One of `derivations_of`.
        fecha: Fecha of the new document.

    Raises:
        ServiceError: "TB4005" when the document does not allow it.
    """
    allowed = derivations_of(cfdi.get("TipoDeComprobante", ""), cfdi.get("Version", ""), cfdi.get("MetodoPago", ""))
    if derivation not in allowed:
        raise ServiceError("TB4005", f"De este documento no se puede obtener: {derivation.value}.")
    builders: Mapping[Derivation, Callable[[etree._Element, str, str], etree._Element]] = {
        Derivation.DUPLICATE: _duplicate,
        Derivation.SUBSTITUTE: _substitute,
        Derivation.CREDIT_NOTE: _credit_note,
        Derivation.PAYMENT: _payment,
    }
    root = builders[derivation](cfdi, uuid, fecha)
    etree.indent(root, "  ")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _duplicate(cfdi: etree._Element, _: str, fecha: str) -> etree._Element:
    """Copy the document without seal, stamp, addenda and folio."""
    root = etree.fromstring(etree.tostring(cfdi, encoding="utf-8"))
    for name in SEALED:
        root.set(name, "")
    root.set("Fecha", fecha)
    root.attrib.pop("Folio", "")
    for addenda in root.findall(f"{{{CFDI}}}Addenda"):
        root.remove(addenda)
    for holder in root.findall(f"{{{CFDI}}}Complemento"):
        for stamp in holder.findall("{*}TimbreFiscalDigital"):
            holder.remove(stamp)
        if len(holder) == 0:
            root.remove(holder)
    return root


def _substitute(cfdi: etree._Element, uuid: str, fecha: str) -> etree._Element:
    root = _duplicate(cfdi, uuid, fecha)
    for related in root.findall(f"{{{CFDI}}}CfdiRelacionados"):
        if related.get("TipoRelacion") == SUBSTITUTES:
            root.remove(related)
    _relate(root, SUBSTITUTES, uuid)
    return root


def _credit_note(cfdi: etree._Element, uuid: str, fecha: str) -> etree._Element:
    root = _duplicate(cfdi, uuid, fecha)
    for related in root.findall(f"{{{CFDI}}}CfdiRelacionados"):
        root.remove(related)
    for holder in root.findall(f"{{{CFDI}}}Complemento"):
        root.remove(holder)
    root.set("TipoDeComprobante", "E")
    root.set("MetodoPago", "PUE")
    if root.get("FormaPago") == UNDEFINED_PAYMENT:
        root.set("FormaPago", FORGIVENESS)
    _child(root, "Receptor").set("UsoCFDI", RETURNS)
    _relate(root, CREDITS, uuid)
    return root


def _payment(cfdi: etree._Element, uuid: str, fecha: str) -> etree._Element:
    """Build the payment of the whole total, with the taxes of the invoice."""
    total, form = Decimal(cfdi.get("Total", "0")), cfdi.get("FormaPago", "")
    currency = cfdi.get("Moneda", PESOS)
    terms = PaymentTerms(
        fecha,
        form if form not in ("", UNDEFINED_PAYMENT) else TRANSFER,
        currency,
        {currency: Decimal(cfdi.get("TipoCambio") or "1")},
    )
    return payment_document([PaidInvoice(uuid, cfdi, total, total, 1)], terms, fecha)


def _relate(root: etree._Element, relation: str, uuid: str) -> None:
    """Insert CfdiRelacionados before Emisor."""
    related = etree.Element(f"{{{CFDI}}}CfdiRelacionados", TipoRelacion=relation)
    etree.SubElement(related, f"{{{CFDI}}}CfdiRelacionado", UUID=uuid)
    root.insert(root.index(_child(root, "Emisor")), related)


def _child(root: etree._Element, name: str) -> etree._Element:
    child = root.find(f"{{{CFDI}}}{name}")
    if child is None:
        raise ServiceError("TB4005", f"El documento no tiene {name}.")
    return child
