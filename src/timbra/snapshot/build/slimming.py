"""Removal of catalogs and owned facets from a schema, and the catalog of each attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree

from timbra.core.errors import ServiceError
from timbra.snapshot.build.owned import OWNED, OwnedFacet

XS = "{http://www.w3.org/2001/XMLSchema}"
CATALOGS = "http://www.sat.gob.mx/sitio_internet/cfd/catalogos"
_AMOUNT = re.compile(r"(?P<whole>\[0-9\]\{1,18\})\((?P<decimals>\.\[0-9\]\{1,\d+\})\)\?")
_DIGITS = re.compile(r"\[0-9\]\{\d+,\d+\}")
_MINIMUM = {XS + name for name in ("minInclusive", "minExclusive")}
_BOUNDS = _MINIMUM | {XS + name for name in ("maxInclusive", "maxExclusive")}


@dataclass(frozen=True)
class Types:
    """Named simple types of all schemas, by target namespace."""

    schemas: Mapping[str, etree._Element]

    def name(self, attribute: etree._Element) -> etree.QName | None:
        """Return the named type of an attribute declaration, None for an inline one."""
        declared = attribute.get("type")
        if declared is None:
            return None
        prefix, _, local = str(declared).rpartition(":")
        return etree.QName(str(attribute.nsmap[prefix or None]), local)

    def restriction(self, attribute: etree._Element) -> etree._Element:
        """Return the restriction that defines the attribute's type.

        Raises:
            ServiceError: "snapshot-source" when the type is not a simple restriction.
        """
        name = self.name(attribute)
        holder = attribute if name is None else self.schemas[str(name.namespace)]
        path = f"{XS}simpleType/{XS}restriction" if name is None else _named(name.localname)
        found = holder.find(path)
        if found is None:
            raise ServiceError("snapshot-source", f"El tipo de {attribute.get('name')!r} no es una restricción simple.")
        return found


def _named(local: str) -> str:
    return f"{XS}simpleType[@name='{local}']/{XS}restriction"


def remove_catalogs(root: etree._Element) -> None:
    """Remove the enumerations of the `c_` types of the SAT's catalog schemas; other enumerations remain."""
    if not str(root.get("targetNamespace")).startswith(CATALOGS):
        return
    for kind in root.iterfind(f"{XS}simpleType"):
        if str(kind.get("name")).startswith("c_"):
            for value in list(kind.iter(f"{XS}enumeration")):
                parent = value.getparent()
                if parent is not None:
                    parent.remove(value)


def remove_owned(root: etree._Element, namespace: str, version: str, types: Types) -> None:
    """Remove the owned facets of a standard.

    Args:
        root: the schema, changed in place.
        namespace, version: the standard.
        types: types of all schemas.

    Raises:
        ServiceError: "snapshot-source" when the schema does not declare an attribute of `OWNED`.
    """
    for path, attributes in OWNED.get((namespace, version), {}).items():
        for element in elements_at(root, path):
            for name, (owned, _) in attributes.items():
                _relax(_attribute(element, name, path), owned, types)


def elements_at(root: etree._Element, path: str) -> list[etree._Element]:
    """Return the declarations of an element path such as `Comprobante/Emisor`; ServiceError when there is none."""
    found = [root]
    for step in path.split("/"):
        found = [child for parent in found for child in _children(parent) if child.get("name") == step]
    if not found:
        raise ServiceError("snapshot-source", f"El esquema no declara {path}.")
    return found


def _children(element: etree._Element) -> Iterator[etree._Element]:
    """Yield the element declarations directly inside another one (or the schema), through groups and content models."""
    for child in element:
        if child.tag == f"{XS}element":
            yield child
        else:
            yield from _children(child)


def _attribute(element: etree._Element, name: str, path: str) -> etree._Element:
    for attribute in element.iterfind(f"{XS}complexType/{XS}attribute"):
        if attribute.get("name") == name:
            return attribute
    raise ServiceError("snapshot-source", f"El esquema no declara {path}/@{name}.")


def _relax(attribute: etree._Element, owned: OwnedFacet, types: Types) -> None:
    restriction = _text() if OwnedFacet.TEXT in owned else _loosened(types.restriction(attribute), owned)
    for child in list(attribute):
        attribute.remove(child)
    attribute.attrib.pop("type", "")
    etree.SubElement(attribute, f"{XS}simpleType").append(restriction)


