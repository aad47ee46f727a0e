"""Acuses: the receipts that the authority returns for a request, before it signs them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from lxml import etree

from timbra.cfdi.cancelacion.answer import AcceptReject
from timbra.cfdi.cancelacion.reading import CANCELACFD, CANCELARETENCION, tag
from timbra.core.clock import to_central_mexico

SEAL = "SelloSAT"
"""Id of the authority's signature."""
_SCHEMAS = {"xsd": "http://www.w3.org/2001/XMLSchema", "xsi": "http://www.w3.org/2001/XMLSchema-instance"}


def cancellation_acuse(at: datetime, rfc_emisor: str, codes: Mapping[str, str]) -> etree._Element:
    """Build `Acuse`, the answer to a cancellation request.

    Args:
        at: fiscal instant.
        codes: EstatusUUID by UUID.
    """
    root = etree.Element("Acuse", nsmap=_SCHEMAS)
    root.set("Fecha", to_central_mexico(at))
    root.set("RfcEmisor", rfc_emisor)
    for uuid, code in codes.items():
        _folio(root, uuid, code)
    return root


def retenciones_acuse(at: datetime, rfc_emisor: str, codes: Mapping[str, str]) -> etree._Element:
    """Build `Acuse`, the answer to a request to cancel retenciones; its elements have a namespace of their own.

    Args:
        at: fiscal instant.
        codes: EstatusUUID by UUID.
    """
    # The type stubs do not allow a default namespace.
    root = etree.Element(
        tag("Acuse", CANCELARETENCION),
        nsmap={None: CANCELARETENCION, **_SCHEMAS},  # type: ignore[dict-item]
    )
    root.set("Fecha", to_central_mexico(at))
    root.set("RfcEmisor", rfc_emisor)
    for uuid, code in codes.items():
        _folio(root, uuid, code, CANCELARETENCION)
    return root


def answer_acuse(at: datetime, request: AcceptReject, codes: Mapping[str, str]) -> etree._Element:
    """Build `AcuseAceptacionRechazo`, the answer to the receiver's acceptance or rejection.

    Args:
        at: fiscal instant.
        request: the document that is answered.
        codes: EstatusUUID by UUID.
    """
    root = etree.Element("AcuseAceptacionRechazo", nsmap=_SCHEMAS)
    root.set("RfcReceptor", request.rfc_receptor)
    root.set("RfcPac", request.provider_rfc)
    root.set("CodEstatus", "1000")
    root.set("Fecha", to_central_mexico(at))
    for uuid, code in codes.items():
        _folio(root, uuid, code).set("Respuesta", request.answers[uuid])
    return root


def _folio(root: etree._Element, uuid: str, code: str, namespace: str = CANCELACFD) -> etree._Element:
    # The type stubs do not allow a default namespace.
    group = etree.SubElement(root, tag("Folios", namespace), nsmap={None: namespace})  # type: ignore[dict-item]
    etree.SubElement(group, tag("UUID", namespace)).text = uuid.upper()
    etree.SubElement(group, tag("EstatusUUID", namespace)).text = code
    return group
