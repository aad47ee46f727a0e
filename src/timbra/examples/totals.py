"""The sums of a document, computed from its Conceptos by the SAT's formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_UP, Decimal

from timbra.examples.tree import ExampleNode

_KEYS = ("Impuesto", "TipoFactor", "TasaOCuota")


def rounded(value: Decimal, decimals: int) -> str:
    """Round half up to that number of decimals."""
    return str(value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP))


def total_of(nodes: Iterable[ExampleNode], attribute: str) -> Decimal:
    """Return the sum of an attribute over the nodes that have it."""
    return sum((Decimal(node.attributes[attribute]) for node in nodes if attribute in node.attributes), Decimal(0))


def taxes_of(conceptos: list[ExampleNode], container: str) -> Iterator[ExampleNode]:
    """Yield every Traslado (container "Traslados") or Retencion ("Retenciones") of the Conceptos."""
    for concepto in conceptos:
        for taxes in concepto.named("Impuestos"):
            for rows in taxes.named(container):
                yield from rows.children


def impuestos(conceptos: list[ExampleNode], decimals: int) -> ExampleNode | None:
    """Return Comprobante/Impuestos, None when no Concepto has a tax."""
    node = ExampleNode("cfdi:Impuestos")
    retenciones = _retenciones(conceptos, decimals)
    traslados = _traslados(conceptos, decimals)
    if retenciones:
        node.attributes["TotalImpuestosRetenidos"] = rounded(total_of(retenciones, "Importe"), decimals)
        node.children.append(ExampleNode("cfdi:Retenciones", children=retenciones))
    if traslados:
        if any("Importe" in row.attributes for row in traslados):
            node.attributes["TotalImpuestosTrasladados"] = rounded(total_of(traslados, "Importe"), decimals)
        node.children.append(ExampleNode("cfdi:Traslados", children=traslados))
    return node if node.children else None


def _retenciones(conceptos: list[ExampleNode], decimals: int) -> list[ExampleNode]:
    groups: dict[str, list[ExampleNode]] = {}
    for row in taxes_of(conceptos, "Retenciones"):
        groups.setdefault(row.attributes.get("Impuesto", ""), []).append(row)
    return [
        ExampleNode("cfdi:Retencion", {"Impuesto": impuesto, "Importe": rounded(total_of(rows, "Importe"), decimals)})
        for impuesto, rows in groups.items()
    ]


def _traslados(conceptos: list[ExampleNode], decimals: int) -> list[ExampleNode]:
    groups: dict[tuple[str | None, ...], list[ExampleNode]] = {}
    for row in taxes_of(conceptos, "Traslados"):
        groups.setdefault(tuple(row.attributes.get(key) for key in _KEYS), []).append(row)
    nodes = []
    for key, rows in groups.items():
        attributes = {"Base": rounded(total_of(rows, "Base"), decimals)}
        attributes |= {name: value for name, value in zip(_KEYS, key, strict=True) if value is not None}
        if any("Importe" in row.attributes for row in rows):
            attributes["Importe"] = rounded(total_of(rows, "Importe"), decimals)
        nodes.append(ExampleNode("cfdi:Traslado", attributes))
    return nodes
