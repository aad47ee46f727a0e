"""The changes that put a complement into an example document."""

from __future__ import annotations

from timbra.examples.comprobante import with_schema
from timbra.examples.tree import Change, ExampleNode


def carrying(complement: ExampleNode, namespace: str, location: str) -> dict[str, Change]:
    """Return the changes that add a complement to a document.

    Args:
        complement: the complement; the prefix of its name is declared.
        namespace: its namespace.
        location: the SAT's address of its schema.
    """
    prefix = complement.name.partition(":")[0]
    return {
        f"@xmlns:{prefix}": namespace,
        "@xsi:schemaLocation": with_schema(namespace, location),
        "Complemento": ExampleNode("cfdi:Complemento", children=[complement]),
    }
