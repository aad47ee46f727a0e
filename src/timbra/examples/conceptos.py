"""Conceptos of example documents: a service at 200.00 with IVA at 16 %, and what can be changed in it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal

from timbra.examples.tree import Change, ExampleNode, change

PRICE = "200.00"


def tax(base: str, impuesto: str, tasa: str | None, *, factor: str = "Tasa") -> dict[str, str]:
    """Attributes of a Traslado or Retencion over `base`; `tasa` None makes an exempt one."""
    row = {"Base": base, "Impuesto": impuesto, "TipoFactor": factor if tasa is not None else "Exento"}
    if tasa is not None:
        importe = (Decimal(base) * Decimal(tasa)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        row |= {"TasaOCuota": tasa, "Importe": str(importe)}
    return row


def impuestos(traslados: list[dict[str, str]], retenciones: list[dict[str, str]]) -> ExampleNode:
    """The tax node of a Concepto; an empty list leaves its container out."""
    node = ExampleNode("cfdi:Impuestos")
    for container, element, rows in (
        ("cfdi:Traslados", "cfdi:Traslado", traslados),
        ("cfdi:Retenciones", "cfdi:Retencion", retenciones),
    ):
        if rows:
            node.children.append(ExampleNode(container, children=[ExampleNode(element, dict(row)) for row in rows]))
    return node


def concepto(
    changes: Mapping[str, Change] | None = None,
    *,
    price: str = PRICE,
    traslados: list[dict[str, str]] | None = None,
    retenciones: list[dict[str, str]] | None = None,
) -> ExampleNode:
    """A Concepto of quantity 1. Neither list of taxes given: IVA at 16 %. No tax at all: ObjetoImp 01."""
    if traslados is None:
        traslados = [tax(price, "002", "0.160000")] if retenciones is None else []
    taxes = impuestos(traslados, retenciones or [])
    node = ExampleNode(
        "cfdi:Concepto",
        {
            "ClaveProdServ": "84111506",
            "Cantidad": "1",
            "ClaveUnidad": "E48",
            "Descripcion": "Servicio de facturación",
            "ValorUnitario": price,
            "Importe": price,
            "ObjetoImp": "02" if taxes.children else "01",
        },
        [taxes] if taxes.children else [],
    )
    return change(node, changes or {})
