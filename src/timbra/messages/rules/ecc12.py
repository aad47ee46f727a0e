"""Sentences of the error matrix of Estado de Cuenta de Combustibles 1.2."""

from __future__ import annotations

ECC12: dict[str, str] = {
    "ECC121": "SubTotal del estado de cuenta debe ser la suma de los importes de sus cargas.",
    "ECC122": "Total del estado de cuenta debe ser su SubTotal más los impuestos trasladados de sus cargas.",
    "ECC123": "El RFC de quien vendió el combustible debe estar en la lista de contribuyentes obligados (LCO).",
    "ECC124": "Con el complemento Estado de Cuenta de Combustibles, TipoDeComprobante debe ser I.",
    "ECC999": "El complemento Estado de Cuenta de Combustibles no cumple con algo que la matriz no clasifica.",
}
