"""Conceptos of example documents: by default a service for 200.00 with IVA at 16 %."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal

from timbra.examples.tree import Change, ExampleNode, change

PRICE = "200.00"


def tax(base: str, impuesto: str, tasa: str | None, *, factor: str = "Tasa") -> dict[str, str]:
    """Return the attributes of a Traslado or Retencion.

    Args:
        base: Base.
        impuesto: key of c_Impuesto.
        tasa: TasaOCuota; None for an exempt tax.
        factor: TipoFactor of a tax that is not exempt.
    """
    row = {"Base": base, "Impuesto": impuesto, "TipoFactor": factor if tasa is not None else "Exento"}
    if tasa is not None:
        importe = (Decimal(base) * Decimal(tasa)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        row |= {"TasaOCuota": tasa, "Importe": str(importe)}
    return row


def impuestos(traslados: list[dict[str, str]], retenciones: list[dict[str, str]]) -> ExampleNode:
    """Return the tax node of a Concepto; an empty list omits its container."""
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
    """Return a Concepto of quantity 1.

    Args:
        changes: see `timbra.examples.tree.change`.
        price: ValorUnitario.
        traslados: transferred taxes; IVA at 16 % when neither list is given.
        retenciones: withheld taxes. Without any tax ObjetoImp is 01.
    """
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
