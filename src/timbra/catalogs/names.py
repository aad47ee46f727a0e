"""Names of catalogs and of their files in the snapshot."""

from __future__ import annotations

import re
from datetime import date

_NAME = re.compile(r"(?:([a-z0-9]+):)?(c_\w+)\Z")

SUBSTITUTES = {
    "cfdi33/c_ClaveProdServ": "cfdi40/c_ClaveProdServ",
    "cfdi33/c_CodigoPostal": "cfdi40/c_CodigoPostal",
    "cfdi33/c_NumPedimentoAduana": "cfdi40/c_NumPedimentoAduana",
    "pagos10/c_TipoCadenaPago": "pagos20/c_TipoCadenaPago",
    "cartaporte30/c_ClaveProdServCP": "cartaporte31/c_ClaveProdServCP",
    "cartaporte20/c_ClaveProdServCP": "cartaporte31/c_ClaveProdServCP",
    "cartaporte30/c_ClaveProdSTCC": "cartaporte31/c_ClaveProdSTCC",
    "cartaporte20/c_ClaveProdSTCC": "cartaporte31/c_ClaveProdSTCC",
}
"""Catalogs that no source has for their own standard, and the catalogs that are used instead."""

REPUBLISHED = {name: date(2022, 1, 1) for name in ("cfdi33:c_ClaveProdServ", "cfdi33:c_CodigoPostal")}
"""Substitutes whose keys were valid before the first day of their table: that day replaces earlier dates.

Source: c_ClaveProdServ of CFDI 4.0 begins on 2022-01-01, the postal codes of the southern border on 2021-01-01.
"""


def snapshot_name(catalog: str) -> str:
    """Return the snapshot's name of a catalog without suffix, such as "cfdi40/c_FormaPago".

    Raises:
        KeyError: The text is not the name of a catalog.
    """
    match = _NAME.match(catalog)
    if match is None:
        raise KeyError(catalog)
    name = f"{match[1] or 'cfdi40'}/{match[2]}"
    return SUBSTITUTES.get(name, name)
