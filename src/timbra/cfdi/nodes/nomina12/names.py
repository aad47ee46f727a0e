"""Namespace, element name and path of Nómina 1.2."""

from __future__ import annotations

NAMESPACE = "{http://www.sat.gob.mx/nomina12}"
TAG = f"{NAMESPACE}Nomina"
HEAD = "Complemento/Nomina"
