"""Sentences of the checks of namespaces, schema locations and positions."""

from __future__ import annotations

SHAPE: dict[str, str] = {
    "CC3001": "xsi:schemaLocation debe llevar el espacio de nombres del CFDI con la dirección de su esquema.",
    "CC3002": "El espacio de nombres de cfdi debe ser el de la versión del comprobante.",
    "CO1001": "El complemento debe llevar el prefijo y el nombre de su estándar.",
    "CO1002": "El espacio de nombres del complemento debe declararse en Comprobante.",
    "CO1003": "El esquema del complemento debe declararse en xsi:schemaLocation de Comprobante.",
    "CO1004": "El espacio de nombres del complemento no debe declararse en el nodo Complemento.",
    "CO1005": "El esquema del complemento no debe declararse fuera de Comprobante.",
    "NS-PREFIJO": "Los nodos del comprobante deben llevar el prefijo cfdi.",
    "NS-REPETIDO": "Cada espacio de nombres debe declararse una sola vez.",
    "NS-SIN-USO": "Solo deben declararse los espacios de nombres que el comprobante usa.",
    "SELLO-COMPLEMENTO": "El complemento no forma parte de la cadena original.",
    "TFD-LUGAR": "El timbre debe estar dentro de Complemento.",
}
