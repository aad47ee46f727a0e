"""The structure check: the document by its schema, then each complement by its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lxml import etree

from timbra._native import ElementSearch
from timbra.cfdi.structure.chunked_validation import count_elements
from timbra.cfdi.structure.enumerations import Enumerations
from timbra.cfdi.structure.error_messages import fault_of
from timbra.cfdi.structure.errors import StructureFault
from timbra.cfdi.structure.paths import ElementPaths, element_line
from timbra.cfdi.structure.standards import (
    UnknownComplement,
    XmlStandard,
    XmlStandards,
    element_namespace,
    element_version,
)
from timbra.pools.work_budget import spend

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot


_Faults = dict[tuple[str, str, bool, tuple[str, ...]], StructureFault]
VISITS_PER_FAULT = 8
"""How many visits of nodes the description of a fault costs."""
_HOLDERS = ElementSearch(("Complemento", "Conceptos/Concepto/ComplementoConcepto"), any_namespace=False)


class Structure:
    """The structure check of CFDI 4.0, 3.3 and 3.2, and of Retenciones 2.0 and 1.0.

    Create one per process and share it.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._standards = XmlStandards(snapshot)
        self._enumerations = Enumerations(snapshot)

    @property
    def supported(self) -> tuple[XmlStandard, ...]:
        """Every document, stamp and complement that has a schema."""
        return self._standards.all

    def catalogs(self, standard: XmlStandard) -> Mapping[str, Mapping[str, str]]:
        """Return the attributes of a standard that are keys of catalogs.

        The schemas accept any text in them; the rules check them, and where none does, `Enumerations`.

        Returns:
            Element path (`Comprobante/Emisor`) -> attribute -> catalog type (`c_RegimenFiscal`).
        """
        return self._standards.catalogs(standard)

    def check(self, root: etree._Element) -> list[StructureFault]:
        """Validate a document and its supported complements with their schemas.

        The Addenda and complements of unknown namespace or version are not validated. The tree is not changed.

        Returns:
            The violations, in document order per schema.

        Raises:
            OverBudgetError: The faults are more than the budget of the caller allows to describe.
        """
        standard = self._standards.find(root)
        if standard is None or not standard.document:
            return [_unknown_document_fault(root)]
        paths = ElementPaths(self._standards.declarations)
        version = standard.version
        faults: _Faults = {}
        self._add_faults(faults, root, standard, version, paths)
        for element in iter_complements(root):
            standard = self._complement(element)
            if standard is not None:
                self._add_faults(faults, element, standard, f"{version} {_holder(element)}", paths)
        return list(faults.values())

    def has_schema(self, root: etree._Element) -> bool:
        """Whether the snapshot has the schema of a document's version."""
        standard = self._standards.find(root)
        return standard is not None and standard.document

    def unknown_complements(self, root: etree._Element) -> list[UnknownComplement]:
        """Return the complements of the document and of its Conceptos that `check` does not validate."""
        paths = ElementPaths(self._standards.declarations)
        return [
            _to_unknown_complement(element, paths)
            for element in iter_complements(root)
            if self._complement(element) is None
        ]

    def _complement(self, element: etree._Element) -> XmlStandard | None:
        standard = self._standards.find(element)
        return None if standard is None or standard.document else standard

    def _add_faults(
        self, faults: _Faults, element: etree._Element, standard: XmlStandard, where: str, paths: ElementPaths
    ) -> None:
        """Add the faults of an element.

        libxml2 reports each facet of a value, which is one fault here, and `xsi:type` in a complement with the document
        and with the complement. It also reports each piece of a text that comments and instructions divide, in equal
        errors.
        """
        errors = dict.fromkeys(self._standards.schema(standard).errors(element))
        if errors:
            spend(len(errors) * VISITS_PER_FAULT + count_elements(element))
        for error in errors:
            located = error.element
            fault = fault_of(error, paths.element_at(element, error.path) if located is None else located, paths)
            missing = fault.missing if not fault.attribute else ()
            faults.setdefault((fault.path, fault.attribute, fault.unexpected, missing), fault)
        for fault in self._enumerations.faults(element, standard.file, where, paths):
            faults.setdefault((fault.path, fault.attribute, False, ()), fault)


def iter_complements(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements inside the Complemento of the document and the ComplementoConcepto of its Conceptos."""
    for holder in _HOLDERS.find(root):
        yield from holder.iterchildren(etree.Element)


def complement_names(root: etree._Element) -> dict[str, str]:
    """Return the complements of document and Conceptos: qualified name -> name with prefix, as first written."""
    names: dict[str, str] = {}
    for element in iter_complements(root):
        if element.tag not in names:
            local = str(element.tag).rpartition("}")[2]
            names[str(element.tag)] = f"{element.prefix}:{local}" if element.prefix else local
    return names


def _holder(complement: etree._Element) -> str:
    parent = complement.getparent()
    return "" if parent is None else etree.QName(parent).localname


def _to_unknown_complement(element: etree._Element, paths: ElementPaths) -> UnknownComplement:
    name = etree.QName(element).localname
    path = paths.path(element)
    return UnknownComplement(
        element_namespace(element), name, element_version(element) or "", path, element_line(element)
    )


def _unknown_document_fault(root: etree._Element) -> StructureFault:
    version = element_version(root) or "sin versión"
    name, namespace = etree.QName(root).localname, element_namespace(root) or "ningún espacio de nombres"
    found = f"{name} {version} de {namespace}"
    expected = "un Comprobante 4.0, 3.3 o 3.2, que son los que tienen esquema"
    return StructureFault("", element_line(root), found, expected)
