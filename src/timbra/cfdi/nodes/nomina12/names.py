"""Where Nómina 1.2 stands: its namespace, its element, its path."""

from __future__ import annotations

NAMESPACE = "{http://www.sat.gob.mx/nomina12}"
TAG = f"{NAMESPACE}Nomina"
HEAD = "Complemento/Nomina"
