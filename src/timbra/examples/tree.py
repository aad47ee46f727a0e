"""A small element tree with text output, to build and change example documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

_STEP = re.compile(r"(@?[^\[\]/@]+)(?:\[([1-9]\d*)\])?\Z")
_IN_ATTRIBUTE = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}

# Order of the children in the standard's sequences; a key may include the parent of the parent.
_ORDER: dict[str, tuple[str, ...]] = {
    "Comprobante": (
        "InformacionGlobal",
        "CfdiRelacionados",
        "Emisor",
        "Receptor",
        "Conceptos",
        "Impuestos",
        "Complemento",
        "Addenda",
    ),
    "Concepto": (
        "Impuestos",
        "ACuentaTerceros",
        "InformacionAduanera",
        "CuentaPredial",
        "ComplementoConcepto",
        "Parte",
    ),
    "ComercioExterior": ("Emisor", "Propietario", "Receptor", "Destinatario", "Mercancias"),
    "Nomina": ("Emisor", "Receptor", "Percepciones", "Deducciones", "OtrosPagos", "Incapacidades"),
    "Percepciones": ("Percepcion", "JubilacionPensionRetiro", "SeparacionIndemnizacion"),
    "Percepcion": ("AccionesOTitulos", "HorasExtra"),
    "OtroPago": ("SubsidioAlEmpleo", "CompensacionSaldosAFavor"),
    "CartaPorte": ("RegimenesAduaneros", "Ubicaciones", "Mercancias", "FiguraTransporte"),
    "CartaPorte/Mercancias": (
        "Mercancia",
        "Autotransporte",
        "TransporteMaritimo",
        "TransporteAereo",
        "TransporteFerroviario",
    ),
    "Mercancia": ("DocumentacionAduanera", "GuiasIdentificacion", "CantidadTransporta", "DetalleMercancia"),
    "Autotransporte": ("IdentificacionVehicular", "Seguros", "Remolques"),
    "TransporteFerroviario": ("DerechosDePaso", "Carro"),
    "TiposFigura": ("PartesTransporte", "Domicilio"),
    "Comprobante/Impuestos": ("Retenciones", "Traslados"),
    "Concepto/Impuestos": ("Traslados", "Retenciones"),
    "Retenciones": (
        "CfdiRetenRelacionados",
        "Emisor",
        "Receptor",
        "Periodo",
        "Totales",
        "Complemento",
        "Addenda",
    ),
    "DetallesDelServicio": ("ImpuestosTrasladadosdelServicio", "ContribucionGubernamental", "ComisionDelServicio"),
}


@dataclass
class ExampleNode:
    """An element: prefixed name, attributes as written, child elements, text."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[ExampleNode] = field(default_factory=list)
    text: str = ""

    @property
    def local(self) -> str:
        """Name without prefix."""
        return self.name.rpartition(":")[2]

    def named(self, local: str) -> list[ExampleNode]:
        """Return the children of that local name."""
        return [child for child in self.children if child.local == local]

    def write(self) -> str:
        """Serialize the element, with attributes in the order in which they were given."""
        attributes = "".join(f' {name}="{escape(value, _IN_ATTRIBUTE)}"' for name, value in self.attributes.items())
        inner = escape(self.text) + "".join(child.write() for child in self.children)
        return f"<{self.name}{attributes}>{inner}</{self.name}>" if inner else f"<{self.name}{attributes}/>"


Change = str | ExampleNode | None


def change(root: ExampleNode, changes: Mapping[str, Change]) -> ExampleNode:
    """Apply changes in place, in the order given.

    Args:
        root: the element.
        changes: change by path, in the form of findings: `Receptor/@UsoCFDI`, `Conceptos/Concepto[2]/Impuestos`. A text
            sets an attribute; a node replaces the element or is inserted in the order of the standard; None removes.
            Missing elements on the path to an attribute are added, with the prefix of their parent.

    Returns:
        `root`.

    Raises:
        ValueError: a path is malformed.
    """
    for path, value in changes.items():
        _change_one(root, path, value)
    return root


def _change_one(root: ExampleNode, path: str, value: Change) -> None:
    *way, last = path.split("/")
    parent = root
    grandparent = ""
    for step in way:
        parent, grandparent = _enter(parent, grandparent, step), parent.local
    if last.startswith("@"):
        _set_attribute(parent, last[1:], value)
    else:
        _set_element(parent, grandparent, last, value)


def _split(step: str) -> tuple[str, int]:
    match = _STEP.match(step)
    if match is None:
        raise ValueError(f"no step of a path: {step!r}")
    return match[1], int(match[2] or 1)


def _enter(parent: ExampleNode, grandparent: str, step: str) -> ExampleNode:
    local, position = _split(step)
    present = parent.named(local)
    if position <= len(present):
        return present[position - 1]
    prefix = parent.name.rpartition(":")[0]
    added = ExampleNode(f"{prefix}:{local}")
    _insert(parent, grandparent, added)
    return added


def _set_attribute(node: ExampleNode, name: str, value: Change) -> None:
    if isinstance(value, ExampleNode):
        raise ValueError(f"an attribute is a text: @{name}")  # noqa: TRY004 - a wrong path, not a wrong type
    if value is None:
        node.attributes.pop(name, None)
    else:
        node.attributes[name] = value


def _set_element(parent: ExampleNode, grandparent: str, step: str, value: Change) -> None:
    local, position = _split(step)
    present = parent.named(local)
    old = present[position - 1] if position <= len(present) else None
    if isinstance(value, str):
        (old or _enter(parent, grandparent, step)).text = value
    elif value is None:
        if old is not None:
            parent.children = [child for child in parent.children if child is not old]
    elif old is not None:
        parent.children = [value if child is old else child for child in parent.children]
    else:
        _insert(parent, grandparent, value)


def _insert(parent: ExampleNode, grandparent: str, added: ExampleNode) -> None:
    order = _ORDER.get(f"{grandparent}/{parent.local}") or _ORDER.get(parent.local, ())
    rank = {local: place for place, local in enumerate(order)}
    own_rank = rank.get(added.local, len(order))
    after = [place for place, child in enumerate(parent.children) if rank.get(child.local, len(order)) <= own_rank]
    parent.children.insert(after[-1] + 1 if after else 0, added)