def _text() -> etree._Element:
    restriction = etree.Element(f"{XS}restriction", base="xs:string")
    etree.SubElement(restriction, f"{XS}whiteSpace", value="collapse")
    return restriction


def _loosened(restriction: etree._Element, owned: OwnedFacet) -> etree._Element:
    loose = deepcopy(restriction)
    decimals = {f"{XS}fractionDigits"} if OwnedFacet.DECIMALS in owned else set()
    bounds = _BOUNDS if OwnedFacet.BOUNDS in owned else _MINIMUM if OwnedFacet.MINIMUM in owned else set()
    removed = decimals | bounds
    is_signed = False
    for facet in list(loose):
        if facet.tag in removed:
            loose.remove(facet)
        elif facet.tag == f"{XS}pattern":
            facet.set("value", _looser_pattern(str(facet.get("value")), owned))
            is_signed |= str(facet.get("value")).startswith("-?")
    return _without_negative_zero(loose) if is_signed else loose


def _without_negative_zero(restriction: etree._Element) -> etree._Element:
    """Return a restriction that also rejects zero with a minus, which no rule tells from zero.

    The pattern is that of a type between the base and the restriction, because a value satisfies the patterns of both.
    """
    kind = restriction.makeelement(f"{XS}simpleType")
    restriction.insert(0, kind)
    inner = etree.SubElement(kind, f"{XS}restriction", base=str(restriction.attrib.pop("base")))
    etree.SubElement(inner, f"{XS}pattern", value=r"[^\-].*|-.*[1-9].*")
    return restriction


def _looser_pattern(pattern: str, owned: OwnedFacet) -> str:
    """Return the pattern extended by the owned values.

    The SAT's pattern has an unescaped point, which means any character and so accepts 25 whole digits. The alternative
    is inside the group because libxml2 miscounts repetitions when alternatives begin alike.
    """
    if owned == OwnedFacet.LENGTH and _DIGITS.fullmatch(pattern):
        return "[0-9]+"
    amount = _AMOUNT.fullmatch(pattern)
    if amount is None:
        raise ServiceError("snapshot-source", f"Patrón inesperado: {pattern}")
    sign = "-?" if OwnedFacet.BOUNDS in owned else ""
    decimals = rf"({amount['decimals']}|\.[0-9]+)?" if OwnedFacet.DECIMALS in owned else f"({amount['decimals']})?"
    return sign + amount["whole"] + decimals


def open_wildcards(root: etree._Element) -> None:
    """Let a document's schema accept any complement, which has a schema of its own, and any content of the Addenda."""
    for path, element in list(_walk(root, ())):
        if path[-1] in ("Complemento", "ComplementoConcepto"):
            for wildcard in element.iter(f"{XS}any"):
                wildcard.set("processContents", "lax")
        elif path[-1] == "Addenda":
            _accept_any_content(element)


def _accept_any_content(element: etree._Element) -> None:
    for child in list(element):
        element.remove(child)
    content = etree.SubElement(element, f"{XS}complexType", mixed="true")
    sequence = etree.SubElement(content, f"{XS}sequence")
    etree.SubElement(sequence, f"{XS}any", minOccurs="0", maxOccurs="unbounded", processContents="skip")
    etree.SubElement(content, f"{XS}anyAttribute", processContents="skip")


def attribute_catalogs(root: etree._Element, types: Types) -> dict[str, dict[str, str]]:
    """Return element path -> attribute -> catalog type (`c_FormaPago`), for every attribute of a catalog type."""
    found: dict[str, dict[str, str]] = {}
    for path, attribute, name in catalog_attributes(root, types):
        found.setdefault(path, {})[attribute] = name.localname
    return found


def catalog_attributes(root: etree._Element, types: Types) -> Iterator[tuple[str, str, etree.QName]]:
    """Yield element path, name and catalog type of every attribute of a catalog type."""
    for path, element in _walk(root, ()):
        for attribute in element.iterfind(f"{XS}complexType/{XS}attribute"):
            name = types.name(attribute)
            if name is not None and str(name.namespace).startswith(CATALOGS) and name.localname.startswith("c_"):
                yield "/".join(path), str(attribute.get("name")), name


def _walk(element: etree._Element, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], etree._Element]]:
    for child in _children(element):
        below = (*path, str(child.get("name")))
        yield below, child
        yield from _walk(child, below)
