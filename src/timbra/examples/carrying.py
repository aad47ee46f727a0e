"""The changes that put a complement into an example document."""

from __future__ import annotations

from timbra.examples.comprobante import with_schema
from timbra.examples.tree import Change, ExampleNode


def carrying(complement: ExampleNode, namespace: str, location: str) -> dict[str, Change]:
    """For `complement`, named with the prefix that it gets. location: of its schema, at SAT."""
    prefix = complement.name.partition(":")[0]
    return {
        f"@xmlns:{prefix}": namespace,
        "@xsi:schemaLocation": with_schema(namespace, location),
        "Complemento": ExampleNode("cfdi:Complemento", children=[complement]),
    }
