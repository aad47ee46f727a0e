"""Reduced schemas: those of the SAT, without catalogs and without the facets that a rule checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from lxml import etree

from timbra.snapshot.build.enumerations import enumeration_files, keep_unruled
from timbra.snapshot.build.resources import CFD, RETENCIONES, SCHEMAS, Resources, flat_names, flatten_links, serialized
from timbra.snapshot.build.slimming import Types, attribute_catalogs, open_wildcards, remove_catalogs, remove_owned

XS = "{http://www.w3.org/2001/XMLSchema}"
DOCUMENTS = (
    CFD + "4/cfdv40.xsd",
    CFD + "3/cfdv33.xsd",
    CFD + "3/cfdv32.xsd",
    RETENCIONES + "2/retencionpagov2.xsd",
    RETENCIONES + "1/retencionpagov1.xsd",
)
"""Schemas of the documents: invoices, and retenciones e información de pagos."""
LINK = "schemaLocation"


@dataclass(frozen=True)
class SchemaStandard:
    """The standard that a schema validates.

    Attributes:
        version: empty when the standard has none.
        element: local name of the root element.
        location: the SAT's public address of the schema, as in xsi:schemaLocation.
        document: False for complements and the stamp.
    """

    namespace: str
    version: str
    element: str
    prefix: str
    file: str
    location: str
    document: bool


def schema_files(resources: Resources) -> dict[str, bytes]:
    """Return path in the snapshot -> content: the schemas, `index.json`, `catalogs.json` and `enumerations.json`."""
    candidates = [*resources.names(CFD, ".xsd"), *resources.names(RETENCIONES, ".xsd")]
    roots = [name for name in candidates if _elements(resources, name)]
    members = resources.closure(roots, LINK)
    names = flat_names(members)
    standards = {member: _standard(resources, member, names[member]) for member in roots}
    types = Types({str(resources.root(name).get("targetNamespace")): resources.root(name) for name in members})
    catalogs = {member: attribute_catalogs(resources.root(member), types) for member in roots}
    enumerated = [
        (standard.namespace, standard.version, standard.file, resources.root(member))
        for member, standard in standards.items()
    ]
    enumerations = enumeration_files(enumerated, types)
    for namespace, version, _, root in enumerated:
        keep_unruled(root, namespace, version, types)
    for member in members:
        _slim(resources.root(member), standards.get(member), types)
    files = {f"xsd/{names[member]}": serialized(resources.root(member)) for member in members}
    files |= enumerations
    files["xsd/index.json"] = _json([asdict(standard) for standard in _sorted(standards)])
    files["xsd/catalogs.json"] = _json({names[member]: found for member, found in catalogs.items() if found})
    return files


def _slim(root: etree._Element, standard: SchemaStandard | None, types: Types) -> None:
    flatten_links(root, LINK)
    if standard is None:
        remove_catalogs(root)
        return
    remove_owned(root, standard.namespace, standard.version, types)
    if standard.document:
        open_wildcards(root)


def _elements(resources: Resources, name: str) -> list[etree._Element]:
    return resources.root(name).findall(f"{XS}element")


def _standard(resources: Resources, member: str, file: str) -> SchemaStandard:
    root = resources.root(member)
    (element,) = root.findall(f"{XS}element")
    namespace = str(root.get("targetNamespace"))
    prefix = next(key for key, value in root.nsmap.items() if value == namespace and key)
    location = "http://" + member.removeprefix(SCHEMAS)
    return SchemaStandard(
        namespace, _version(element), str(element.get("name")), str(prefix), file, location, member in DOCUMENTS
    )


def _version(element: etree._Element) -> str:
    for attribute in element.iterfind(f"{XS}complexType/{XS}attribute"):
        if str(attribute.get("name")).lower() == "version":
            return str(attribute.get("fixed"))
    return ""


def _sorted(standards: dict[str, SchemaStandard]) -> Iterator[SchemaStandard]:
    yield from sorted(standards.values(), key=lambda standard: (standard.namespace, standard.version))


def _json(content: object) -> bytes:
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"
