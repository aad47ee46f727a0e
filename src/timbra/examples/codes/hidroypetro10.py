"""Examples of rules about Hidrocarburos y Petrolíferos 1.0: CCHYP107 to CCHYP110, and what has no code."""

from __future__ import annotations

from timbra.examples.cfdi40 import ingreso
from timbra.examples.codes.example import Example, differ
from timbra.examples.hidroypetro10 import fuel, gasolina
from timbra.examples.tree import Change

CONCEPTO = "Conceptos/Concepto"
COMPLEMENT = f"{CONCEPTO}/ComplementoConcepto/HidroYPetro"
UNLISTED = "PL/99999/EXP/ES/2015"
"""Of the right form, and in no list."""
ANOTHERS = "PL/54321/EXP/ES/2015"
"""Of somebody else, where a world knows permits."""
DIESEL = "PL/11111/EXP/ES/2015"
"""For diesel alone, where a world knows permits."""


def permits(**attributes: str) -> Example:
    changes: dict[str, Change] = {f"{COMPLEMENT}/@{name}": value for name, value in attributes.items()}
    return differ(gasolina, changes)


HIDROYPETRO10: dict[str, Example] = {
    "CCHYP107": permits(TipoPermiso="PER03"),
    "CCHYP107:L_CNE": permits(NumeroPermiso=UNLISTED),
    "CCHYP108": permits(NumeroPermiso=ANOTHERS),
    "CCHYP110": permits(SubProductoHYP="SP16"),
    "CFDI40999:HYP-TipoPermiso": permits(TipoPermiso="PER99"),
    "CFDI40999:HYP-NumeroPermiso": permits(NumeroPermiso="PL/EXP/ES/2015"),
    "CFDI40999:HYP-ClaveHYP": permits(ClaveHYP="15101514", SubProductoHYP="SP16"),
    "CFDI40999:HYP-ClaveHYP-L_CNE": permits(NumeroPermiso=DIESEL),
    "CFDI40999:HYP-unit": differ(gasolina, {f"{CONCEPTO}/@ClaveUnidad": "H87"}),
}

REQUIRED: dict[str, Example] = {
    "CFDI40999:HYP-required": Example(gasolina, lambda: ingreso(concepts=[fuel()])),
}
"""The demand on invoices that lack the complement, of the book of CFDI 4.0."""
