"""Enumerations that the reduced schemas omit and that no rule checks: the structure check reads them from a table."""

from __future__ import annotations

import json
from collections.abc import Mapping

from lxml import etree

from timbra.snapshot.build.slimming import CATALOGS, Types, catalog_attributes, elements_at

XS = "{http://www.w3.org/2001/XMLSchema}"
_SAT = "http://www.sat.gob.mx/"
_BOTH = ("3.3 Complemento", "4.0 Complemento")

RULED: Mapping[tuple[str, str], tuple[str, ...]] = {
    (_SAT + "cfd/4", "4.0"): ("4.0",),
    (_SAT + "cfd/3", "3.3"): ("3.3",),
    (_SAT + "esquemas/retencionpago/2", "2.0"): ("2.0",),
    (_SAT + "CartaPorte31", "3.1"): _BOTH,
    (_SAT + "ComercioExterior20", "2.0"): ("4.0 Complemento",),
    (_SAT + "EstadoDeCuentaCombustible12", "1.2"): _BOTH,
    (_SAT + "nomina12", "1.2"): _BOTH,
    (_SAT + "Pagos", "1.0"): ("3.3 Complemento",),
    (_SAT + "Pagos20", "2.0"): ("4.0 Complemento",),
    (_SAT + "hidrocarburospetroliferos", "1.0"): ("4.0 ComplementoConcepto",),
}
"""Standard -> where rules check its catalogs: the version of the document, and for a complement the node with it."""

UNRULED: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = {
    (_SAT + "Pagos", "1.0"): {
        "Pagos/Pago/Impuestos/Retenciones/Retencion": ("Impuesto",),
        "Pagos/Pago/Impuestos/Traslados/Traslado": ("Impuesto", "TipoFactor"),
    },
}
"""Standard of `RULED` -> element path -> attributes whose catalog no rule checks."""

Standard = tuple[str, str, str, etree._Element]
"""Namespace, version, file name and schema."""


def enumeration_files(standards: list[Standard], types: Types) -> dict[str, bytes]:
    """Return the content of `xsd/enumerations.json`; the schemas still have their enumerations.

    The file has, by file name of the schema, where rules check the catalogs (`ruled`), element path -> attribute ->
    key of its values (`attributes`), and those that no rule checks anywhere (`unruled`). `values` has the values of a
    key, separated by blanks.
    """
    tables: dict[str, object] = {}
    values: dict[str, str] = {}
    for namespace, version, file, root in standards:
        attributes: dict[str, dict[str, str]] = {}
        for path, attribute, name in catalog_attributes(root, types):
            key = f"{str(name.namespace).removeprefix(CATALOGS).strip('/')}:{name.localname}"
            attributes.setdefault(path, {})[attribute] = key
            if key not in values:
                values[key] = " ".join(_values(types.restriction(_declared(root, path, attribute))))
        if attributes:
            tables[file] = {
                "ruled": RULED.get((namespace, version), ()),
                "attributes": attributes,
                "unruled": UNRULED.get((namespace, version), {}),
            }
    content = {"standards": tables, "values": values}
    return {"xsd/enumerations.json": json.dumps(content, indent=0, sort_keys=True).encode() + b"\n"}


def _declared(root: etree._Element, path: str, name: str) -> etree._Element:
    found = (
        attribute
        for element in elements_at(root, path)
        for attribute in element.iterfind(f"{XS}complexType/{XS}attribute[@name='{name}']")
    )
    return next(found)


def _values(restriction: etree._Element) -> list[str]:
    return sorted({str(value.get("value")) for value in restriction.iterfind(f"{XS}enumeration")})
