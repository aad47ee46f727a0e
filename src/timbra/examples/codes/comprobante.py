"""Examples of rules about the document as a whole: CFDI40101 to CFDI40129, CFDI40222."""

from __future__ import annotations

from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import NAMESPACE, SCHEMA
from timbra.examples.conceptos import concepto, tax
from timbra.examples.tree import Change, ExampleNode

HALF_MAXIMUM = "600000000000000000.00"
"""More than half of the greatest valor_maximo of c_TipoDeComprobante."""


def without_complement(prefix: str) -> dict[str, Change]:
    """Changes that remove the only complement of a document, with its declarations.

    Args:
        prefix: prefix of the complement's namespace.
    """
    return {"Complemento": None, "@xsi:schemaLocation": f"{NAMESPACE} {SCHEMA}", f"@xmlns:{prefix}": None}


def discounted(discount: str = "10.00") -> ExampleNode:
    """A Concepto of 200.00 with this discount, and taxes for a discount of 10.00."""
    return concepto({"@Descuento": discount}, traslados=[tax("190.00", "002", "0.160000")])


def sale_with_discount(changes: dict[str, Change] | None = None) -> str:
    """An invoice of 200.00 with a discount of 10.00."""
    return ingreso(changes, concepts=[discounted()])


def above_maximum(changes: dict[str, Change] | None = None) -> str:
    """An invoice whose Total in pesos is above every valor_maximo."""
    return ingreso({"@Moneda": "USD", "@TipoCambio": "2", **(changes or {})}, concepts=[concepto(price=HALF_MAXIMUM)])
