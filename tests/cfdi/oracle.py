"""Comparison of the slim schemas with the SAT's full ones: equal results, or a facet that a rule covers."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree
from tests.support.sat import full_schema

from timbra.cfdi.structure import Structure, StructureFault, XmlStandard
from timbra.cfdi.structure.error_messages import attribute_of, local_name
from timbra.cfdi.structure.errors import SchemaError
from timbra.cfdi.structure.paths import ElementPaths
from timbra.snapshot.build.owned import BOUNDS, DECIMALS, LENGTH, MINIMUM, OWNED, TEXT, OwnedFacet

FILLING = {"Sello": "c2VsbG8=", "NoCertificado": "00001000000500003416", "Certificado": "Y2VydA=="}
_RELAXED = {
    DECIMALS: r"[0-9]{1,18}(\.[0-9]+)?",
    BOUNDS: r"[+-]?[0-9]+(\.[0-9]{1,6})?",
    BOUNDS | DECIMALS: r"-?[0-9]{1,18}(\.[0-9]+)?",
    LENGTH: r"[0-9]+",
    MINIMUM: r"[+-]?[0-9]*\.?[0-9]{0,3}",
}


@dataclass(frozen=True)
class Place:
    """A fault of the SAT's schema: element path, attribute ("" for the element), kind of libxml2."""

    path: str
    attribute: str
    kind: str
    value: str
    namespace: str
    names: tuple[str, ...]

    @property
    def spot(self) -> str:
        return f"{self.path}/@{self.attribute}".removeprefix("/") if self.attribute else self.path


def filled(root: etree._Element) -> etree._Element:
    """Return a copy with placeholders for an absent or empty seal and certificate, which issuing fills."""
    copy = deepcopy(root)
    for name, value in FILLING.items():
        copy.set(name, copy.get(name) or value)
    return copy


def without_addenda(root: etree._Element) -> etree._Element:
    copy = deepcopy(root)
    for addenda in copy.findall(f"{{{etree.QName(copy).namespace}}}Addenda"):
        copy.remove(addenda)
    return copy


class Oracle:
    """Comparison of the structure check with the SAT's full schemas."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure

    def differences(self, root: etree._Element) -> list[str]:
        """Return the differences that no rule covers.

        After an unexpected element libxml2 checks no further siblings, so a full schema that rejects may find less.
        """
        full = self._full(without_addenda(root))
        if not self._known_invoice(root):
            return [] if full and self._structure.check(root) else ["a document without a schema was accepted"]
        slim = {_spot(fault) for fault in self._structure.check(root)}
        unknown = [complement.path for complement in self._structure.unknown_complements(root)]
        spots = {place.spot for place in full}
        stopped = any(place.kind == "SCHEMAV_ELEMENT_CONTENT" for place in full)
        extra = [] if stopped else [f"only slim: {path}" for path in sorted(slim - spots)]
        extra += [f"only slim: unknown {path}" for path in unknown if not _covered(path, spots)]
        lost = [p for p in full if p.spot not in slim and not any(_under(p.path, path) for path in unknown)]
        return extra + [f"only full: {p}" for p in lost if not self._owned(root, p)]

    def accepts(self, root: etree._Element) -> bool:
        """Return whether the SAT's schema accepts the document."""
        return not full_schema().errors(without_addenda(root))

    def _known_invoice(self, root: etree._Element) -> bool:
        return any(s.document and _is(s, root) and _elements(root, s) for s in self._structure.supported)

    def _full(self, root: etree._Element) -> list[Place]:
        return [self._place(root, error) for error in full_schema().errors(root)]

    def _place(self, root: etree._Element, error: SchemaError) -> Place:
        paths = ElementPaths(self._structure._standards.declarations)
        element = paths.element_at(root, error.path)
        qualified = attribute_of(error)
        attribute = local_name(qualified)
        value = str(element.get(qualified, "")) if qualified else ""
        names = [etree.QName(each).localname for each in (element, *element.iterancestors())]
        namespace = str(etree.QName(element).namespace)
        return Place(
            paths.path(element), attribute, error.kind, " ".join(value.split()), namespace, tuple(reversed(names))
        )

    def _owned(self, root: etree._Element, place: Place) -> bool:
        standard, path = self._standard(root, place)
        if place.kind == "SCHEMAV_CVC_ENUMERATION_VALID" and self._is_key(standard, path, place.attribute):
            return True
        claim = OWNED.get((standard.namespace, standard.version), {}).get(path, {}).get(place.attribute)
        return claim is not None and _relaxed(claim[0], place.value)

    def _is_key(self, standard: XmlStandard, path: str, attribute: str) -> bool:
        return attribute in self._structure.catalogs(standard).get(path, {})

    def _standard(self, root: etree._Element, place: Place) -> tuple[XmlStandard, str]:
        """Return the innermost standard of the place, and the path within it."""
        same = [s for s in self._structure.supported if s.namespace == place.namespace and _is(s, root)]
        (standard, *_) = same
        names = list(place.names)
        start = len(names) - 1 - names[::-1].index(standard.element)
        return standard, "/".join(names[start:])


def _spot(fault: StructureFault) -> str:
    """Return the path of the element or attribute that libxml2 reports; a missing element is reported at its parent."""
    return fault.path.rpartition("/")[0] if fault.found is None and not fault.attribute else fault.path


def _is(standard: XmlStandard, root: etree._Element) -> bool:
    versions = {str(e.get("Version") or e.get("version") or "").strip() for e in _elements(root, standard)}
    return standard.version in versions or versions <= {""}


def _elements(root: etree._Element, standard: XmlStandard) -> list[etree._Element]:
    return list(root.iter(f"{{{standard.namespace}}}{standard.element}"))


def _relaxed(owned: OwnedFacet, value: str) -> bool:
    return owned == TEXT or re.fullmatch(_RELAXED[owned], value) is not None


def _under(path: str, ancestor: str) -> bool:
    return path == ancestor or path.startswith(ancestor + "/")


def _covered(path: str, spots: set[str]) -> bool:
    return any(_under(spot, path) for spot in spots)
