"""From the name of a catalog to its file in the snapshot."""

from __future__ import annotations

import re

_NAME = re.compile(r"(?:([a-z0-9]+):)?(c_\w+)\Z")

BORROWED = {
    "cfdi33/c_ClaveProdServ": "cfdi40/c_ClaveProdServ",
    "cfdi33/c_CodigoPostal": "cfdi40/c_CodigoPostal",
    "pagos10/c_TipoCadenaPago": "pagos20/c_TipoCadenaPago",
    "cartaporte30/c_ClaveProdServCP": "cartaporte31/c_ClaveProdServCP",
    "cartaporte20/c_ClaveProdServCP": "cartaporte31/c_ClaveProdServCP",
    "cartaporte30/c_ClaveProdSTCC": "cartaporte31/c_ClaveProdSTCC",
    "cartaporte20/c_ClaveProdSTCC": "cartaporte31/c_ClaveProdSTCC",
}
"""Catalogs that no source lists for their own standard, and whose keys stand in for them."""

ABSENT = frozenset({"cfdi40/c_NumPedimentoAduana", "cfdi33/c_NumPedimentoAduana"})
"""Catalogs that SAT publishes and no source of the snapshot carries: `has` is False for all their columns."""


def member(catalog: str) -> str:
    """The snapshot's name for a catalog, without ending: "cfdi40/c_FormaPago". KeyError for what is no such name."""
    found = _NAME.match(catalog)
    if found is None:
        raise KeyError(catalog)
    name = f"{found[1] or 'cfdi40'}/{found[2]}"
    return BORROWED.get(name, name)
