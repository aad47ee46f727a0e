"""Sentences of the error matrix of Nómina 1.2 for CFDI 3.3: those of the matrix for CFDI 4.0, under other numbers."""

from __future__ import annotations

from timbra.messages.rules.nomina12 import NOMINA12

LATER: dict[str, str] = {
    "NOM135": "NOM5",
    "NOM136": "NOM6",
    "NOM137": "NOM8",
    "NOM138": "NOM9",
    **{f"NOM{number}": f"NOM{number - 126}" for number in range(140, 149)},
    **{f"NOM{number}": f"NOM{number - 120}" for number in range(150, 225)},
    **{f"NOM{number}": f"NOM{number - 121}" for number in range(226, 230)},
}
"""Code of the same requirement in the matrix for CFDI 4.0, by code of revision B."""

NOMINA12B: dict[str, str] = {
    **{code: NOMINA12[later] for code, later in LATER.items()},
    "NOM132": "En un CFDI 3.3 de nómina, Moneda debe ser MXN.",
    "NOM133": "En un CFDI 3.3 de nómina, FormaPago debe ser 99.",
    "NOM134": "En un CFDI 3.3 con el complemento Nómina, TipoDeComprobante debe ser N.",
    "NOM139": "Un CFDI 3.3 de nómina debe llevar un solo concepto, sin nodos.",
    "NOM149": "En un CFDI 3.3 de nómina, el nodo Impuestos del comprobante no debe existir.",
    "NOM225": "El CFDI 3.3 de nómina no cumple el estándar en un punto sin código propio.",
}
