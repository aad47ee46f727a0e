"""The evaluation of computed amounts by the rules of CFDI 4.0, which have the limits of the SAT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from lxml import etree

from timbra.amounts.local_taxes import TRANSFERRED, WITHHELD, local_taxes_in
from timbra.cfdi.nodes import Comprobante, walk
from timbra.cfdi.rfc import NATIONAL
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.profiles import STAMP
from timbra.rules.engine.result import Severity
from timbra.rules.registry import ENGINE
from timbra.rules.shared.invoice.comprobante import IMPLOCAL

CFDI = "http://www.sat.gob.mx/cfd/4"
PARTIES: Mapping[str, Mapping[str, str]] = {
    "Emisor": {"Rfc": NATIONAL, "Nombre": "", "RegimenFiscal": "601"},
    "Receptor": {
        "Rfc": NATIONAL,
        "Nombre": "",
        "DomicilioFiscalReceptor": "",
        "RegimenFiscalReceptor": "616",
        "UsoCFDI": "S01",
    },
}
"""Parties of the evaluated document: no rule about amounts reads them."""
_NONE: Mapping[str, str] = MappingProxyType({})
PRODUCT = {"ClaveProdServ": "01010101", "ClaveUnidad": "ACT", "Descripcion": ""}
CHECKED = frozenset(
    {
        *("@Moneda", "@SubTotal", "@Descuento", "@Total", "@TotalImpuestosTrasladados", "@TotalImpuestosRetenidos"),
        *("@Cantidad", "@ValorUnitario", "@Importe", "@ObjetoImp", "Impuestos", "Traslado"),
        *("@Base", "@Impuesto", "@TipoFactor", "@TasaOCuota"),
    }
)
"""Last steps of the paths of findings about amounts; others are about what the evaluated document leaves out."""


def currency_decimals(moneda: str, fecha: str, reference_data: ReferenceData) -> int:
    """Return the decimals of a currency.

    Raises:
        ServiceError: "CFDI40113" for an unknown currency.
    """
    decimals = EvaluationContext(_document({"Moneda": moneda}, fecha), reference_data).decimals
    if decimals is None:
        location = DocumentLocation("@Moneda", moneda, "una clave de c_Moneda")
        raise ServiceError("CFDI40113", f"@Moneda: {moneda}; se esperaba {location.expected}.", location=location)
    return decimals


def check_amounts(comprobante: Mapping[str, Any], fecha: str, reference_data: ReferenceData) -> None:
    """Evaluate the amounts of an invoice.

    Raises:
        ServiceError: with code, detail and place of the first rule that they violate.
    """
    data = replace(reference_data, taxpayers=None, obligations=None, names=None, marks=None)
    for finding in ENGINE.check(_document(comprobante, fecha), data, STAMP).findings:
        if finding.severity is Severity.ERROR and finding.path.rpartition("/")[2].partition("[")[0] in CHECKED:
            raise ServiceError(finding.code, finding.detail, location=finding.location)


def _document(comprobante: Mapping[str, Any], fecha: str) -> Comprobante:
    """Return the nodes of a document with the amounts and without what no rule about them reads."""
    tipo = comprobante.get("TipoDeComprobante", "I")
    frame = {"Version": "4.0", "Fecha": fecha, "TipoDeComprobante": tipo, "Exportacion": "01", "LugarExpedicion": ""}
    root = _added(None, "Comprobante", frame, comprobante)
    for name, attributes in PARTIES.items():
        _added(root, name, attributes)
    conceptos = _added(root, "Conceptos")
    for concepto in comprobante.get("Conceptos", ()):
        _add_taxes(_added(conceptos, "Concepto", PRODUCT, concepto), concepto)
    _add_taxes(root, comprobante)
    for _, local in local_taxes_in(comprobante.get("Complemento")):
        totals = {name: local[name] for name in (WITHHELD.total, TRANSFERRED.total)}
        etree.SubElement(_added(root, "Complemento"), IMPLOCAL, totals)
    return walk(root)


def _add_taxes(parent: etree._Element, members: Mapping[str, Any]) -> None:
    taxes = members.get("Impuestos")
    if taxes is None:
        return
    node = _added(parent, "Impuestos", {}, taxes)
    for container, name in (("Retenciones", "Retencion"), ("Traslados", "Traslado")):
        if container in taxes:
            rows = _added(node, container)
            for row in taxes[container]:
                _added(rows, name, {}, row)


def _added(
    parent: etree._Element | None, name: str, attributes: Mapping[str, str] = _NONE, amounts: Mapping[str, Any] = _NONE
) -> etree._Element:
    """Add an element with attributes, and those members of an object of the invoice that are `CHECKED`."""
    tag = f"{{{CFDI}}}{name}"
    element = etree.Element(tag) if parent is None else etree.SubElement(parent, tag)
    checked = {key: value for key, value in amounts.items() if f"@{key}" in CHECKED and isinstance(value, str)}
    for key, value in {**attributes, **checked}.items():
        element.set(key, value)
    return element
