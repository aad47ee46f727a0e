"""Documents as JSON, in the forms of integrators."""

from __future__ import annotations

from typing import Any

from lxml import etree

XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
CONTAINERS = {"Conceptos", "Traslados", "Retenciones", "TrasladosDR", "RetencionesDR", "TrasladosP", "RetencionesP"}


def as_json(element: etree._Element) -> dict[str, Any]:
    """Return an element in the form of integrators: arrays for repeated elements, bare arrays for common containers."""
    content: dict[str, Any] = {str(n): v for n, v in element.attrib.items() if not str(n).startswith(XSI)}
    for child in element.iterchildren("*"):
        name = etree.QName(child).localname
        if name in ("Complemento", "ComplementoConcepto"):
            content[name] = {"Any": [{f"{part.prefix}:{etree.QName(part).localname}": as_json(part)} for part in child]}
        elif name in CONTAINERS and not child.attrib:
            content[name] = [as_json(item) for item in child]
        elif len(child) == 0 and not child.attrib and (child.text or "").strip():
            content[name] = child.text
        elif name != "Addenda":
            content.setdefault(name, []).append(as_json(child))
    return {name: value[0] if _single(name, value) else value for name, value in content.items()}


def _single(name: str, value: object) -> bool:
    return isinstance(value, list) and len(value) == 1 and name not in CONTAINERS
