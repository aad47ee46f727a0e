"""Documents that state the rules about namespaces, schema locations and positions."""

from __future__ import annotations

from timbra.rules.engine.citation import Citation

CATALOGS = Citation("SAT, catálogos de CFDI y complementos: primer día de vigencia")
STANDARDS = Citation("SAT, estándares de CFDI y complementos: uso de los espacios de nombres; códigos del proveedor")
