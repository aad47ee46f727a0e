"""Names and paths of the elements of Carta Porte 3.1."""

from __future__ import annotations

NAMESPACE = "{http://www.sat.gob.mx/CartaPorte31}"
TAG = f"{NAMESPACE}CartaPorte"
HEAD = "Complemento/CartaPorte"
VERSION = "3.1"

MEANS = AUTOTRANSPORTE, MARITIMO, AEREO, FERROVIARIO = (
    "Autotransporte",
    "TransporteMaritimo",
    "TransporteAereo",
    "TransporteFerroviario",
)
"""Elements of the means of transport."""
