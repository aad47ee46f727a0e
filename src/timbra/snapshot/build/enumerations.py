"""Enumerations that no rule checks.

Where no rule set reads a standard, the structure check reads its enumerations from a table; where one leaves out an
attribute, the reduced schema keeps its enumeration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy

from lxml import etree

from timbra.snapshot.build.slimming import CATALOGS, Types, catalog_attributes, elements_at

XS = "{http://www.w3.org/2001/XMLSchema}"
_SAT = "http://www.sat.gob.mx/"
_BOTH = ("3.3 Complemento", "4.0 Complemento")

RULED: Mapping[tuple[str, str], tuple[str, ...]] = {
    (_SAT + "cfd/4", "4.0"): ("4.0",),
    (_SAT + "cfd/3", "3.3"): ("3.3",),
    (_SAT + "esquemas/retencionpago/2", "2.0"): ("2.0",),
    (_SAT + "CartaPorte31", "3.1"): ("4.0 Complemento",),
    (_SAT + "ComercioExterior20", "2.0"): ("4.0 Complemento",),
    (_SAT + "EstadoDeCuentaCombustible12", "1.2"): _BOTH,
    (_SAT + "nomina12", "1.2"): _BOTH,
    (_SAT + "Pagos", "1.0"): ("3.3 Complemento",),
    (_SAT + "Pagos20", "2.0"): ("4.0 Complemento",),
    (_SAT + "hidrocarburospetroliferos", "1.0"): ("4.0 ComplementoConcepto",),
}
"""Standard -> where rules check its catalogs: the version of the document, and for a complement the node with it."""

UNRULED: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = {
    (_SAT + "cfd/4", "4.0"): {"Comprobante/Impuestos/Traslados/Traslado": ("TipoFactor",)},
    (_SAT + "cfd/3", "3.3"): {"Comprobante/Impuestos/Traslados/Traslado": ("TipoFactor",)},
    (_SAT + "esquemas/retencionpago/2", "2.0"): {"Retenciones/Totales/ImpRetenidos": ("ImpuestoRet",)},
    (_SAT + "Pagos", "1.0"): {
        "Pagos/Pago/Impuestos/Retenciones/Retencion": ("Impuesto",),
        "Pagos/Pago/Impuestos/Traslados/Traslado": ("Impuesto", "TipoFactor"),
    },
}
"""Standard of `RULED` -> element path -> attributes whose catalog no rule checks; each has a few keys."""

Standard = tuple[str, str, str, etree._Element]
"""Namespace, version, file name and schema."""


def enumeration_files(standards: list[Standard], types: Types) -> dict[str, bytes]:
    """Return the content of `xsd/enumerations.json`; the schemas still have their enumerations.

    The file has, by file name of the schema, where rules check the catalogs (`ruled`), and element path -> attribute ->
    key of its values (`attributes`), without those of `UNRULED`. `values` has the values of a key, separated by blanks.
    """
    tables: dict[str, object] = {}
    values: dict[str, str] = {}
    for namespace, version, file, root in standards:
        attributes: dict[str, dict[str, str]] = {}
        unruled = UNRULED.get((namespace, version), {})
        for path, attribute, name in catalog_attributes(root, types):
            if attribute in unruled.get(path, ()):
                continue
            key = f"{str(name.namespace).removeprefix(CATALOGS).strip('/')}:{name.localname}"
            attributes.setdefault(path, {})[attribute] = key
            if key not in values:
                values[key] = " ".join(_values(types.restriction(_declared(root, path, attribute))))
        if attributes:
            tables[file] = {"ruled": RULED.get((namespace, version), ()), "attributes": attributes}
    content = {"standards": tables, "values": values}
    return {"xsd/enumerations.json": json.dumps(content, indent=0, sort_keys=True).encode() + b"\n"}


def keep_unruled(root: etree._Element, namespace: str, version: str, types: Types) -> None:
    """Copy the catalog of each attribute of `UNRULED` into its declaration, where the reduced schema keeps it.

    Args:
        root: the schema, changed in place.
        namespace, version: the standard.
        types: types of all schemas, which still have their enumerations.
    """
    for path, names in UNRULED.get((namespace, version), {}).items():
        for name in names:
            attribute = _declared(root, path, name)
            restriction = deepcopy(types.restriction(attribute))
            del attribute.attrib["type"]
            etree.SubElement(attribute, f"{XS}simpleType").append(restriction)


def _declared(root: etree._Element, path: str, name: str) -> etree._Element:
    found = (
        attribute
        for element in elements_at(root, path)
        for attribute in element.iterfind(f"{XS}complexType/{XS}attribute[@name='{name}']")
    )
    return next(found)


def _values(restriction: etree._Element) -> list[str]:
    return sorted({str(value.get("value")) for value in restriction.iterfind(f"{XS}enumeration")})
