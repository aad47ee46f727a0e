"""Paths of the nodes of Estado de Cuenta de Combustibles 1.2."""

from __future__ import annotations

ACCOUNT = "Complemento/EstadoDeCuentaCombustible"
PURCHASE = f"{ACCOUNT}/Conceptos/ConceptoEstadoDeCuentaCombustible"
