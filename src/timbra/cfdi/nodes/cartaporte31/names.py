"""What the nodes of Carta Porte 3.1 are called and where they stand."""

from __future__ import annotations

NAMESPACE = "{http://www.sat.gob.mx/CartaPorte31}"
TAG = f"{NAMESPACE}CartaPorte"
HEAD = "Complemento/CartaPorte"
VERSION = "3.1"

AUTOTRANSPORTE, MARITIMO, AEREO, FERROVIARIO = (
    "Autotransporte",
    "TransporteMaritimo",
    "TransporteAereo",
    "TransporteFerroviario",
)
"""The elements of the ways to move goods."""
