"""Sentences of the error matrix of Hidrocarburos y Petrolíferos 1.0."""

from __future__ import annotations

_UNKNOWN = "La matriz de Hidrocarburos y Petrolíferos tiene este código; no se conoce su contenido."

HIDROYPETRO10: dict[str, str] = {
    "CCHYP101": _UNKNOWN,
    "CCHYP102": _UNKNOWN,
    "CCHYP103": _UNKNOWN,
    "CCHYP104": _UNKNOWN,
    "CCHYP105": _UNKNOWN,
    "CCHYP106": "El complemento Hidrocarburos y Petrolíferos debe convivir solo con complementos admitidos.",
    "CCHYP107": "NumeroPermiso debe estar en la lista L_CNE y tener la forma que pide TipoPermiso.",
    "CCHYP108": "NumeroPermiso debe ser de un permiso del emisor, según la lista L_CNE.",
    "CCHYP109": _UNKNOWN,
    "CCHYP110": "SubProductoHYP debe ser uno de los subproductos de ClaveHYP.",
}
